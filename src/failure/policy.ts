import type { Failure, FailureClass, FailureReason } from "./failure.ts";

/** What the ladder does after a failure. `retry-or-next` asks the same candidate again while its class's budget lasts. */
export type Onward = "retry-or-next" | "next" | "next-larger-window" | "stop";

/** What a failure says about the health of the upstream. `trip` opens the provider's breaker at once. */
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
  // Waiting cures neither, and every route of the org meets the same account.
  quota_exhausted: { onward: "next", breaker: "trip" },
  auth: { onward: "next", breaker: "trip" },
  breaker_open: { onward: "next", breaker: "neutral" },
  // The caller's fault is the caller's to see: another model would only hide it.
  bad_request: { onward: "stop", breaker: "neutral" },
  content_filter: { onward: "stop", breaker: "neutral" },
  budget_exhausted: { onward: "stop", breaker: "neutral" },
  no_candidate: { onward: "stop", breaker: "neutral" },
  invariant_violation: { onward: "stop", breaker: "neutral" },
  canceled: { onward: "stop", breaker: "neutral" },
  // Refused by this gateway: another candidate would only evade the limit, and no upstream was asked.
  rate_limited: { onward: "stop", breaker: "neutral" },
};

const ONWARD_BY_REASON: Partial<Record<FailureReason, Onward>> = {
  context_length: "next-larger-window",
  // A name that one provider does not know says nothing of the next candidate's.
  model_not_found: "next",
  unexpected_content: "next",
};

/** Faults of an address or a name, the same at every call: they say nothing of the upstream's health. */
const BREAKER_BY_REASON: Partial<Record<FailureReason, BreakerEffect>> = { unexpected_content: "neutral" };

/** A route with `on_content_filter: next` overrides the answer for `content_filter`. */
export function afterFailure(reason: Failure): Onward {
  const byReason = reason.reason && ONWARD_BY_REASON[reason.reason];
  const onward = byReason ?? RULES[reason.class].onward;
  return onward === "retry-or-next" && reason.final ? "next" : onward;
}

/** The budget a retry of this failure is drawn from; undefined where it must not be retried on the same candidate. */
export function retryClass(reason: Failure): RetryClass | undefined {
  return isRetryClass(reason.class) ? reason.class : undefined;
}

export function countsAgainstBreaker(reason: Failure): BreakerEffect {
  return (reason.reason && BREAKER_BY_REASON[reason.reason]) ?? RULES[reason.class].breaker;
}

function isRetryClass(failureClass: FailureClass): failureClass is RetryClass {
  return RULES[failureClass].onward === "retry-or-next";
}
