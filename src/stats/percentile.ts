import { incompleteBeta } from "./incomplete-beta.ts";
import type { Interval } from "./interval.ts";

/**
 * Percentile `p` (0–100) of ascending values, linear between ranks (Hyndman & Fan 1996, type 7; numpy's default).
 * Throws `RangeError` on an empty list.
 */
export function percentile(ascending: readonly number[], p: number): number {
  if (ascending.length === 0) throw new RangeError("no percentile of nothing");
  const rank = ((ascending.length - 1) * p) / 100;
  const below = ascending[Math.floor(rank)] ?? 0;
  const above = ascending[Math.ceil(rank)] ?? below;
  return below + (above - below) * (rank - Math.floor(rank));
}

/**
 * Two-sided interval of percentile `p` from the order statistics of a sample (the ranks between which the binomial
 * distribution holds it; Conover 1999, section 3.2): no assumption about the shape, at least the confidence asked for.
 * Undefined where the sample is too small to have such ranks.
 */
export function percentileInterval(ascending: readonly number[], p: number, confidence = 0.95): Interval | undefined {
  const n = ascending.length;
  const tail = (1 - confidence) / 2;
  /** Chance that at most `k` of the values lie below the percentile. */
  const atMost = (k: number): number => incompleteBeta(1 - p / 100, n - k, k + 1);
  let low = -1;
  while (low + 1 < n && atMost(low + 1) <= tail) low += 1;
  let high = n;
  while (high > 0 && 1 - atMost(high - 1) <= tail) high -= 1;
  const [from, to] = [ascending[low], ascending[high]];
  return from === undefined || to === undefined ? undefined : { low: from, high: to };
}
