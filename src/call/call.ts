/** Input and result of one logical call. */
import type { EnvelopeClaim } from "../envelope/envelope.ts";
import type { Failure } from "../failure/failure.ts";
import type { NanoUsd } from "../money/nano-usd.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { Lane } from "../record/lane.ts";
import type { Candidate, Predicate, RetryBudget, Rung, Timeouts } from "../route/route.ts";
import type { ChatAnswer, ChatRequest, DialectName, JsonSchema } from "../wire/chat.ts";
import type { UpstreamDialect } from "../wire/dialect.ts";
import type { BodyInTransit } from "../wire/sse.ts";
import type { WireFrame } from "../wire/stream-event.ts";
import type { Inference } from "./inference.ts";

/** The owner of the call and how it is booked. */
export interface CallContext {
  readonly org: string;
  readonly keyId?: string | undefined;
  readonly lane: Lane;
  readonly route?: string | undefined;
  readonly routeHash?: string | undefined;
  readonly variant?: string | undefined;
  readonly arm?: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly run?: string | undefined;
  readonly step?: string | undefined;
}

/** The schema for the output and the rungs that may be used to reach it. */
export interface OutputRule {
  readonly schema: JsonSchema;
  readonly name: string;
  readonly ladder: readonly Rung[];
}

/** How the call may be tried: everything that a route, or the defaults of a raw call, determine. */
export interface CallPolicy {
  /** In ladder order. No other candidate can serve. */
  readonly candidates: readonly Candidate[];
  readonly require: readonly Predicate[];
  readonly retry: RetryBudget;
  readonly timeouts: Timeouts;
  readonly output?: OutputRule | undefined;
  readonly onContentFilter: "stop" | "next";
  readonly allowUnpriced: boolean;
  /** Trial candidates may serve (replay and bake-offs only). */
  readonly allowTrial: boolean;
  readonly stream: "live" | "validated";
  readonly serviceTier?: string | undefined;
}

export interface CallBudget {
  /** Checked locally, without an envelope object. */
  readonly perCall?: NanoUsd | undefined;
  /** Every other limit that covers the call. Empty = no reservation and no round trip. */
  readonly claims: readonly EnvelopeClaim[];
}

export interface CallInput {
  readonly context: CallContext;
  readonly policy: CallPolicy;
  readonly budget: CallBudget;
  /**
   * Returns the request for a candidate with these capabilities: `/v1/run` renders the template here, chat endpoints
   * return the caller's messages unchanged. A faulty input is a failure of the call.
   */
  readonly requestFor: (candidate: Candidate, capabilities: ModelCapabilities) => ChatRequest | Failure;
  /** How candidates are asked for something other than chat; undefined for candidates that do not offer it. */
  readonly dialectOf?: ((name: DialectName) => UpstreamDialect | undefined) | undefined;
  readonly stream: boolean;
  /** Absent = the host reads every frame of a stream. */
  readonly client?: StreamClient | undefined;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** How the client takes a stream. */
interface StreamClient {
  readonly dialect: DialectName;
  /** It asked for usage, or its dialect always has it. */
  readonly takesUsage: boolean;
  /** Comments are written to it on silence. */
  readonly keepAlive: boolean;
  /** The answer is kept here before its end is told. */
  readonly kept: boolean;
}

export type CallResult =
  | { readonly type: "answer"; readonly answer: ChatAnswer; readonly output?: unknown; readonly inference: Inference }
  | {
      readonly type: "stream";
      /** Identity of the answer, known from the first content on. */
      readonly head: StreamHead;
      readonly frames: FrameStream;
      /** Takes the place of `frames` where the stream may pass to `CallInput.client` as it is. */
      readonly unread?: UnreadStream | undefined;
      /** Resolves when the stream has ended for any reason. Never rejects. */
      readonly done: Promise<Inference>;
    }
  | { readonly type: "failure"; readonly failure: Failure; readonly inference: Inference };

/** Frames of an answer, read on demand; the last one contains an `error` or `end` event. */
export interface FrameStream {
  /**
   * Returns all frames that are available without waiting, at least one, so that a fast upstream costs one write per
   * piece and not per chunk; undefined after the last. Never rejects. One read at a time.
   */
  read(): Promise<readonly WireFrame[] | undefined>;
  /** Stops the upstream at once, because the consumer has gone. */
  cancel(): void;
}

export interface UnreadStream extends BodyInTransit {
  /**
   * Reads the copy until the answer is over, and books it. `passed` aborts once the client has all bytes or none follow.
   * Resolves to the failure with which the client's stream must end; undefined after a clean end.
   */
  follow(passed: AbortSignal): Promise<Failure | undefined>;
  /** Stops the upstream at once, because the client has gone. */
  cancel(): void;
}

export interface StreamHead {
  readonly inferenceId: string;
  readonly served: { readonly provider: string; readonly model: string };
  readonly rung: Inference["rung"];
  readonly attempts: number;
  readonly dropped: Inference["attempts"][number]["dropped"];
  /** Known before the first frame where the answer was held back until it was whole. */
  readonly cost?: NanoUsd | undefined;
  /** True when the answer was held back and is a refusal. */
  readonly failure?: Failure | undefined;
}
