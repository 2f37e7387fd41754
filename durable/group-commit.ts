/**
 * Runs the work of concurrent messages in one turn of the event loop, so that they share one commit: storing to disk is
 * by far the slowest step of a message. Each piece of work is one synchronous transaction of its own.
 */
export class GroupCommit {
  readonly #storage: DurableObjectStorage;
  #waiting: (() => void)[] = [];

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Rejects with what `work` throws, after undoing its writes; the others are not affected. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      // A promise's executor turns a throw into a rejection only while it runs, so each piece of work needs its own.
      this.#waiting.push(() => {
        try {
          resolve(this.#storage.transactionSync(work));
        } catch (error) {
          reject(error);
        }
      });
      if (this.#waiting.length === 1) setTimeout(() => this.#drain(), 0);
    });
  }

  #drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) work();
  }
}
