import type { Failure, FailureClass, FailureReason } from "./failure.ts";

/**
 * What the engine does after a failure. `retry-or-next` asks the same candidate again while its class has retries left.
 */
export type Onward = "retry-or-next" | "next" | "next-larger-window" | "stop";

/** Effect of a failure on the breaker. `trip` opens the provider's breaker at once. */
type BreakerEffect = "failure" | "neutral" | "trip";

/** Failure classes with a retry budget of their own. */
type RetryClass = Extract<FailureClass, "content_invalid" | "network" | "capacity_shed" | "server_error">;

interface Rule {
  readonly onward: Onward;
  readonly breaker: BreakerEffect;
}

const RULES: Readonly<Record<FailureClass, Rule>> = {
  content_invalid: { onward: "retry-or-next", breaker: "neutral" },
  network: { onward: "retry-or-next", breaker: "failure" },
  capacity_shed: { onward: "retry-or-next", breaker: "failure" },
  server_error: { onward: "retry-or-next", breaker: "failure" },
  // Waiting solves neither, and every route of the org uses the same account.
  quota_exhausted: { onward: "next", breaker: "trip" },
  auth: { onward: "next", breaker: "trip" },
  breaker_open: { onward: "next", breaker: "neutral" },
  // The caller has to correct the request; another model would only hide the mistake.
  bad_request: { onward: "stop", breaker: "neutral" },
  content_filter: { onward: "stop", breaker: "neutral" },
  budget_exhausted: { onward: "stop", breaker: "neutral" },
  no_candidate: { onward: "stop", breaker: "neutral" },
  invariant_violation: { onward: "stop", breaker: "neutral" },
  canceled: { onward: "stop", breaker: "neutral" },
  // The gateway refused the call: another candidate would evade the limit, and the upstream was not asked.
  rate_limited: { onward: "stop", breaker: "neutral" },
};

const ONWARD_BY_REASON: Partial<Record<FailureReason, Onward>> = {
  context_length: "next-larger-window",
  // The next candidate may know a model name that this provider does not.
  model_not_found: "next",
  unexpected_content: "next",
};

/** Reasons caused by an address or a name. Every call meets them, so they do not show the upstream's health. */
const BREAKER_BY_REASON: Partial<Record<FailureReason, BreakerEffect>> = { unexpected_content: "neutral" };

/** A route with `on_content_filter: next` overrides the answer for `content_filter`. */
export function afterFailure(reason: Failure): Onward {
  const byReason = reason.reason && ONWARD_BY_REASON[reason.reason];
  const onward = byReason ?? RULES[reason.class].onward;
  return onward === "retry-or-next" && reason.final ? "next" : onward;
}

/**
 * Returns the retry budget that a retry of this failure uses, or undefined where the same candidate must not be
 * retried.
 */
export function retryClass(reason: Failure): RetryClass | undefined {
  return isRetryClass(reason.class) ? reason.class : undefined;
}

export function countsAgainstBreaker(reason: Failure): BreakerEffect {
  return (reason.reason && BREAKER_BY_REASON[reason.reason]) ?? RULES[reason.class].breaker;
}

function isRetryClass(failureClass: FailureClass): failureClass is RetryClass {
  return RULES[failureClass].onward === "retry-or-next";
}
