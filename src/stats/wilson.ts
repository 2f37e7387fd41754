import { type Interval, Z_95 } from "./interval.ts";

/**
 * Wilson's score interval for k of n (Wilson 1927; Newcombe 1998, Stat Med 17:857). Undefined for n = 0: nothing was
 * measured, which is not the interval [0, 0]. Throws `RangeError` unless 0 ≤ k ≤ n are whole numbers.
 */
export function wilson(k: number, n: number): Interval | undefined {
  if (!Number.isInteger(k) || !Number.isInteger(n) || k < 0 || k > n) throw new RangeError(`not a count: ${k} of ${n}`);
  if (n === 0) return undefined;
  const rate = k / n;
  const z2 = Z_95 ** 2;
  const centre = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  // The bound at a rate of 0 or 1 is exact; floating point leaves a trace of it.
  return { low: k === 0 ? 0 : Math.max(0, centre - half), high: k === n ? 1 : Math.min(1, centre + half) };
}
