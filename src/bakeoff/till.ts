/** Who waits for room in the envelopes of a bake-off, and when waiting is in vain. */

/** A call that was asked: what it came to, and whether an envelope refused it. */
export interface Asked {
  /** Reason of the refusal; absent = it was taken, whatever came of it. */
  readonly refused?: string | undefined;
  /** Requests that went upstream before it was refused. */
  readonly attempts: number;
}

export type Insisted<T> =
  /** `spent`: there is no room and none will come. `stopped`: somebody else found that out, or the run ends. */
  { readonly end: "taken" | "spent" | "stopped"; readonly last: T };

/** What the calls of one arm, or of the judge, may still do. */
export interface Purse {
  /** No further call: it is spent, or the run ends. */
  readonly stopped: () => boolean;
  readonly spend: (refused: string) => void;
}

export class Till {
  #executing = 0;
  /** Calls that ended and settled: each may have made room. */
  #finished = 0;
  #waiters: (() => void)[] = [];

  /** Asks until the envelopes take it. A refusal that may pass waits for calls in flight; any other spends the purse. */
  async insist<T extends Asked>(ask: (earlier: T | undefined) => Promise<T>, purse: Purse): Promise<Insisted<T>> {
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
      if (purse.stopped()) return { end: "stopped", last };
      const paidNow = last.attempts > (earlier?.attempts ?? 0);
      const idle = this.#executing === 0 && this.#finished === before;
      // Refused midway, it has settled what it paid for: that may be the room another one waits for.
      const mayPass = !idle || (paidNow && this.#wake() > 0);
      if (last.refused !== "envelope_busy" || !mayPass) {
        // Before anyone else is woken to find out the same.
        purse.spend(last.refused);
        this.#wake();
        return { end: "spent", last };
      }
      if (this.#finished === before) await new Promise<void>((resolve) => this.#waiters.push(resolve));
      if (purse.stopped()) return { end: "stopped", last };
      earlier = last;
    }
  }

  /** Answers how many were waiting. */
  #wake(): number {
    const waiters = this.#waiters.splice(0);
    for (const resolve of waiters) resolve();
    return waiters.length;
  }
}
