/** The breakers that one object keeps, by key. A key that is absent is closed and has no recent failures. */
import type { BreakerEvent, BreakerSettings, BreakerState } from "./breaker.ts";
import { closedBreaker, nextBreaker } from "./transition.ts";

export type Breakers = Readonly<Record<string, BreakerState>>;

/**
 * Most keys kept. Callers choose the model names of raw calls, so a failing provider could fill an object. Beyond this
 * number the keys with the oldest events are dropped, which closes them.
 */
export const MOST_BREAKERS = 500;

export function breakerOf(breakers: Breakers, key: string, now: number): BreakerState {
  return (Object.hasOwn(breakers, key) ? breakers[key] : undefined) ?? closedBreaker(now);
}

/** Applies one event to one key. Returns the same object when nothing changed. */
export function applyEvent(
  breakers: Breakers,
  key: string,
  event: BreakerEvent,
  now: number,
  settings: BreakerSettings,
  random: () => number,
): Breakers {
  const before = breakerOf(breakers, key, now);
  const after = nextBreaker(before, event, now, settings, random);
  if (after === before) return breakers;
  const { [key]: _, ...others } = breakers;
  if (isSpotless(after)) return key in breakers ? others : breakers;
  return bounded({ ...others, [key]: after });
}

/** True for a breaker that differs from a new one only by successes. */
function isSpotless(state: BreakerState): boolean {
  return state.status === "closed" && state.consecutiveFailures === 0 && state.window.failures === 0;
}

function bounded(breakers: Breakers): Breakers {
  const entries = Object.entries(breakers);
  if (entries.length <= MOST_BREAKERS) return breakers;
  return Object.fromEntries(entries.sort(([, a], [, b]) => newsAt(b) - newsAt(a)).slice(0, MOST_BREAKERS));
}

function newsAt(state: BreakerState): number {
  if (state.status === "closed") return state.window.startedAt;
  return state.status === "open" ? state.retryAt : (state.probe?.lapsesAt ?? 0);
}
