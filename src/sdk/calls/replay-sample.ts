/** `rig.replay`: captured inputs of a route, asked again through one of its variants. Real calls, real bills. */
import type { FailureClass } from "../errors.ts";
import type { RunMeta } from "./result.ts";

export interface ReplayOptions {
  /** Default: the route as declared. */
  readonly variant?: string | undefined;
  /** Newest captures. Default 50. */
  readonly lastN?: number | undefined;
  /** Most that the whole pass may cost, dollars. */
  readonly envelopeUsd: number;
  /** Calls in flight. Default 4. */
  readonly concurrency?: number | undefined;
  /** Stops taking new inputs; calls in flight are finished, for they are paid for. */
  readonly signal?: AbortSignal | undefined;
}

/** One captured input, asked again. */
export interface ReplaySample {
  readonly captureId: string;
  /** `failed` also where the output broke the schema; `refused`: the envelope could not take it, and the pass ended there. */
  readonly outcome: "answered" | "failed" | "refused";
  readonly failureClass?: FailureClass | undefined;
  readonly output?: unknown;
  readonly text?: string | undefined;
  /** What was answered when it was captured. */
  readonly capturedText?: string | undefined;
  readonly meta: RunMeta;
}
