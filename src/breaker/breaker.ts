/** Types shared by the pure state machine, the Durable Object and the engine. The rule itself is in `transition.ts`. */
export type BreakerState =
  | { readonly status: "closed"; readonly consecutiveFailures: number; readonly window: FailureWindow }
  | { readonly status: "open"; readonly openedAt: number; readonly retryAt: number; readonly timesOpened: number }
  | {
      readonly status: "half_open";
      readonly timesOpened: number;
      /** The one probe in flight, with the instant at which its claim lapses. */
      readonly probe?: { readonly id: string; readonly lapsesAt: number } | undefined;
    };

/** Counts of recent outcomes. When a window ends, half of its counts carry over into the next (see `transition.ts`). */
export interface FailureWindow {
  readonly startedAt: number;
  readonly successes: number;
  readonly failures: number;
}

/**
 * `success` and `failure` change the state; `neutral` (4xx, content failures) changes nothing, except that it releases
 * a probe.
 */
export type BreakerOutcome = "success" | "failure" | "neutral";

export type BreakerEvent =
  | { readonly type: "claim"; readonly probeId: string }
  | {
      readonly type: "report";
      readonly outcome: BreakerOutcome;
      /** Number of calls with this result, 1 when absent: isolates collect healthy successes and send them together. */
      readonly count?: number | undefined;
      /** Lower bound for the cool-down. */
      readonly retryAfterMs?: number | undefined;
      readonly probeId?: string | undefined;
      /** Opens at once, whatever the counters are: quota_exhausted and auth. */
      readonly trip?: boolean | undefined;
    };

export interface BreakerSettings {
  /** Consecutive failures that open the breaker. */
  readonly consecutiveFailures: number;
  /** Share of failures in the window, 0 to 1, that opens the breaker once the window holds `minimumCalls`. */
  readonly failureRate: number;
  readonly minimumCalls: number;
  readonly windowMs: number;
  /** Cool-down after the first opening; doubles with each failed probe up to `maxCoolDownMs`. */
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
  /** Milliseconds after which a probe that was never reported no longer blocks the next one. */
  readonly probeTtlMs: number;
}

export const DEFAULT_BREAKER_SETTINGS: BreakerSettings = {
  consecutiveFailures: 5,
  failureRate: 0.5,
  minimumCalls: 20,
  windowMs: 60_000,
  coolDownMs: 10_000,
  maxCoolDownMs: 300_000,
  probeTtlMs: 60_000,
};

/** What isolates act on: every key that is not closed. A key that is absent is closed. */
export interface BreakerSnapshot {
  readonly version: number;
  readonly takenAt: number;
  readonly open: Readonly<Record<string, { readonly status: "open" | "half_open"; readonly retryAt: number }>>;
  /** Closed keys with failures in their window: only for these does a success have to be reported. */
  readonly failing: readonly string[];
}
