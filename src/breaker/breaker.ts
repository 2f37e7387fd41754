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

/** Outcomes of the last minute(s), bucketed; counts only. */
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
      /** Lower bound for the cool-down. */
      readonly retryAfterMs?: number | undefined;
      readonly probeId?: string | undefined;
      /** Opens at once whatever the counters say: quota_exhausted and auth. */
      readonly trip?: boolean | undefined;
    };

export interface BreakerSettings {
  readonly consecutiveFailures: number;
  readonly failureRate: number;
  readonly minimumCalls: number;
  readonly windowMs: number;
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
  readonly probeTtlMs: number;
}

/** What isolates act on: every key that is not closed. A key that is not listed is closed. */
export interface BreakerSnapshot {
  readonly version: number;
  readonly takenAt: number;
  readonly open: Readonly<Record<string, { readonly status: "open" | "half_open"; readonly retryAt: number }>>;
}
