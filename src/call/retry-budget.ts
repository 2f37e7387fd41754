import type { Failure } from "../failure/failure.ts";
import { retryClass } from "../failure/policy.ts";
import type { RetryBudget } from "../route/route.ts";

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
