/**
 * The functions of the seam that read one client's answers, in TypeScript; `seam.ts` puts together those that a pipeline
 * needs. They state the fields they read and no package's types, so that they fit every version of a client that has them.
 */
import { OPENAI_PARTS } from "./seam-openai.ts";

/** By function name. */
export const SEAM_PARTS: Readonly<Record<string, string>> = {
  asked: `/** What was asked, as the messages of a chat: an eval case can then be made of it. */
export function asked(request: { instructions?: unknown; system?: unknown; prompt?: unknown; input?: unknown; messages?: unknown }): unknown {
  const { instructions, system = instructions, prompt, input = prompt, messages = input } = request;
  const first = system === undefined || system === null ? [] : [{ role: "system", content: system }];
  return [...first, ...(Array.isArray(messages) ? messages : [{ role: "user", content: messages }])];
}
`,
  ...OPENAI_PARTS,
  fromMessage: `interface MessageUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens?: number | null | undefined;
  cache_creation_input_tokens?: number | null | undefined;
}

/** Anthropic counts what was read from and written to the cache beside \`input_tokens\`; here they are part of the input. */
function messageUsage(usage: MessageUsage): Call["usage"] {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return {
    tokensIn: usage.input_tokens + read + written,
    tokensOut: usage.output_tokens,
    ...(usage.cache_read_input_tokens != null ? { tokensCached: read } : {}),
    ...(usage.cache_creation_input_tokens != null ? { cacheWriteTokens: written } : {}),
  };
}

/** An answer of Anthropic's Messages. */
export function fromMessage(
  answer: { model: string; stop_reason: string | null; usage: MessageUsage; content: readonly { type: string }[]; parsed_output?: unknown },
  provider: string,
): Answered {
  const text = answer.content.map((block) => ("text" in block && typeof block.text === "string" ? block.text : "")).join("");
  const finished = answer.stop_reason !== null ? { finishReason: answer.stop_reason } : {};
  return {
    rawText: text || JSON.stringify(answer.content),
    json: answer.parsed_output ?? parsedJson(text) ?? answer.content,
    calls: [{ provider, model: answer.model, usage: messageUsage(answer.usage), ...finished }],
  };
}
`,
  collectMessage: `/** Collects the events of a message: the input is counted on the first, the output on the last but one. */
export function collectMessage(provider: string) {
  let text = "";
  let model = "unknown";
  let usage: MessageUsage | undefined;
  let finish: string | undefined;
  return {
    add(event: {
      type: string;
      message?: { model: string; usage: MessageUsage } | undefined;
      delta?: object | undefined;
      usage?: { output_tokens: number } | undefined;
    }): void {
      if (event.message) {
        model = event.message.model;
        usage = event.message.usage;
      }
      if (event.usage && usage) usage = { ...usage, output_tokens: event.usage.output_tokens };
      const delta = event.delta;
      if (delta && "text" in delta && typeof delta.text === "string") text += delta.text;
      if (delta && "stop_reason" in delta && typeof delta.stop_reason === "string") finish = delta.stop_reason;
    },
    answer(): Answered {
      const finished = finish !== undefined ? { finishReason: finish } : {};
      const counted = usage !== undefined ? { usage: messageUsage(usage) } : {};
      return { rawText: text, json: parsedJson(text), calls: [{ provider, model, stream: true, ...counted, ...finished }] };
    },
  };
}
`,
  fromContent: `interface ContentLike {
  text?: string | undefined;
  modelVersion?: string | undefined;
  candidates?: readonly { finishReason?: string | undefined; content?: unknown }[] | undefined;
  usageMetadata?:
    | {
        promptTokenCount?: number | undefined;
        candidatesTokenCount?: number | undefined;
        thoughtsTokenCount?: number | undefined;
        cachedContentTokenCount?: number | undefined;
      }
    | undefined;
}

/** An answer of Gemini. Thoughts are counted beside the candidates; here they are part of the output. */
export function fromContent(answer: ContentLike, provider: string): Answered {
  const used = answer.usageMetadata;
  const finish = answer.candidates?.[0]?.finishReason;
  const text = answer.text;
  return {
    rawText: text ?? JSON.stringify(answer.candidates ?? null),
    json: parsedJson(text) ?? answer.candidates?.[0]?.content,
    calls: [
      {
        provider,
        model: answer.modelVersion ?? "unknown",
        usage: {
          tokensIn: used?.promptTokenCount,
          tokensOut: (used?.candidatesTokenCount ?? 0) + (used?.thoughtsTokenCount ?? 0),
          ...(used?.cachedContentTokenCount !== undefined ? { tokensCached: used.cachedContentTokenCount } : {}),
          ...(used?.thoughtsTokenCount !== undefined ? { reasoningTokens: used.thoughtsTokenCount } : {}),
        },
        ...(finish !== undefined ? { finishReason: finish } : {}),
      },
    ],
  };
}
`,
  collectContent: `/** Collects the parts of an answer of Gemini; the last one holds the usage. */
export function collectContent(provider: string) {
  let text = "";
  let last: ContentLike = {};
  return {
    add(part: ContentLike): void {
      text += part.text ?? "";
      last = part;
    },
    answer(): Answered {
      return fromContent({ ...last, text, candidates: last.candidates, usageMetadata: last.usageMetadata, modelVersion: last.modelVersion }, provider);
    },
  };
}
`,
  fromGenerated: `interface GeneratedUsage {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined } | undefined;
  outputTokenDetails?: { reasoningTokens?: number | undefined } | undefined;
  /** Of version 5. */
  cachedInputTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** Of version 4. */
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
}

function generatedUsage(usage: GeneratedUsage): Call["usage"] {
  const cached = usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens;
  const written = usage.inputTokenDetails?.cacheWriteTokens;
  const reasoning = usage.outputTokenDetails?.reasoningTokens ?? usage.reasoningTokens;
  return {
    tokensIn: usage.inputTokens ?? usage.promptTokens,
    tokensOut: usage.outputTokens ?? usage.completionTokens,
    ...(cached !== undefined ? { tokensCached: cached } : {}),
    ...(written !== undefined ? { cacheWriteTokens: written } : {}),
    ...(reasoning !== undefined ? { reasoningTokens: reasoning } : {}),
  };
}

interface Generated {
  text?: string | undefined;
  object?: unknown;
  finishReason: string;
  usage: GeneratedUsage;
  response: { modelId: string };
  /** Where tools were called there is one model call for each step. */
  steps?: readonly { finishReason: string; usage: GeneratedUsage; response: { modelId: string } }[] | undefined;
}

/** A result of \`generateText\` or \`generateObject\`; an object has been held against its schema. */
export function fromGenerated(answer: Generated, provider: string): Answered {
  const whole = "object" in answer && answer.object !== undefined;
  const text = whole ? JSON.stringify(answer.object) : (answer.text ?? "");
  return {
    rawText: text,
    json: whole ? answer.object : parsedJson(text),
    ...(whole ? { conforms: true } : {}),
    calls: (answer.steps?.length ? answer.steps : [answer]).map(({ finishReason, usage, response }) => ({
      provider,
      model: response.modelId,
      usage: generatedUsage(usage),
      finishReason,
    })),
  };
}
`,
  fromStreamed: `type Promised<T> = { readonly [Key in keyof T]: PromiseLike<T[Key]> };

/** A result of \`streamText\` or \`streamObject\` whose stream was read to its end. */
export async function fromStreamed(
  result: Promised<Pick<Generated, "finishReason" | "usage" | "response">> & {
    readonly text?: PromiseLike<string>;
    readonly object?: PromiseLike<unknown>;
    readonly steps?: PromiseLike<Generated["steps"]>;
  },
  provider: string,
): Promise<Answered> {
  const [text, object, steps] = [await result.text, await result.object, await result.steps];
  const [finishReason, usage, response] = [await result.finishReason, await result.usage, await result.response];
  return fromGenerated({ text, object, steps, finishReason, usage, response }, provider);
}

/** As \`recordStep\`, for what has to be waited for. Never throws. */
export async function recordStreamed(stepKey: string, work: () => Promise<StepWork>): Promise<void> {
  if (rig === null) return;
  try {
    const done = await work();
    recordStep(stepKey, () => done);
  } catch (cause) {
    complain(stepKey, cause);
  }
}
`,
  fromEmbedded: `/** A result of \`embed\` or \`embedMany\`, which do not name their model. */
export function fromEmbedded(
  answer: { usage: { tokens: number }; embeddings?: readonly unknown[] | undefined },
  provider: string,
  model = "unknown",
): Answered {
  const json = { embeddings: answer.embeddings?.length ?? 1 };
  return { rawText: JSON.stringify(json), json, calls: [{ provider, model, usage: { tokensIn: answer.usage.tokens, tokensOut: 0 } }] };
}
`,
  watchModels: `interface ModelOutput {
  generations?: readonly (readonly { text?: string; message?: unknown; generationInfo?: unknown }[])[];
}

/**
 * A LangChain callback handler that notes every model call of a chain or an agent: what its parsers answer no longer has the
 * usage. \`provider\` and \`model\` are what the code says; a message that names its own model wins.
 */
export function watchModels(provider: string, model = "unknown") {
  const calls: Call[] = [];
  const started = new Map<string, number>();
  let streamed = "";
  let lastText = "";
  const begin = (runId: string): void => void started.set(runId, Date.now());
  return {
    name: "modelrig",
    handleChatModelStart: (_model: unknown, _messages: unknown, runId: string): void => begin(runId),
    handleLLMStart: (_model: unknown, _prompts: unknown, runId: string): void => begin(runId),
    handleLLMEnd(output: ModelOutput, runId: string): void {
      const generation = output.generations?.[0]?.[0];
      const used = (...path: string[]): unknown => field(generation?.message, "usage_metadata", ...path);
      const said = (name: string): unknown => field(generation?.message, "response_metadata", name);
      const finish = said("finish_reason") ?? said("stop_reason") ?? said("finishReason");
      const [tokensIn, tokensOut] = [used("input_tokens"), used("output_tokens")];
      const [cached, written] = [used("input_token_details", "cache_read"), used("input_token_details", "cache_creation")];
      const reasoning = used("output_token_details", "reasoning");
      const named = said("model_name") ?? said("model");
      lastText = generation?.text ?? "";
      calls.push({
        provider,
        model: typeof named === "string" ? named : model,
        usage: {
          ...(typeof tokensIn === "number" ? { tokensIn } : {}),
          ...(typeof tokensOut === "number" ? { tokensOut } : {}),
          ...(typeof cached === "number" ? { tokensCached: cached } : {}),
          ...(typeof written === "number" ? { cacheWriteTokens: written } : {}),
          ...(typeof reasoning === "number" ? { reasoningTokens: reasoning } : {}),
        },
        latencyMs: Date.now() - (started.get(runId) ?? Date.now()),
        ...(typeof finish === "string" ? { finishReason: finish } : {}),
      });
    },
    /** A chunk of a stream. */
    add(chunk: unknown): void {
      streamed += typeof chunk === "string" ? chunk : textOfMessage(chunk);
    },
    /** What the chain answered; without it, what was streamed. */
    answer(answer?: unknown): Answered {
      const content = answer === undefined ? streamed : typeof answer === "string" ? answer : textOfMessage(answer);
      const message = answer === undefined || typeof answer === "string" || field(answer, "content") !== undefined;
      return { rawText: lastText || content, json: message ? parsedJson(content) : answer, calls };
    },
  };
}

function field(value: unknown, ...path: string[]): unknown {
  let at = value;
  for (const name of path) at = typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined;
  return at;
}

function textOfMessage(value: unknown): string {
  const content = field(value, "content");
  return typeof content === "string" ? content : JSON.stringify(content ?? value ?? null);
}
`,
};

/** What a part is written with the help of. */
export const PART_NEEDS: Readonly<Record<string, readonly string[]>> = {
  collectChat: ["fromChatCompletion"],
  collectResponse: ["fromResponse"],
  collectMessage: ["fromMessage"],
  collectContent: ["fromContent"],
  fromStreamed: ["fromGenerated"],
};
