import type { Failure, FailureClass } from "./failure.ts";

/** HTTP form of a failure: status, fields of an OpenAI error object, and headers that control retries of clients. */
interface HttpError {
  readonly status: number;
  readonly type: "invalid_request_error" | "insufficient_quota" | "rate_limit_error" | "content_error" | "api_error";
  readonly code: string;
  /**
   * `retry-after` (whole seconds, rounded up) and `retry-after-ms` where a wait is known or needed, and
   * `x-should-retry` where the status alone would mislead clients. The official OpenAI and Anthropic clients obey all
   * three.
   */
  readonly headers: Readonly<Record<string, string>>;
}

interface Rule {
  readonly status: number;
  readonly type: HttpError["type"];
  readonly code: string;
  /** Overrides what clients decide from the status alone (they retry 408, 409, 429 and 5xx). */
  readonly retry?: boolean;
  /** Milliseconds to wait where the failure states none. */
  readonly waitMs?: number;
}

/**
 * HTTP form by class. By the time a client sees a failure, the engine has used up its retries and its other candidates.
 */
const RULES: Readonly<Record<FailureClass, Rule>> = {
  content_invalid: { status: 422, type: "content_error", code: "content_invalid" },
  network: { status: 502, type: "api_error", code: "upstream_unreachable" },
  capacity_shed: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded", waitMs: 1_000 },
  server_error: { status: 502, type: "api_error", code: "upstream_error" },
  // The provider refused the gateway's account, not the caller's key: neither 401 nor 402 fits, and a retry is
  // pointless.
  quota_exhausted: { status: 503, type: "api_error", code: "upstream_quota_exhausted", retry: false },
  auth: { status: 502, type: "api_error", code: "upstream_auth", retry: false },
  bad_request: { status: 400, type: "invalid_request_error", code: "bad_request" },
  content_filter: { status: 400, type: "invalid_request_error", code: "content_filter" },
  budget_exhausted: { status: 402, type: "insufficient_quota", code: "budget_exhausted" },
  breaker_open: { status: 503, type: "api_error", code: "breaker_open", waitMs: 1_000 },
  no_candidate: { status: 503, type: "api_error", code: "no_candidate", retry: false },
  invariant_violation: { status: 400, type: "invalid_request_error", code: "invariant_violation" },
  // The client has disconnected. The number appears in logs only (nginx's "client closed request").
  canceled: { status: 499, type: "api_error", code: "canceled", retry: false },
  rate_limited: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded", waitMs: 1_000 },
};

/** Reasons whose HTTP form differs from that of their class. `code` is what clients of the OpenAI API test for. */
const BY_REASON: Partial<Record<NonNullable<Failure["reason"]>, Partial<Rule>>> = {
  timeout: { status: 504, code: "upstream_timeout" },
  context_length: { code: "context_length_exceeded" },
  model_not_found: { status: 404, code: "model_not_found" },
  // Budget becomes free when running calls settle, so this 402 can be retried.
  envelope_busy: { retry: true, waitMs: 1_000 },
  envelope_unreachable: { retry: true, waitMs: 1_000 },
};

/** Returns the HTTP form of a failure. A request body over the size limit is `bad_request` with status 413. */
export function httpError(reason: Failure): HttpError {
  const special = reason.reason && BY_REASON[reason.reason];
  const rule: Rule = { ...RULES[reason.class], ...special };
  const tooLarge = reason.class === "bad_request" && reason.reason === undefined && reason.status === 413;
  return {
    status: tooLarge ? 413 : rule.status,
    type: rule.type,
    code: tooLarge ? "request_too_large" : (special?.code ?? reason.reason ?? rule.code),
    headers: headersOf(rule, reason.retryAfterMs),
  };
}

function headersOf(rule: Rule, retryAfterMs: number | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  const wait = retryAfterMs ?? rule.waitMs;
  if (wait !== undefined) {
    headers["retry-after"] = String(Math.ceil(wait / 1000));
    headers["retry-after-ms"] = String(Math.ceil(wait));
  }
  if (rule.retry !== undefined) headers["x-should-retry"] = String(rule.retry);
  return headers;
}
