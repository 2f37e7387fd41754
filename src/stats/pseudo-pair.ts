import type { Interval } from "./interval.ts";

/** First two moments of differences in [-1, 1], and how many independent ones they are equivalent to. */
export interface Moments {
  readonly n: number;
  readonly mean: number;
  readonly meanSquare: number;
}

/**
 * Mean and standard error after one pair at +1 and one at −1 were appended, so that complete agreement still has width.
 * On differences of −1, 0, 1 this is the interval of Bonett & Price (2012, J Educ Behav Stat 37:479).
 */
export function pseudoPair({ n, mean, meanSquare }: Moments): { readonly mean: number; readonly error: number } {
  const size = n + 2;
  const middle = (n * mean) / size;
  const variance = (n * meanSquare + 2) / size - middle * middle;
  return { mean: middle, error: Math.sqrt(variance / size) };
}

export function pseudoPairInterval(moments: Moments, quantile: number): Interval {
  const { mean, error } = pseudoPair(moments);
  return { low: mean - quantile * error, high: mean + quantile * error };
}

/** Of independent differences. Throws `RangeError` on one outside [-1, 1]. */
export function momentsOf(differences: readonly number[]): Moments {
  const n = differences.length;
  let [sum, squares] = [0, 0];
  for (const d of differences) {
    if (!(d >= -1 && d <= 1)) throw new RangeError(`not a difference of scores: ${d}`);
    sum += d;
    squares += d * d;
  }
  return n === 0 ? { n, mean: 0, meanSquare: 0 } : { n, mean: sum / n, meanSquare: squares / n };
}
