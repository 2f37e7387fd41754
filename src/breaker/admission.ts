/**
 * Decides whether a call may go to a target: from a snapshot, without a request to the object, or from the state after
 * a claim.
 */
import type { BreakerSnapshot, BreakerState } from "./breaker.ts";
import { retryAtOf } from "./snapshot.ts";
import { holdsProbe } from "./transition.ts";

type SnapshotDecision =
  | { readonly type: "admit" }
  | { readonly type: "refuse"; readonly retryAfterMs: number }
  /** The cool-down is over: only the object can decide which call probes. */
  | { readonly type: "claim" };

/** `probe` is false where the breaker turned out to be closed and the call needs no probe. */
export type ClaimAnswer =
  | { readonly admitted: true; readonly probe: boolean }
  | { readonly admitted: false; readonly retryAfterMs: number };

export function decide(snapshot: BreakerSnapshot, key: string, now: number): SnapshotDecision {
  const entry = Object.hasOwn(snapshot.open, key) ? snapshot.open[key] : undefined;
  if (entry === undefined) return { type: "admit" };
  if (now >= entry.retryAt) return { type: "claim" };
  return { type: "refuse", retryAfterMs: entry.retryAt - now };
}

/** Returns the decision on a claim, given the state after it. */
export function answerClaim(state: BreakerState, probeId: string, now: number): ClaimAnswer {
  if (state.status === "closed") return { admitted: true, probe: false };
  if (holdsProbe(state, probeId)) return { admitted: true, probe: true };
  return { admitted: false, retryAfterMs: Math.max(1, retryAtOf(state, now) - now) };
}
