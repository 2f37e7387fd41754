/**
 * The closed set of ways a call can fail. Every attempt and every result carries at most one.
 * What the engine does next is decided from the class (see `policy.ts`), never from message text.
 */
export const FAILURE_CLASSES = [
  "content_invalid",
  "network",
  "capacity_shed",
  "server_error",
  "quota_exhausted",
  "auth",
  "bad_request",
  "content_filter",
  "budget_exhausted",
  "breaker_open",
  "no_candidate",
  "invariant_violation",
  "canceled",
  "rate_limited",
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Sub-reasons by failure class. A class without an entry has none. */
export const FAILURE_REASONS = [
  // content_invalid
  "unparseable",
  "schema_violation",
  "truncated",
  "empty",
  // network
  "connect",
  "reset",
  "timeout",
  "malformed_response",
  "unexpected_content",
  // bad_request
  "context_length",
  "schema_too_complex",
  "unsupported_parameter",
  "prefill_rejected",
  "model_not_found",
  // budget_exhausted
  "envelope_busy",
  "envelope_spent",
  "envelope_too_small",
  "envelope_unreachable",
  "reservation_conflict",
  "unpriced",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** One failure, as data. Functions return it instead of throwing, and it can be serialised. */
export interface Failure {
  readonly class: FailureClass;
  readonly reason?: FailureReason | undefined;
  /** Message for people; code never parses it. Contains no key material and no prompt or output text of a call. */
  readonly message: string;
  /** HTTP status the upstream answered with, where there was one. */
  readonly status?: number | undefined;
  /** The upstream's own structured code, kept as it came. */
  readonly code?: string | undefined;
  /** The request parameter at fault, as named by the upstream or the gateway. */
  readonly param?: string | undefined;
  /** True when the upstream stated that a retry is pointless (`x-should-retry: false`). */
  readonly final?: boolean | undefined;
  /** Milliseconds to wait at least before the same target is asked again. */
  readonly retryAfterMs?: number | undefined;
  /** Features of the request that cannot be served, in the words of the client's own dialect. */
  readonly unsupported?: readonly string[] | undefined;
  /** ISO instant at which a spent envelope opens again. */
  readonly resetsAt?: string | undefined;
}

type FailureDetails = Omit<Failure, "class" | "message">;

export function failure(failureClass: FailureClass, message: string, details: FailureDetails = {}): Failure {
  return { class: failureClass, message, ...details };
}

/** Result of a function that can fail in an expected way. */
export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error });
