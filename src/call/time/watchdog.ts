import { type Failure, failure } from "../../failure/failure.ts";
import type { Clock } from "./clock.ts";

/** Why a sleep ends early. Shared: without a reason, every abort would build an exception with a stack. */
const WOKEN = new Error("no longer waited for");

/** Which limit ended an attempt. `client` means the caller went away, `end` that a finished answer never closed. */
export type StopCause = "client" | "call" | "attempt" | "first_token" | "idle" | "stream" | "end";

/**
 * Aborts one attempt when the client leaves or a time limit passes. Limits are epoch milliseconds and may move
 * while it runs: pushing one back costs a map write, no timer, so a stream may do it on every chunk.
 */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #limits = new Map<StopCause, number>();
  readonly #clock: Clock;
  readonly #client: AbortSignal;
  readonly #onClientAbort = () => this.#stop("client");
  #sleep: { readonly until: number; readonly controller: AbortController } | undefined;
  #cause: StopCause | undefined;

  constructor(clock: Clock, client: AbortSignal) {
    this.#clock = clock;
    this.#client = client;
    if (client.aborted) this.#stop("client");
    else client.addEventListener("abort", this.#onClientAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** Resolves after everything that waits for the event loop had its turn. */
  turn(): Promise<void> {
    return this.#clock.sleep(0);
  }

  limit(cause: StopCause, at: number): void {
    this.#limits.set(cause, at);
    if (this.#cause === undefined && (this.#sleep === undefined || at < this.#sleep.until)) this.#schedule();
  }

  lift(...causes: readonly StopCause[]): void {
    for (const cause of causes) this.#limits.delete(cause);
  }

  /** Ends watching. The signal stays as it is. */
  stop(): void {
    this.#limits.clear();
    this.#sleep?.controller.abort(WOKEN);
    this.#sleep = undefined;
    this.#client.removeEventListener("abort", this.#onClientAbort);
  }

  /** Aborts now. On the client's behalf: a consumer that stops reading a stream has gone away. */
  abandon(): void {
    this.#stop("client");
  }

  /**
   * The failure that the cause stands for; undefined while nothing was stopped, and where the answer was whole. Looks at the
   * clock itself: bytes that arrive without a pause keep timers from running.
   */
  failure(): Failure | undefined {
    this.#stopWhatIsDue();
    if (this.#cause === undefined || this.#cause === "end") return undefined;
    if (this.#cause === "client") return failure("canceled", "the client closed the connection");
    return failure("network", TIMEOUT_MESSAGES[this.#cause], { reason: "timeout" });
  }

  #schedule(): void {
    this.#sleep?.controller.abort(WOKEN);
    this.#sleep = undefined;
    if (this.#limits.size === 0) return;
    const sleep = { until: Math.min(...this.#limits.values()), controller: new AbortController() };
    this.#sleep = sleep;
    void this.#clock.sleep(Math.max(0, sleep.until - this.#clock.now()), sleep.controller.signal).then(() => {
      if (this.#sleep !== sleep || sleep.controller.signal.aborted) return;
      this.#stopWhatIsDue();
      if (this.#cause === undefined) this.#schedule();
    });
  }

  #stopWhatIsDue(): void {
    if (this.#cause !== undefined || this.#limits.size === 0) return;
    const now = this.#clock.now();
    for (const [cause, at] of this.#limits) if (at <= now) this.#stop(cause);
  }

  #stop(cause: StopCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.stop();
    this.#controller.abort(new DOMException(cause, "AbortError"));
  }
}

const TIMEOUT_MESSAGES = {
  call: "the call's deadline (call_ms) passed",
  attempt: "the upstream did not answer within attempt_ms",
  first_token: "no content arrived within first_token_ms",
  idle: "the stream stood still for idle_ms",
  stream: "the stream ran longer than stream_ms",
} as const;
