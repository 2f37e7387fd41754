/** Waits until a reservation frees enough of the budget; gives up when none can. */

/** One try at a call: whether an envelope refused it, and what it had paid for by then. */
export interface Asked {
  /** Reason of the refusal; absent = it was taken, whatever came of it. */
  readonly refused?: string | undefined;
  /** Requests that went upstream before it was refused. */
  readonly attempts: number;
}

type WaitEnd<T> =
  /** `spent`: there is no room and none will come. `stopped`: another call found that out, or the run ends. */
  { readonly end: "taken" | "spent" | "stopped"; readonly last: T };

/** Whether the calls of one arm, or of the judge, may go on. */
export interface ArmBudget {
  /** No further call: it is spent, or the run ends. */
  readonly stopped: () => boolean;
  readonly spend: (refused: string) => void;
}

export class BudgetWaiter {
  #executing = 0;
  /** Calls that ended and settled: each may have made room. */
  #finished = 0;
  #waiters: (() => void)[] = [];

  /** Asks until the envelopes take it. A refusal that may pass waits for calls in flight; any other ends the budget. */
  async untilTaken<T extends Asked>(
    ask: (earlier: T | undefined) => Promise<T>,
    budget: ArmBudget,
  ): Promise<WaitEnd<T>> {
    let earlier: T | undefined;
    for (;;) {
      const before = this.#finished;
      this.#executing += 1;
      const last = await ask(earlier);
      this.#executing -= 1;
      if (last.refused === undefined) {
        this.#finished += 1;
        this.#wake();
        return { end: "taken", last };
      }
      if (budget.stopped()) return { end: "stopped", last };
      const paidNow = last.attempts > (earlier?.attempts ?? 0);
      const idle = this.#executing === 0 && this.#finished === before;
      // Refused midway, it has settled what it paid for: that may be the room another one waits for.
      const mayPass = !idle || (paidNow && this.#wake() > 0);
      if (last.refused !== "envelope_busy" || !mayPass) {
        // Before anyone else is woken to find out the same.
        budget.spend(last.refused);
        this.#wake();
        return { end: "spent", last };
      }
      if (this.#finished === before) await new Promise<void>((resolve) => this.#waiters.push(resolve));
      if (budget.stopped()) return { end: "stopped", last };
      earlier = last;
    }
  }

  /** Returns how many were waiting. */
  #wake(): number {
    const waiters = this.#waiters.splice(0);
    for (const resolve of waiters) resolve();
    return waiters.length;
  }
}
