/** Returns the snapshot of an object's breakers that isolates receive. */
import type { BreakerSettings, BreakerSnapshot, BreakerState } from "./breaker.ts";
import { windowAt } from "./transition.ts";

export function snapshotOf(
  breakers: Readonly<Record<string, BreakerState>>,
  version: number,
  now: number,
  settings: BreakerSettings,
): BreakerSnapshot {
  const open: Record<string, BreakerSnapshot["open"][string]> = {};
  const failing: string[] = [];
  for (const [key, state] of Object.entries(breakers)) {
    if (state.status === "closed") {
      if (windowAt(state.window, now, settings.windowMs).failures > 0) failing.push(key);
    } else {
      open[key] = { status: state.status, retryAt: retryAtOf(state, now) };
    }
  }
  return { version, takenAt: now, open, failing };
}

/** Returns the instant at which the next probe can be granted. */
export function retryAtOf(state: Exclude<BreakerState, { status: "closed" }>, now: number): number {
  return state.status === "open" ? state.retryAt : (state.probe?.lapsesAt ?? now);
}
