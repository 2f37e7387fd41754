import { isRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import { type ClientRecorder, clientRecorderOf, type ObservedCall } from "../records/client-recorder.ts";
import type { Rig } from "../surface.ts";
import { callFailure, canceled } from "./call-failure.ts";
import { countedUsage, providerNamed } from "./counted-usage.ts";
import type { WrapOptions } from "./wrap-options.ts";

/** A model of the AI SDK, as far as its calls are told apart by it. */
export interface AiSdkModel {
  /** `openai.responses`, `anthropic.messages`, … */
  readonly provider: string;
  readonly modelId: string;
}

/** Fits `wrapLanguageModel` and `wrapEmbeddingModel` of the package `ai`, versions 5 to 7. */
export interface AiSdkMiddleware {
  wrapGenerate<Result>(call: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: object;
    readonly model: AiSdkModel;
  }): Promise<Result>;
  wrapStream<Result>(call: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: object;
    readonly model: AiSdkModel;
  }): Promise<Result>;
  wrapEmbed<Result>(call: {
    readonly doEmbed: () => PromiseLike<Result>;
    readonly params: object;
    readonly model: AiSdkModel;
  }): Promise<Result>;
}

/**
 * Middleware of the AI SDK that records every call of a model, each retry and each step of a tool loop by itself. What the
 * caller gets stays what it was. Never throws.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-5.4-mini"), middleware: aiSdkMiddleware(rig) });
 * await generateText({ model, prompt: "hello" });
 */
export function aiSdkMiddleware(rig: Rig, options: WrapOptions = {}): AiSdkMiddleware {
  const recorder = clientRecorderOf(rig);
  if (!recorder) return UNTOUCHED;
  const whole = async <Result>(work: () => PromiseLike<Result>, { params, model }: Asked): Promise<Result> => {
    const call = new AiSdkCall(recorder, options, model, params, false);
    try {
      const result = await work();
      call.answered(isRecord(result) ? result : {});
      return result;
    } catch (cause) {
      call.failed(cause);
      throw cause;
    }
  };
  return {
    wrapGenerate: ({ doGenerate, ...asked }) => whole(doGenerate, asked),
    wrapEmbed: ({ doEmbed, ...asked }) => whole(doEmbed, asked),
    async wrapStream({ doStream, params, model }) {
      const call = new AiSdkCall(recorder, options, model, params, true);
      try {
        const result = await doStream();
        if (!isRecord(result) || !(result["stream"] instanceof ReadableStream)) return result;
        return { ...result, stream: watched(result["stream"], call) };
      } catch (cause) {
        call.failed(cause);
        throw cause;
      }
    },
  };
}

const UNTOUCHED: AiSdkMiddleware = {
  wrapGenerate: async ({ doGenerate }) => await doGenerate(),
  wrapStream: async ({ doStream }) => await doStream(),
  wrapEmbed: async ({ doEmbed }) => await doEmbed(),
};

interface Asked {
  readonly params: object;
  readonly model: AiSdkModel;
}

/** The same parts, seen as they are read. */
function watched(stream: ReadableStream<unknown>, call: AiSdkCall): ReadableStream<unknown> {
  const reader = stream.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            call.ended();
            controller.close();
          } else {
            call.part(value);
            controller.enqueue(value);
          }
        } catch (cause) {
          call.failed(cause);
          controller.error(cause);
        }
      },
      async cancel(reason) {
        call.left();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

class AiSdkCall {
  readonly #recorder: ClientRecorder;
  readonly #record: ReturnType<ClientRecorder["begin"]>;
  readonly #keepsText: boolean;
  readonly #common: Pick<ObservedCall, "provider" | "model" | "stream" | "startedAt">;
  readonly #params: object;
  #firstByteMs: number | undefined;
  #text = "";
  #last: Partial<ObservedCall> = {};
  #recorded = false;

  constructor(recorder: ClientRecorder, options: WrapOptions, model: AiSdkModel, params: object, stream: boolean) {
    this.#recorder = recorder;
    this.#record = recorder.begin(options);
    this.#keepsText = options.artifacts === true;
    this.#params = params;
    const provider = options.provider ?? providerNamed(String(model.provider));
    this.#common = { provider, model: String(model.modelId), stream, startedAt: recorder.now() };
  }

  /** A whole result: of a language model, or of an embedding model. */
  answered(result: Readonly<Record<string, unknown>>): void {
    const content = Array.isArray(result["content"]) ? result["content"] : [];
    const texts = content.map((part: unknown) => (stringAt(part, "type") === "text" ? stringAt(part, "text") : ""));
    this.#text = texts.join("");
    this.#finish({ ...this.#figures(result) });
  }

  part(part: unknown): void {
    this.#firstByteMs ??= this.#recorder.now() - this.#common.startedAt;
    const type = stringAt(part, "type");
    if (type === "text-delta" && this.#keepsText) this.#text += stringAt(part, "delta") ?? "";
    else if (type === "finish" && isRecord(part)) this.#last = this.#figures(part);
    else if (type === "error" && isRecord(part)) this.failed(part["error"]);
  }

  ended(): void {
    this.#finish(this.#last);
  }

  left(): void {
    this.#finish({ ...this.#last, failure: this.#last.finishReason === undefined ? canceled() : undefined });
  }

  failed(cause: unknown): void {
    this.#finish({ failure: callFailure(cause, this.#common.provider, this.#recorder.now()) });
  }

  #figures(told: Readonly<Record<string, unknown>>): Partial<ObservedCall> {
    const finish = told["finishReason"];
    return {
      usage: usageOf(told["usage"], this.#common.provider),
      finishReason: typeof finish === "string" ? finish : (stringAt(finish, "raw") ?? stringAt(finish, "unified")),
    };
  }

  #finish(figures: Partial<ObservedCall>): void {
    if (this.#recorded) return;
    this.#recorded = true;
    this.#record({
      ...this.#common,
      ...figures,
      latencyMs: this.#recorder.now() - this.#common.startedAt,
      firstByteMs: this.#firstByteMs,
      asked: this.#keepsText ? ("prompt" in this.#params ? this.#params.prompt : undefined) : undefined,
      answered: this.#keepsText ? this.#text : undefined,
    });
  }
}

/** Versions 6 and 7 count in groups and keep the provider's own object; version 5 counts flat; embeddings have one count. */
function usageOf(usage: unknown, provider: string): ObservedCall["usage"] {
  const [input, output] = [recordAt(usage, "inputTokens"), recordAt(usage, "outputTokens")];
  const embedded = numberAt(usage, "tokens");
  const counts = {
    input: numberAt(input, "total") ?? numberAt(usage, "inputTokens") ?? embedded,
    output: numberAt(output, "total") ?? numberAt(usage, "outputTokens") ?? (embedded === undefined ? undefined : 0),
    cacheRead: numberAt(input, "cacheRead") ?? numberAt(usage, "cachedInputTokens"),
    cacheWrite: numberAt(input, "cacheWrite"),
    reasoning: numberAt(output, "reasoning") ?? numberAt(usage, "reasoningTokens"),
  };
  return countedUsage(counts, provider, recordAt(usage, "raw"));
}
