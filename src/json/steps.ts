/** Work that is counted, so that what one caller sends cannot hold the isolate. */

/** The limit of steps was reached before there was an answer. */
export class TooManySteps extends RangeError {
  override readonly name = "TooManySteps" as const;
  readonly limit: number;

  constructor(limit: number) {
    super(`more than ${limit} steps`);
    this.limit = limit;
  }
}

/** Steps that one job may take: about 100 to 200 ms of an isolate. */
const MOST_STEPS = 5_000_000;

export class Steps {
  readonly limit: number;
  #taken = 0;

  constructor(limit = MOST_STEPS) {
    this.limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts `steps`; throws `TooManySteps` once the limit is passed. */
  take(steps = 1): void {
    this.#taken += steps;
    if (this.#taken > this.limit) throw new TooManySteps(this.limit);
  }
}
