/**
 * Breaker vocabulary shared by the pure state machine, the Durable Object and the engine.
 * The rule itself is in `transition.ts`.
 */
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
 * `success` and `failure` move the machine; `neutral` (4xx, content failures) changes nothing,
 * except that it hands back a probe.
 */
export type BreakerOutcome = "success" | "failure" | "neutral";

export type BreakerEvent =
  | { readonly type: "claim"; readonly probeId: string }
  | {
      readonly type: "report";
      readonly outcome: BreakerOutcome;
      /** Calls that ended so, 1 when absent: isolates gather healthy successes and send them together. */
      readonly count?: number | undefined;
      /** Lower bound for the cool-down. */
      readonly retryAfterMs?: number | undefined;
      readonly probeId?: string | undefined;
      /** Opens at once whatever the counters say: quota_exhausted and auth. */
      readonly trip?: boolean | undefined;
    };

export interface BreakerSettings {
  /** Failures in a row that open. */
  readonly consecutiveFailures: number;
  /** Share of failures in the window, 0 to 1, that opens once the window holds `minimumCalls`. */
  readonly failureRate: number;
  readonly minimumCalls: number;
  readonly windowMs: number;
  /** Cool-down after the first opening; doubles with each failed probe up to `maxCoolDownMs`. */
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
  /** After this a probe that was never reported no longer bars the next one. */
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

/** What isolates act on: every key that is not closed. A key that is not listed is closed. */
export interface BreakerSnapshot {
  readonly version: number;
  readonly takenAt: number;
  readonly open: Readonly<Record<string, { readonly status: "open" | "half_open"; readonly retryAt: number }>>;
  /** Closed keys with failures in their window: for these, successes are worth a report. */
  readonly failing: readonly string[];
}
