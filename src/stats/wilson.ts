import { type Interval, Z_95 } from "./interval.ts";

/**
 * Wilson's score interval for k of n (Wilson 1927; Newcombe 1998, Stat Med 17:857). Undefined for n = 0: nothing was
 * measured, which is not the interval [0, 0]. Throws `RangeError` unless 0 ≤ k ≤ n are whole numbers.
 */
export function wilson(k: number, n: number): Interval | undefined {
  if (!Number.isInteger(k) || !Number.isInteger(n) || k < 0 || k > n) throw new RangeError(`not a count: ${k} of ${n}`);
  return n === 0 ? undefined : wilsonRate(k / n, n);
}

/**
 * Wilson's interval of a mean of n scores from 0 to 1. No such score varies more than a 0/1 one with the same mean, so
 * the interval is as wide as needed or wider. Throws `RangeError` unless 0 ≤ rate ≤ 1 and n > 0.
 */
export function wilsonRate(rate: number, n: number): Interval {
  if (!(rate >= 0 && rate <= 1) || !(n > 0)) throw new RangeError(`not a mean of scores: ${rate} of ${n}`);
  const z2 = Z_95 ** 2;
  const centre = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  // The bound at a rate of 0 or 1 is exact; floating point would leave a small error.
  return { low: rate === 0 ? 0 : Math.max(0, centre - half), high: rate === 1 ? 1 : Math.min(1, centre + half) };
}
