import type { Failure } from "../../failure/failure.ts";
import type { Watchdog } from "./watchdog.ts";

/** Bytes that may be read before the event loop gets a turn. */
const TURN_BYTES = 1024 * 1024;

/** Lets timers and the client's signal run while bytes arrive faster than they are read. */
export class Pace {
  readonly #watchdog: Watchdog;
  #sinceTurn = 0;

  constructor(watchdog: Watchdog) {
    this.#watchdog = watchdog;
  }

  /**
   * Counts what was read, checks the clock, and waits for a turn where one is due. Resolves to what stopped the
   * attempt, if anything did.
   */
  async took(bytes: number): Promise<Failure | undefined> {
    this.#sinceTurn += bytes;
    if (this.#sinceTurn < TURN_BYTES) return this.#watchdog.failure();
    this.#sinceTurn = 0;
    await this.#watchdog.turn();
    return this.#watchdog.failure();
  }
}
