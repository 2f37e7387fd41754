import type { Failure } from "../failure/failure.ts";
import { retryClass } from "../failure/policy.ts";
import type { RetryBudget } from "../route/route.ts";

/** Longest wait for an upstream's Retry-After while another candidate could be asked instead. */
const PATIENCE_MS = 5_000;
/** The same where there is nobody else: beyond it the caller is told when to come back instead. */
const LAST_PATIENCE_MS = 15_000;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;

/** What is left of a call's retries, per failure class, over all its candidates. */
export class RetryLedger {
  readonly #left: Record<keyof RetryBudget, number>;
  #taken = 0;

  constructor(budget: RetryBudget) {
    this.#left = { ...budget };
  }

  /**
   * Milliseconds to wait before the same candidate is asked again, or undefined where it must not be.
   * `remainingMs` is the time left until the call's deadline; `hasOther` says that another candidate waits.
   * Backoff is exponential with full jitter (AWS architecture blog, "Exponential Backoff And Jitter"),
   * and never shorter than the upstream's Retry-After.
   */
  take(reason: Failure, remainingMs: number, hasOther: boolean, random: () => number): number | undefined {
    const budgetClass = retryClass(reason);
    if (budgetClass === undefined || this.#left[budgetClass] <= 0) return undefined;
    // A candidate that stayed silent once is not asked again, whatever the network budget says.
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
