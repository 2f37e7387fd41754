/**
 * The neutral form of a chat call. Client dialects decode into it, upstream dialects encode from it. Where both are the
 * same dialect, the `native` body is passed along, so unknown fields survive.
 */
import type { Usage } from "../money/usage.ts";

export type DialectName = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

interface NativeBody {
  readonly dialect: DialectName;
  readonly body: Readonly<Record<string, unknown>>;
  /** Headers of the client that change how its body is read (`anthropic-beta`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Cache breakpoint after a part: Anthropic's `cache_control`; other dialects order their prompt by it. */
export interface CacheBreakpoint {
  readonly ttl: "5m" | "1h";
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly cache?: CacheBreakpoint | undefined;
}

/** Exactly one of `url` (https) and `data` (base64, with `mediaType`) is present. */
export interface MediaSource {
  readonly url?: string | undefined;
  readonly data?: string | undefined;
  readonly mediaType?: string | undefined;
}

export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
  readonly detail?: "auto" | "low" | "high" | "original" | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

export interface FilePart {
  readonly type: "file";
  readonly source: MediaSource;
  /** Provider-side file id, valid only on the dialect it came from. */
  readonly fileId?: string | undefined;
  readonly filename?: string | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

export interface AudioPart {
  readonly type: "audio";
  readonly source: MediaSource;
  readonly format?: string | undefined;
}

/** Thinking of an earlier turn, handed back with whatever signature its provider needs. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly signature?: string | undefined;
  /** Opaque encrypted thinking (Anthropic `redacted_thinking`, Responses `encrypted_content`). */
  readonly encrypted?: string | undefined;
  readonly id?: string | undefined;
  /** Dialect of the upstream that signed or encrypted it; only that dialect may be sent it. Absent where unknown. */
  readonly from?: DialectName | undefined;
  /** The tool call of the same turn that `signature` belongs to (Gemini). */
  readonly callId?: string | undefined;
}

/** A picture or a sound that the model made. */
export interface MediaPart {
  readonly type: "media";
  readonly kind: "image" | "audio";
  /** Base64. */
  readonly data: string;
  readonly mediaType: string;
  /** Transcript of the sound. */
  readonly transcript?: string | undefined;
}

export interface RefusalPart {
  readonly type: "refusal";
  readonly text: string;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it, never re-serialised; the free text where the tool is custom. */
  readonly arguments: string;
  /** The tool takes free text instead of JSON (`custom` in OpenAI's dialects). */
  readonly custom?: boolean | undefined;
  /** Call of the tool that contains it (Responses). */
  readonly namespace?: string | undefined;
  /** Gemini thought signature, carried as `extra_content.google.thought_signature` in the OpenAI shape. */
  readonly signature?: string | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

/** A part only its own dialect understands; any other dialect must report it as not carried. */
export interface NativePart {
  readonly type: "native";
  readonly dialect: DialectName;
  readonly value: unknown;
}

export type UserPart = TextPart | ImagePart | FilePart | AudioPart | NativePart;
export type AssistantPart = TextPart | ReasoningPart | RefusalPart | ToolCallPart | MediaPart | NativePart;

export type ChatMessage =
  | { readonly role: "system"; readonly content: readonly TextPart[] }
  | { readonly role: "developer"; readonly content: readonly TextPart[] }
  | { readonly role: "user"; readonly content: readonly UserPart[]; readonly name?: string | undefined }
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[]; readonly name?: string | undefined }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      /** Name of the function that was called, where the client or an earlier call gives it. */
      readonly toolName?: string | undefined;
      readonly content: readonly UserPart[];
      readonly isError?: boolean | undefined;
      readonly cache?: CacheBreakpoint | undefined;
    };

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: JsonSchema | undefined;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheBreakpoint | undefined;
  /** The tool takes free text instead of JSON, and has no parameters. */
  readonly custom?: boolean | undefined;
  /** Grammar of a custom tool's text, in the client's own form. */
  readonly format?: unknown;
  /** Group of tools it belongs to; its name is unique only there. */
  readonly namespace?: string | undefined;
}

export type ToolDefinition = FunctionTool | NativePart;
export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly name: string; readonly namespace?: string | undefined };

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly name: string;
      readonly description?: string | undefined;
      readonly schema: JsonSchema;
      readonly strict?: boolean | undefined;
    };

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface ReasoningOptions {
  readonly effort?: ReasoningEffort | undefined;
  readonly budgetTokens?: number | undefined;
  readonly summary?: string | undefined;
}

/** A field that the gateway itself leaves out, and why. */
interface DroppedByUs {
  readonly field: string;
  readonly why: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Text the engine adds for a coached rung; encoders append it to the system text. */
  readonly instructions?: string | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly choices?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly logprobs?: boolean | undefined;
  readonly topLogprobs?: number | undefined;
  readonly logitBias?: Readonly<Record<string, number>> | undefined;
  readonly reasoning?: ReasoningOptions | undefined;
  readonly serviceTier?: string | undefined;
  readonly user?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly stream: boolean;
  /**
   * True when the client asked for usage in its stream (`stream_options.include_usage`); upstreams are always asked for
   * it.
   */
  readonly includeUsage: boolean;
  /** The answer is kept here and not at the provider, so its thinking must come in a form that can be sent back. */
  readonly keepsThinking?: boolean | undefined;
  /** The client's own body. Canonical fields above win over it; only the same dialect may read it. */
  readonly native?: NativeBody | undefined;
  /**
   * Fields of the client's body without a neutral form, as paths (`store`, `messages[].name`). Only the client's own
   * dialect carries them, through `native`; every other upstream reports them as dropped.
   */
  readonly unmapped?: readonly string[] | undefined;
  /** Fields of the client's body that no upstream gets, whatever its dialect; reported as dropped. */
  readonly leftOut?: readonly DroppedByUs[] | undefined;
}

export type UnifiedFinish = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other";

export interface FinishReason {
  readonly unified: UnifiedFinish;
  /** The provider's own word. */
  readonly raw: string | undefined;
}

export interface AnswerChoice {
  readonly index: number;
  readonly content: readonly AssistantPart[];
  readonly finish: FinishReason;
  readonly logprobs?: unknown;
}

/** A complete answer. `native` is the upstream's body, served as it is to a client of the same dialect. */
export interface ChatAnswer {
  readonly id?: string | undefined;
  /** The model that the upstream reports as serving. */
  readonly model?: string | undefined;
  readonly created?: number | undefined;
  readonly choices: readonly AnswerChoice[];
  readonly usage?: Usage | undefined;
  /** The tier word of the provider (`default`, `flex`, `priority`, …). */
  readonly servedTier?: string | undefined;
  readonly native?: NativeBody | undefined;
}

/** True where the model or its provider withheld the answer, or ended it in order to withhold the rest. */
export function isRefused({ content, finish }: AnswerChoice): boolean {
  if (finish.unified === "content-filter") return true;
  if (finish.unified === "tool-calls" || !content.some((part) => part.type === "refusal")) return false;
  return content.every((part) => part.type !== "text" || part.text === "");
}

/** All visible text of a choice, joined. */
export function answerText(choice: AnswerChoice): string {
  let text = "";
  for (const part of choice.content) if (part.type === "text") text += part.text;
  return text;
}
