/**
 * Bounds of a mean difference that hold however often they are looked at: a one-sided betting e-process (Waudby-Smith &
 * Ramdas 2024, arXiv 2010.09686; Ville's inequality) whose stakes are fixed, and mixed as in Cover's universal portfolio
 * (1991, Math Finance 1:1). With y = (d + 1)/2 and m = (margin + 1)/2 the wealth against "the regret is `margin` or
 * more" is W = Σ_j w_j·Π_i (1 − k_j·(y_i − m)/(1 − m)).
 *
 * Because no stake depends on what came before, the wealth depends on the differences alone, not on their order, and it
 * exceeds 1 only where their mean lies below the margin: the mean is always inside the bounds.
 *
 * Each difference must be an independent item: repeats averaged first, a customer's pairs averaged into one.
 */
import type { Moments } from "./pseudo-pair.ts";

/** Parts of the wealth that one full loss may cost, equally weighted. */
const STAKES = [0.1, 0.25, 0.4, 0.6, 0.8, 0.95] as const;

/** Number of times that each difference occurred. */
export type CountedDifferences = ReadonlyMap<number, number>;

/** The wealth against a regret of `margin` or more; `margin` in (-1, 1). */
export class Bets {
  readonly #m: number;
  /** By difference: what each stake makes of it, as a logarithm. */
  readonly #returns = new Map<number, readonly number[]>();

  constructor(margin: number) {
    if (!(margin > -1 && margin < 1)) throw new RangeError(`not a margin: ${margin}`);
    this.#m = (margin + 1) / 2;
  }

  /** Natural logarithm. */
  logWealth(items: CountedDifferences): number {
    const logs = STAKES.map(() => 0);
    for (const [d, count] of items) {
      const returns = this.#returnsOf(d);
      for (let j = 0; j < logs.length; j++) logs[j] = (logs[j] ?? 0) + count * (returns[j] ?? 0);
    }
    const most = Math.max(...logs);
    return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / STAKES.length);
  }

  #returnsOf(d: number): readonly number[] {
    const known = this.#returns.get(d);
    if (known) return known;
    const m = this.#m;
    const returns = STAKES.map((stake) => Math.log1p((-stake * ((d + 1) / 2 - m)) / (1 - m)));
    this.#returns.set(d, returns);
    return returns;
  }
}

/** Natural logarithm of the wealth against a regret of `margin` or more; `margin` in (-1, 1). */
export function logWealth(items: CountedDifferences, margin: number): number {
  return new Bets(margin).logWealth(items);
}

/** Least regret that is ruled out at one-sided `level`; 1 where none is. */
export function bettingUpper(items: CountedDifferences, level: number): number {
  if (!(level > 0 && level < 1)) throw new RangeError(`not a level: ${level}`);
  return upperOf(items, Math.log(1 / level));
}

/** Greatest regret below which everything is ruled out at one-sided `level`; -1 where nothing is. */
export function bettingLower(items: CountedDifferences, level: number): number {
  return -bettingUpper(new Map([...items].map(([d, count]) => [-d, count])), level);
}

/** Items without a loss or a win after which the bound at `level` is at most `margin`. */
export function leastItems(margin: number, level: number): number {
  let high = 1;
  while (upperHolds(high)) high *= 2;
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (upperHolds(middle)) low = middle;
    else high = middle;
  }
  return high;

  function upperHolds(ties: number): boolean {
    return logWealth(new Map([[0, ties]]), margin) < Math.log(1 / level);
  }
}

function upperOf(items: CountedDifferences, enough: number): number {
  if (items.size === 0) return 1;
  let low = countedMoments(items).mean;
  let high = 1;
  // The wealth grows with its margin, so what is ruled out has no gaps.
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (logWealth(items, middle) >= enough) high = middle;
    else low = middle;
  }
  return high;
}

/** Counts equal differences. Throws `RangeError` on one outside [-1, 1]. */
export function counted(differences: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const d of differences) addDifference(counts, d);
  return counts;
}

/** Throws `RangeError` on a difference outside [-1, 1]. */
export function addDifference(counts: Map<number, number>, d: number): void {
  if (!(d >= -1 && d <= 1)) throw new RangeError(`not a difference of scores: ${d}`);
  counts.set(d, (counts.get(d) ?? 0) + 1);
}

export function countedMoments(items: CountedDifferences): Moments {
  let [n, sum, squares] = [0, 0, 0];
  for (const [d, count] of items) {
    n += count;
    sum += d * count;
    squares += d * d * count;
  }
  return n === 0 ? { n, mean: 0, meanSquare: 0 } : { n, mean: sum / n, meanSquare: squares / n };
}
