/**
 * The breaker's rule. It is closed until consecutive failures or the failure rate open it, and open until its cool-down
 * ends. Then it is half-open and grants one probe: success closes it, failure opens it again for twice as long.
 */
import type { BreakerEvent, BreakerSettings, BreakerState, FailureWindow } from "./breaker.ts";

type Report = Extract<BreakerEvent, { type: "report" }>;
type Closed = Extract<BreakerState, { status: "closed" }>;
type Open = Extract<BreakerState, { status: "open" }>;
type HalfOpen = Extract<BreakerState, { status: "half_open" }>;

/** A Retry-After beyond a day is treated as a mistake: it would keep the target out of use. */
export const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

export function closedBreaker(now: number): Closed {
  return { status: "closed", consecutiveFailures: 0, window: { startedAt: now, successes: 0, failures: 0 } };
}

/** Returns the next state; the same object when the event changes nothing. `random` is uniform in [0, 1). */
export function nextBreaker(
  state: BreakerState,
  event: BreakerEvent,
  now: number,
  settings: BreakerSettings,
  random: () => number,
): BreakerState {
  if (event.type === "claim") return claimed(state, event.probeId, now, settings);
  switch (state.status) {
    case "closed":
      return closedAfter(state, event, now, settings, random);
    case "open":
      return openAfter(state, event, now);
    case "half_open":
      return halfOpenAfter(state, event, now, settings, random);
  }
}

/** True when this probe's claim was granted. */
export function holdsProbe(state: BreakerState, probeId: string): boolean {
  return state.status === "half_open" && state.probe?.id === probeId;
}

/** Returns the counts as of now: half of those of the last window, none of older ones. */
export function windowAt(window: FailureWindow, now: number, windowMs: number): FailureWindow {
  const age = now - window.startedAt;
  if (age < windowMs) return window;
  if (age >= 2 * windowMs) return { startedAt: now, successes: 0, failures: 0 };
  return {
    startedAt: window.startedAt + windowMs,
    successes: Math.floor(window.successes / 2),
    failures: Math.floor(window.failures / 2),
  };
}

function claimed(state: BreakerState, probeId: string, now: number, settings: BreakerSettings): BreakerState {
  const due =
    (state.status === "open" && now >= state.retryAt) ||
    (state.status === "half_open" && (state.probe === undefined || now >= state.probe.lapsesAt));
  if (!due || holdsProbe(state, probeId)) return state;
  return {
    status: "half_open",
    timesOpened: state.timesOpened,
    probe: { id: probeId, lapsesAt: now + settings.probeTtlMs },
  };
}

function closedAfter(
  state: Closed,
  report: Report,
  now: number,
  settings: BreakerSettings,
  random: () => number,
): BreakerState {
  const count = report.count ?? 1;
  if (report.outcome === "neutral" && report.trip !== true) return state;
  const past = windowAt(state.window, now, settings.windowMs);
  if (report.outcome === "success") {
    return { status: "closed", consecutiveFailures: 0, window: { ...past, successes: past.successes + count } };
  }
  const window = { ...past, failures: past.failures + count };
  const consecutiveFailures = state.consecutiveFailures + count;
  if (report.trip === true || consecutiveFailures >= settings.consecutiveFailures || tooManyFail(window, settings)) {
    return opened(1, report, now, settings, random);
  }
  return { status: "closed", consecutiveFailures, window };
}

function tooManyFail({ successes, failures }: FailureWindow, settings: BreakerSettings): boolean {
  const calls = successes + failures;
  return calls >= settings.minimumCalls && failures >= settings.failureRate * calls;
}

/** Calls that were running when the breaker opened do not show its state now, but their Retry-After still holds. */
function openAfter(state: Open, report: Report, now: number): BreakerState {
  if (report.outcome !== "failure") return state;
  const retryAt = now + retryAfter(report);
  return retryAt > state.retryAt ? { ...state, retryAt } : state;
}

function halfOpenAfter(
  state: HalfOpen,
  report: Report,
  now: number,
  settings: BreakerSettings,
  random: () => number,
): BreakerState {
  if (report.probeId === undefined || report.probeId !== state.probe?.id) {
    return report.trip === true ? opened(state.timesOpened, report, now, settings, random) : state;
  }
  if (report.trip === true || report.outcome === "failure") {
    return opened(state.timesOpened + 1, report, now, settings, random);
  }
  if (report.outcome === "success") return closedBreaker(now);
  return { status: "half_open", timesOpened: state.timesOpened };
}

/** Returns a cool-down of `d/2` to `d`, where `d` doubles with each opening; never shorter than Retry-After. */
function opened(
  timesOpened: number,
  report: Report,
  now: number,
  settings: BreakerSettings,
  random: () => number,
): BreakerState {
  const full = Math.min(settings.maxCoolDownMs, settings.coolDownMs * 2 ** (timesOpened - 1));
  const coolDown = Math.ceil((full / 2) * (1 + random()));
  return { status: "open", openedAt: now, retryAt: now + Math.max(coolDown, retryAfter(report)), timesOpened };
}

function retryAfter({ retryAfterMs }: Report): number {
  if (retryAfterMs === undefined || !(retryAfterMs > 0)) return 0;
  return Math.min(Math.ceil(retryAfterMs), LONGEST_RETRY_AFTER_MS);
}
