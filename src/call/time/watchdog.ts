import { type Failure, failure } from "../../failure/failure.ts";
import type { Clock } from "./clock.ts";

/**
 * The limit that ended an attempt. `client` means that the caller disconnected, `end` that a finished answer never
 * closed.
 */
type StopCause = "client" | "call" | "attempt" | "first_token" | "idle" | "stream" | "end";

/**
 * Aborts one attempt when the client disconnects or a time limit passes. Limits are epoch milliseconds and may change
 * while it runs: moving one costs a map write and no timer, so a stream may do it on every chunk.
 */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #limits = new Map<StopCause, number>();
  readonly #clock: Clock;
  readonly #client: AbortSignal;
  readonly #onClientAbort = () => this.#stop("client");
  /** The one timer, set for the nearest limit. */
  #timer: { readonly until: number; readonly cancel: () => void } | undefined;
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

  /** Resolves after the event loop has run everything that is waiting. */
  turn(): Promise<void> {
    return this.#clock.sleep(0);
  }

  limit(cause: StopCause, at: number): void {
    this.#limits.set(cause, at);
    if (this.#cause === undefined && (this.#timer === undefined || at < this.#timer.until)) this.#schedule();
  }

  lift(...causes: readonly StopCause[]): void {
    for (const cause of causes) this.#limits.delete(cause);
  }

  /** Stops watching. The signal stays as it is. */
  stop(): void {
    this.#limits.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#client.removeEventListener("abort", this.#onClientAbort);
  }

  /** Aborts now, for the client: a consumer that stops reading a stream has gone. */
  abandon(): void {
    this.#stop("client");
  }

  /**
   * Returns the failure for the cause; undefined while nothing was stopped and where the answer was whole. Reads the
   * clock itself, because bytes that arrive without a pause keep timers from running.
   */
  failure(): Failure | undefined {
    this.#stopWhatIsDue();
    if (this.#cause === undefined || this.#cause === "end") return undefined;
    if (this.#cause === "client") return failure("canceled", "the client closed the connection");
    return failure("network", TIMEOUT_MESSAGES[this.#cause], { reason: "timeout" });
  }

  #schedule(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#limits.size === 0) return;
    const until = Math.min(...this.#limits.values());
    const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), () => this.#wake());
    this.#timer = { until, cancel };
  }

  #wake(): void {
    this.#stopWhatIsDue();
    if (this.#cause === undefined) this.#schedule();
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
