/** What is to be sent, in order, without more in flight to one provider than it may have. */

/** How many waiting items are looked through for one whose provider has room; more would tear the arms of an input apart. */
const WINDOW_PER_CALL = 4;

export class ProviderQueue<T> {
  /** In reverse: the next one stands last. */
  readonly #waiting: T[];
  readonly #laneOf: (item: T) => string;
  readonly #perLane: number;
  readonly #window: number;
  readonly #inFlight = new Map<string, number>();
  #watchers: (() => void)[] = [];

  constructor(items: readonly T[], laneOf: (item: T) => string, perLane: number, concurrency: number) {
    this.#waiting = [...items].reverse();
    this.#laneOf = laneOf;
    this.#perLane = perLane;
    this.#window = concurrency * WINDOW_PER_CALL;
  }

  /** The next item that may be sent now; `busy` = there are some, and their providers have no room. */
  take(): T | "busy" | "none" {
    const last = this.#waiting.length - 1;
    for (let index = last; index >= 0 && index > last - this.#window; index -= 1) {
      const item = this.#waiting[index];
      if (item === undefined) break;
      const lane = this.#laneOf(item);
      const inFlight = this.#inFlight.get(lane) ?? 0;
      if (inFlight >= this.#perLane) continue;
      this.#inFlight.set(lane, inFlight + 1);
      this.#waiting.splice(index, 1);
      return item;
    }
    return last < 0 ? "none" : "busy";
  }

  /** Ends what `take` began. */
  done(item: T): void {
    this.leave(this.#laneOf(item));
  }

  /** Takes a place beside the queue's own items, as soon as there is one. */
  async enter(lane: string): Promise<void> {
    while ((this.#inFlight.get(lane) ?? 0) >= this.#perLane) await this.change();
    this.#inFlight.set(lane, (this.#inFlight.get(lane) ?? 0) + 1);
  }

  leave(lane: string): void {
    this.#inFlight.set(lane, (this.#inFlight.get(lane) ?? 1) - 1);
    for (const resolve of this.#watchers.splice(0)) resolve();
  }

  putBack(item: T): void {
    this.#waiting.push(item);
  }

  /** Resolves when something in flight ended. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  rest(): readonly T[] {
    return this.#waiting;
  }
}
