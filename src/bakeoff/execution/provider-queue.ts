/** Hands out what is to be sent, in order, with a limit on the calls in flight to each provider. */

/** How many waiting items are looked through for one whose provider has room; more would tear the arms of an input apart. */
const WINDOW_PER_CALL = 4;

export class ProviderQueue<T> {
  /** In reverse order: the next one is last. */
  readonly #waiting: T[];
  readonly #providerOf: (item: T) => string;
  readonly #perProvider: number;
  readonly #window: number;
  readonly #inFlight = new Map<string, number>();
  #watchers: (() => void)[] = [];

  constructor(items: readonly T[], providerOf: (item: T) => string, perProvider: number, concurrency: number) {
    this.#waiting = [...items].reverse();
    this.#providerOf = providerOf;
    this.#perProvider = perProvider;
    this.#window = concurrency * WINDOW_PER_CALL;
  }

  /** The next item that may be sent now; `busy` = there are some, and their providers have no room. */
  take(): T | "busy" | "none" {
    const last = this.#waiting.length - 1;
    for (let index = last; index >= 0 && index > last - this.#window; index -= 1) {
      const item = this.#waiting[index];
      if (item === undefined) break;
      const provider = this.#providerOf(item);
      const inFlight = this.#inFlight.get(provider) ?? 0;
      if (inFlight >= this.#perProvider) continue;
      this.#inFlight.set(provider, inFlight + 1);
      this.#waiting.splice(index, 1);
      return item;
    }
    return last < 0 ? "none" : "busy";
  }

  /** Ends what `take` began. */
  done(item: T): void {
    this.leave(this.#providerOf(item));
  }

  /** Takes a place beside the queue's own items, as soon as there is one. */
  async enter(provider: string): Promise<void> {
    while ((this.#inFlight.get(provider) ?? 0) >= this.#perProvider) await this.change();
    this.#inFlight.set(provider, (this.#inFlight.get(provider) ?? 0) + 1);
  }

  leave(provider: string): void {
    this.#inFlight.set(provider, (this.#inFlight.get(provider) ?? 1) - 1);
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
