import { arrayAt, isRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import { type ClientRecorder, clientRecorderOf } from "../records/client-recorder.ts";
import type { Rig } from "../surface.ts";
import { callFailure } from "./call-failure.ts";
import { countedUsage, providerNamed } from "./counted-usage.ts";
import type { WrapOptions } from "./wrap-options.ts";

/** A callback handler of LangChain, as an object of its methods. */
export interface LangchainHandler {
  readonly name: string;
  /** Runs within the call, so that its run is the one around the call. */
  readonly awaitHandlers: boolean;
  handleChatModelStart(...told: readonly unknown[]): void;
  handleLLMStart(...told: readonly unknown[]): void;
  handleLLMNewToken(token: string, place: unknown, id: string): void;
  handleLLMEnd(output: unknown, id: string): void;
  handleLLMError(cause: unknown, id: string): void;
}

interface OpenCall {
  readonly record: ReturnType<ClientRecorder["begin"]>;
  readonly provider: string;
  readonly model: string | undefined;
  readonly startedAt: number;
  readonly asked: unknown;
  firstByteMs: number | undefined;
}

/** Calls whose end was never told; the oldest go first. */
const MOST_OPEN = 10_000;

/**
 * A callback handler of LangChain that records every call of a chat model or language model, whole or streamed, and its
 * failures. Give it to the model, to a chain, or to one call, as one of its `callbacks`. Never throws.
 *
 * @example
 * const model = new ChatOpenAI({ model: "gpt-5.4-mini", callbacks: [langchainHandler(rig)] });
 * await model.invoke("hello");
 */
export function langchainHandler(rig: Rig, options: WrapOptions = {}): LangchainHandler {
  const recorder = clientRecorderOf(rig);
  const open = new Map<string, OpenCall>();
  const guarded = (work: (recorder: ClientRecorder) => void): void => {
    try {
      if (recorder) work(recorder);
    } catch (cause) {
      recorder?.warn.once("wrapped call", `a call of LangChain was not recorded: ${String(cause)}`);
    }
  };
  const begin = (asked: unknown, id: unknown, parameters: unknown, metadata: unknown): void =>
    guarded((own) => {
      const [oldest] = open.keys();
      if (open.size >= MOST_OPEN && oldest !== undefined) open.delete(oldest);
      const invocation = recordAt(parameters, "invocation_params");
      open.set(String(id), {
        record: own.begin(options),
        provider: options.provider ?? providerNamed(stringAt(metadata, "ls_provider") ?? "unknown"),
        model: stringAt(metadata, "ls_model_name") ?? stringAt(invocation, "model"),
        startedAt: own.now(),
        asked,
        firstByteMs: undefined,
      });
    });
  const end = (id: string, work: (call: OpenCall, own: ClientRecorder) => Partial<Parameters<OpenCall["record"]>[0]>) =>
    guarded((own) => {
      const call = open.get(id);
      if (!call) return;
      open.delete(id);
      const { record, provider, model = "unknown", startedAt, asked, firstByteMs } = call;
      const common = { provider, model, stream: firstByteMs !== undefined, startedAt, firstByteMs };
      const kept = options.artifacts === true ? { asked } : {};
      record({ ...common, ...kept, latencyMs: own.now() - startedAt, ...work(call, own) });
    });
  return {
    name: "modelrig",
    awaitHandlers: true,
    handleChatModelStart: (...[, messages, id, , parameters, , metadata]) =>
      begin(chatMessages(messages), id, parameters, metadata),
    handleLLMStart: (...[, prompts, id, , parameters, , metadata]) =>
      begin(Array.isArray(prompts) ? prompts[0] : undefined, id, parameters, metadata),
    handleLLMNewToken: (_token, _place, id) =>
      guarded((own) => {
        const call = open.get(id);
        if (call) call.firstByteMs ??= own.now() - call.startedAt;
      }),
    handleLLMEnd: (output, id) =>
      end(id, ({ provider, model }) => {
        const [generation] = (arrayAt(output, "generations")?.[0] ?? []) as readonly unknown[];
        const message = recordAt(generation, "message");
        const response = recordAt(message, "response_metadata");
        return {
          usage: usageOf(output, message, provider),
          model: model ?? stringAt(response, "model_name") ?? stringAt(response, "model") ?? "unknown",
          finishReason: stringAt(response, "finish_reason") ?? stringAt(response, "stop_reason"),
          answered: options.artifacts === true ? stringAt(generation, "text") : undefined,
        };
      }),
    handleLLMError: (cause, id) =>
      end(id, ({ provider }, own) => ({ failure: callFailure(cause, provider, own.now()) })),
  };
}

function usageOf(output: unknown, message: unknown, provider: string) {
  const counted = recordAt(message, "usage_metadata");
  const input = recordAt(counted, "input_token_details");
  const old = recordAt(recordAt(output, "llmOutput"), "tokenUsage");
  const counts = {
    input: numberAt(counted, "input_tokens") ?? numberAt(old, "promptTokens"),
    output: numberAt(counted, "output_tokens") ?? numberAt(old, "completionTokens"),
    cacheRead: numberAt(input, "cache_read"),
    cacheWrite: numberAt(input, "cache_creation"),
    reasoning: numberAt(recordAt(counted, "output_token_details"), "reasoning"),
  };
  return countedUsage(counts, provider, recordAt(recordAt(message, "response_metadata"), "usage"));
}

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/** LangChain's messages of one call, as messages of a chat. */
function chatMessages(batches: unknown): unknown {
  const messages: unknown = Array.isArray(batches) ? batches[0] : undefined;
  if (!Array.isArray(messages)) return undefined;
  return messages.filter(isRecord).map((message) => {
    const type = typeof message["getType"] === "function" ? String(message["getType"]()) : stringAt(message, "type");
    return { role: ROLES[type ?? ""] ?? "user", content: message["content"] };
  });
}
