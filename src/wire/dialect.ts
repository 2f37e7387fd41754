import type { Failure, Result } from "../failure/failure.ts";
import type { ProviderError } from "../failure/provider-error.ts";
import type { Usage } from "../money/usage.ts";
import type { ChatAnswer, ChatRequest, DialectName } from "./chat.ts";
import type { ClientTools } from "./fit/client-tools.ts";
import type { ModelFacts } from "./model-facts.ts";
import type { WireFrame } from "./stream-event.ts";

/** What a dialect needs to know of the upstream it encodes for. */
export interface WireTarget {
  readonly provider: string;
  readonly model: string;
  readonly quirks: Quirks;
  /** Most output tokens of the model, where known; for dialects that must send a limit. */
  readonly maxOutput?: number | undefined;
  readonly facts?: ModelFacts | undefined;
  /** The client's tools behind the function names that the model sees. */
  readonly clientTools?: ClientTools | undefined;
}

/**
 * How an upstream departs from its dialect's reference. Data, never `if (provider === …)`.
 * Every field's absence means the reference behaviour.
 */
export interface Quirks {
  /** Request fields the upstream refuses: left out and reported, not sent. */
  readonly omit?: readonly string[] | undefined;
  /** Name of the output limit. Default `max_tokens`, which every compatible upstream accepts. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | undefined;
  /** Takes `top_k`, which OpenAI's own API does not know. Default false: it is left out and reported. */
  readonly topK?: boolean | undefined;
  /** Honours `cache_control` on parts of messages. Default false: breakpoints of other dialects are reported. */
  readonly cacheBreakpoints?: boolean | undefined;
  /** Takes tools of type `custom`. Default false: they are sent as functions with one text argument. */
  readonly customTools?: boolean | undefined;
  /** Which ids of tool calls the upstream takes back; others are rewritten for its request. Default: any. */
  readonly callIds?: CallIdRule | undefined;
  /** Request fields under another name, e.g. `{ max_completion_tokens: "max_tokens" }`. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** The upstream refuses `stream_options`; it reports usage in streams by itself (Mistral). */
  readonly noStreamOptions?: boolean | undefined;
  /** Completion counts leave reasoning tokens out; add them (xAI, some DeepInfra models). */
  readonly outputExcludesReasoning?: boolean | undefined;
  /** Prompt counts leave cached tokens out; add them. */
  readonly inputExcludesCached?: boolean | undefined;
  /** The schema is enforced but not shown to the model: put it in the prompt too (Fireworks). */
  readonly coachNativeSchema?: boolean | undefined;
  /** Extra body fields always sent, e.g. OpenRouter's `provider.require_parameters` with a schema. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly extraBodyWithSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Model id patterns (regular expressions) of reasoning models that refuse sampling parameters. */
  readonly reasoningModels?: string | undefined;
  /** The role for system text on reasoning models. */
  readonly developerRole?: boolean | undefined;
  /** JSON schema keywords the upstream's strict mode refuses: moved into the description. */
  readonly schemaSubset?: SchemaSubset | undefined;
  /** URL path instead of the dialect's own; `{model}` is replaced. */
  readonly path?: string | undefined;
  readonly authHeader?: AuthHeader | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Ids that an upstream takes: characters, and how many of them. */
export interface CallIdRule {
  /** `word` = letters, digits, `_` and `-`. Default: any character. */
  readonly alphabet?: "alphanumeric" | "word" | undefined;
  readonly exact?: number | undefined;
  readonly most?: number | undefined;
}

export type SchemaSubset = "openai" | "anthropic" | "gemini";

/** Header that carries the API key; `{key}` in the value is replaced. Default `authorization: Bearer {key}`. */
export interface AuthHeader {
  readonly name: string;
  readonly value: string;
}

/** A request field the target cannot honour. Reported in a header and in telemetry. */
export interface DroppedField {
  readonly field: string;
  readonly why: string;
}

export interface EncodedRequest {
  /** Relative to the provider's base URL, with leading slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly dropped: readonly DroppedField[];
}

/** One decoded SSE event. */
export interface SseEvent {
  readonly event?: string | undefined;
  readonly data: string;
  /** The body was no event stream: `data` is all of it. */
  readonly body?: boolean | undefined;
}

/** Turns a provider's SSE events into frames. One instance per answer; not reusable. */
export interface StreamDecoder {
  decode(event: SseEvent): WireFrame;
  /** Called once when the bytes end. Reports a cut stream as an `error` event, else `end`. */
  finish(): WireFrame;
}

/** Upstream side of a dialect: pure functions over bodies; no I/O. */
export interface UpstreamDialect {
  readonly name: DialectName;
  /** Fails with `bad_request` where the request cannot be expressed and must not be sent without it. */
  encodeRequest(request: ChatRequest, target: WireTarget): Result<EncodedRequest>;
  /** Fails where a 200 body carries an error. `body` is parsed JSON. */
  decodeAnswer(body: unknown, target: WireTarget): Result<ChatAnswer>;
  /**
   * Returns the usage of a body that is no answer (an error, or an answer without content). Undefined where there is
   * none.
   */
  usageOf(body: unknown, target: WireTarget): Usage | undefined;
  streamDecoder(target: WireTarget): StreamDecoder;
  /** An answer with an error status. `now` (epoch ms) turns dates in headers into waits. */
  decodeError(
    status: number,
    headers: Headers,
    bodyText: string,
    target: Pick<WireTarget, "provider">,
    now: number,
  ): ProviderError;
}

/** The gateway's own account of a failed call. */
export interface ErrorDetails {
  readonly inferenceId?: string | undefined;
  /** Of a refusal, for which there is no inference. */
  readonly requestId?: string | undefined;
  /** One entry per upstream request that was sent. */
  readonly attempts: readonly unknown[];
}

/** Facts about the answer that the client gets besides its content. */
export interface ServedContext {
  /** One id per answer, ours. */
  readonly id: string;
  /** The model that really served. */
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** The client asked for usage in its stream. */
  readonly includeUsage: boolean;
  /** The client's request, for dialects whose answers repeat parts of it. */
  readonly asked?: ChatRequest | undefined;
  /** Unix seconds, for answers that say when they were complete; absent = `created`. */
  readonly now?: (() => number) | undefined;
  /** Present where the answer is to be kept here, so that its client can continue it. */
  readonly kept?: { readonly previous: string | undefined } | undefined;
  /** Told of content that the client's dialect has no form for, as `content.<kind>`. */
  readonly lost?: ((field: string) => void) | undefined;
}

/** The end of an answer, withheld until the answer is kept: from then on its client may refer to it. */
export interface HeldEnd {
  readonly answer: Readonly<Record<string, unknown>>;
  /** The SSE text of the end. */
  tell(kept: boolean): string;
}

/** Turns frames into SSE text for the client. One instance per answer. */
export interface StreamEncoder {
  /** The end that `encode` withheld, given once. Only where `ServedContext.kept` is set. */
  heldEnd?(): HeldEnd | undefined;
  /** Zero or more complete SSE events, LF framed; `""` when nothing is to be sent. */
  encode(frame: WireFrame): string;
  /** A protocol-correct error end: the client must see a failed stream, never a clean finish. */
  fail(failure: Failure, details: ErrorDetails): string;
}

/** Client side of a dialect: what our own endpoints speak. */
export interface IngressDialect {
  readonly name: DialectName;
  /** Header in which the dialect's own client libraries look for the id of a call. */
  readonly idHeader?: string;
  /** `model` is the client's model word, to be resolved by the endpoint. Fails with `bad_request` and `param`. */
  decodeRequest(
    body: Readonly<Record<string, unknown>>,
    headers?: Headers,
  ): Result<{ readonly model: string; readonly request: ChatRequest }>;
  encodeAnswer(answer: ChatAnswer, served: ServedContext): Record<string, unknown>;
  streamEncoder(served: ServedContext): StreamEncoder;
  /** Body of an error answer in the client's own shape. */
  encodeError(failure: Failure, details: ErrorDetails): Record<string, unknown>;
}
