/** What a failure changes: the state of one candidate within a call, and the retries that the call has left. */
import type { Failure } from "../failure/failure.ts";
import { afterFailure, type Onward, retryClass } from "../failure/policy.ts";
import type { RetryBudget, ServedRung } from "../route/route.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { DroppedField } from "../wire/dialect.ts";
import type { OutputRule } from "./call.ts";
import { withoutPrefill } from "./request-shape.ts";

export interface CandidateState {
  /** Rungs that are left, in ladder order; the next request uses the first. Never empty. */
  readonly rungs: readonly [ServedRung, ...ServedRung[]];
  readonly request: ChatRequest;
  /**
   * The rule that the answer must meet: the call's own, or JSON where the request asks for it and the API cannot
   * guarantee it.
   */
  readonly rule: OutputRule | undefined;
  readonly dropped: readonly DroppedField[];
  /** A breaker's probe; the next attempt reports its result. */
  readonly probeId: string | undefined;
}

/**
 * `ask`: send a changed request at once. `retry`: send the same again, if the call's budget has a retry left. Otherwise
 * the candidate is done.
 */
type AfterAttempt =
  | { readonly type: "ask" | "retry"; readonly state: CandidateState }
  | { readonly type: "done"; readonly onward: Exclude<Onward, "retry-or-next"> };

export function afterAttempt(state: CandidateState, reason: Failure, onContentFilter: "stop" | "next"): AfterAttempt {
  const [, lower, ...lowest] = state.rungs;
  const asked = { ...state, probeId: undefined };
  if (reason.reason === "schema_too_complex" && lower !== undefined) {
    return { type: "ask", state: { ...asked, rungs: [lower, ...lowest] } };
  }
  const bare = reason.reason === "prefill_rejected" ? withoutPrefill(state.request) : undefined;
  if (bare) {
    const left = { field: "messages", why: "the assistant prefill was refused and left out" };
    return { type: "ask", state: { ...asked, request: bare, dropped: [...state.dropped, left] } };
  }
  const onward = onwardAfter(reason, onContentFilter);
  return onward === "retry-or-next" ? { type: "retry", state: asked } : { type: "done", onward };
}

function onwardAfter(reason: Failure, onContentFilter: "stop" | "next"): Onward {
  // Our own encoder refused and nothing was sent: this candidate cannot take the request, but another may.
  if (reason.class === "bad_request" && reason.status === undefined) return "next";
  if (reason.reason === "schema_too_complex") return "next";
  if (reason.class === "content_filter" && onContentFilter === "next") return "next";
  return afterFailure(reason);
}

/** Longest wait for an upstream's Retry-After while another candidate could be tried instead, milliseconds. */
const PATIENCE_MS = 5_000;
/** The same where no other candidate is left. Beyond it the caller gets the time of a later retry. */
const LAST_PATIENCE_MS = 15_000;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;

/** Retries that a call has left, per failure class, over all its candidates. */
export class RetryLedger {
  readonly #left: Record<keyof RetryBudget, number>;
  #taken = 0;

  constructor(budget: RetryBudget) {
    this.#left = { ...budget };
  }

  /**
   * Returns the milliseconds to wait before the same candidate is asked again, or undefined where it must not be.
   * `remainingMs` is the time until the call's deadline; `hasOther` is true when another candidate is left. Backoff is
   * exponential with full jitter (AWS architecture blog, "Exponential Backoff And Jitter") and never shorter than the
   * upstream's Retry-After.
   */
  take(reason: Failure, remainingMs: number, hasOther: boolean, random: () => number): number | undefined {
    const budgetClass = retryClass(reason);
    if (budgetClass === undefined || this.#left[budgetClass] <= 0) return undefined;
    // A candidate that timed out once is not asked again, whatever the network budget is.
    if (reason.reason === "timeout") return undefined;
    const asked = reason.retryAfterMs ?? 0;
    const backoff = random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#taken);
    const wait = budgetClass === "content_invalid" ? 0 : Math.max(asked, Math.round(backoff));
    if (wait >= remainingMs || wait > (hasOther ? PATIENCE_MS : LAST_PATIENCE_MS)) return undefined;
    this.#left[budgetClass] -= 1;
    this.#taken += 1;
    return wait;
  }
}
