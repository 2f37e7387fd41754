/** What the SDK throws. A call that failed is a `RigError`; a rig that cannot do what it is asked, a `RigConfigError`. */
import type { Failure, FailureClass, FailureReason } from "../failure/failure.ts";

export type { FailureClass, FailureReason } from "../failure/failure.ts";

/** One upstream request of a failed call. */
export interface AttemptSummary {
  readonly provider: string;
  readonly model: string;
  readonly rung: string;
  readonly latencyMs: number;
  readonly status?: number | undefined;
  readonly failureClass?: FailureClass | undefined;
  readonly reason?: FailureReason | undefined;
  readonly message?: string | undefined;
}

export interface FailedCall {
  /** `null` where nothing was called: the input did not fit, say. */
  readonly inferenceId: string | null;
  readonly attempts: readonly AttemptSummary[];
  /** Exact decimal dollars, nine places, of what the failed attempts cost; absent = unknown. */
  readonly costUsd?: string | undefined;
}

/**
 * A call that was not answered. Decide by `failureClass`, one of a closed set; the message is for people.
 *
 * @example
 * try {
 *   await rig.run("support.classify", { input: {} });
 * } catch (error) {
 *   if (!(error instanceof RigError)) throw error;
 *   console.error(error.failureClass, error.param, error.attempts.length);
 * }
 */
export class RigError extends Error implements FailedCall {
  override readonly name = "RigError" as const;
  readonly failureClass: FailureClass;
  readonly reason: FailureReason | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** What the caller sent wrongly, where it did. */
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** ISO instant at which a spent envelope opens again. */
  readonly resetsAt: string | undefined;
  readonly inferenceId: string | null;
  readonly attempts: readonly AttemptSummary[];
  readonly costUsd: string | undefined;

  constructor(failure: Failure, call: FailedCall = { inferenceId: null, attempts: [] }, cause?: unknown) {
    super(`${failure.class}: ${failure.message}`, cause === undefined ? {} : { cause });
    this.failureClass = failure.class;
    this.reason = failure.reason;
    this.status = failure.status;
    this.code = failure.code;
    this.param = failure.param;
    this.retryAfterMs = failure.retryAfterMs;
    this.resetsAt = failure.resetsAt;
    this.inferenceId = call.inferenceId;
    this.attempts = call.attempts;
    this.costUsd = call.costUsd;
  }
}

/**
 * A rig that is set up so that it cannot do what it is asked. `code` is stable; `fix` says what to do.
 *
 * @example
 * try {
 *   createRig({ routesDir: "no-such-folder" });
 * } catch (error) {
 *   if (!(error instanceof RigConfigError)) throw error;
 *   console.error(error.code, error.fix);
 * }
 */
export class RigConfigError extends Error {
  override readonly name = "RigConfigError" as const;
  /** Stable dotted code, e.g. `routes.not_found`. */
  readonly code: string;
  readonly fix: string | undefined;

  constructor(code: string, message: string, fix?: string, cause?: unknown) {
    super(fix === undefined ? message : `${message}; ${fix}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.fix = fix;
  }
}
