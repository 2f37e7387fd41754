/** What one run may use up: time, and round trips, which platforms limit per invocation. */
export class WorkBudget {
  readonly #now: () => number;
  readonly #deadline: number;
  #steps: number;

  /** `deadline` in epoch milliseconds. */
  constructor(now: () => number, deadline: number, steps: number) {
    this.#now = now;
    this.#deadline = deadline;
    this.#steps = steps;
  }

  /** Takes one step; false where there is none left, or no time. */
  take(): boolean {
    if (this.spent) return false;
    this.#steps -= 1;
    return true;
  }

  get spent(): boolean {
    return this.#steps <= 0 || this.#now() >= this.#deadline;
  }

  /** An equal share among `sharers`; what it leaves comes back with `giveBack`. */
  share(sharers: number): WorkBudget {
    const steps = Math.ceil(this.#steps / Math.max(1, sharers));
    this.#steps -= steps;
    return new WorkBudget(this.#now, this.#deadline, steps);
  }

  giveBack(share: WorkBudget): void {
    this.#steps += share.#steps;
    share.#steps = 0;
  }
}
