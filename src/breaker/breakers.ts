/** The breakers an object keeps, by key. A key that is absent is closed and has no recent failures. */
import type { BreakerEvent, BreakerSettings, BreakerState } from "./breaker.ts";
import { closedBreaker, nextBreaker } from "./transition.ts";

export type Breakers = Readonly<Record<string, BreakerState>>;

/**
 * Raw calls name their models freely, so a failing provider could fill an object with keys. Beyond this many those
 * whose news is oldest are forgotten, which closes them.
 */
export const MOST_BREAKERS = 500;

export function breakerOf(breakers: Breakers, key: string, now: number): BreakerState {
  return (Object.hasOwn(breakers, key) ? breakers[key] : undefined) ?? closedBreaker(now);
}

/** Applies one event to one key. The same object comes back when nothing changed. */
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

/** Nothing in it that a fresh breaker would not have, but for successes. */
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
