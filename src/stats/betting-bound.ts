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
import type { Interval } from "./interval.ts";
import type { Moments } from "./pseudo-pair.ts";

/** Parts of the wealth that one full loss may cost, equally weighted. */
const STAKES = [0.1, 0.25, 0.4, 0.6, 0.8, 0.95] as const;

/** Number of times that each difference occurred. */
export type CountedDifferences = ReadonlyMap<number, number>;

export interface WeightedDifference {
  readonly d: number;
  /** Above 0. */
  readonly weight: number;
}

interface CountedWeight extends WeightedDifference {
  readonly count: number;
}

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
    return mixed((stake) => {
      let sum = 0;
      for (const [d, count] of items) sum += count * (this.#returnsOf(d)[stake] ?? 0);
      return sum;
    });
  }

  /** The same where an item of the weight 1 takes the whole stake and a lighter one its part of it. */
  logWeighted(items: readonly CountedWeight[]): number {
    return mixed((stake) =>
      items.reduce((sum, { d, weight, count }) => sum + count * this.#return(stake, d, weight), 0),
    );
  }

  #returnsOf(d: number): readonly number[] {
    const known = this.#returns.get(d);
    if (known) return known;
    const returns = STAKES.map((_, stake) => this.#return(stake, d, 1));
    this.#returns.set(d, returns);
    return returns;
  }

  #return(stake: number, d: number, weight: number): number {
    return Math.log1p((-(STAKES[stake] ?? 0) * weight * ((d + 1) / 2 - this.#m)) / (1 - this.#m));
  }
}

function mixed(logOf: (stake: number) => number): number {
  const logs = STAKES.map((_, stake) => logOf(stake));
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / STAKES.length);
}

/** Natural logarithm of the wealth against a regret of `margin` or more; `margin` in (-1, 1). */
export function logWealth(items: CountedDifferences, margin: number): number {
  return new Bets(margin).logWealth(items);
}

/** Least regret that is ruled out at one-sided `level`; 1 where none is. */
export function bettingUpper(items: CountedDifferences, level: number): number {
  if (items.size === 0) return 1;
  return leastRuledOut(countedMoments(items).mean, level, (margin) => logWealth(items, margin));
}

/** Greatest regret below which everything is ruled out at one-sided `level`; -1 where nothing is. */
export function bettingLower(items: CountedDifferences, level: number): number {
  return -bettingUpper(new Map([...items].map(([d, count]) => [-d, count])), level);
}

/**
 * Bounds of the weighted mean. Where weight and difference are drawn together the wealth's expectation under "the weighted
 * regret is the margin" is 1, as without weights; it grows as that of so many items as the heaviest weighs of the whole.
 */
export function weightedBetting(items: readonly WeightedDifference[], level: number): Interval {
  if (items.length === 0) return { low: -1, high: 1 };
  const cells = alikeTogether(items);
  const upper = (sign: 1 | -1): number => {
    const signed = cells.map((cell) => ({ ...cell, d: sign * cell.d }));
    const total = signed.reduce((sum, { weight, count }) => sum + weight * count, 0);
    const mean = signed.reduce((sum, { d, weight, count }) => sum + weight * count * d, 0) / total;
    return leastRuledOut(mean, level, (margin) => new Bets(margin).logWeighted(signed));
  };
  return { low: -upper(-1), high: upper(1) };
}

/** Weights as parts of the heaviest one. */
function alikeTogether(items: readonly WeightedDifference[]): CountedWeight[] {
  const heaviest = items.reduce((most, { weight }) => Math.max(most, weight), 0);
  const byWeight = new Map<number, Map<number, number>>();
  for (const { d, weight } of items) {
    const counts = byWeight.get(weight) ?? new Map<number, number>();
    byWeight.set(weight, counts);
    counts.set(d, (counts.get(d) ?? 0) + 1);
  }
  return [...byWeight].flatMap(([weight, counts]) =>
    [...counts].map(([d, count]) => ({ d, weight: weight / heaviest, count })),
  );
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

/** The wealth grows with its margin, so what is ruled out has no gaps. */
function leastRuledOut(mean: number, level: number, logWealthAt: (margin: number) => number): number {
  if (!(level > 0 && level < 1)) throw new RangeError(`not a level: ${level}`);
  const enough = Math.log(1 / level);
  let [low, high] = [mean, 1];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (logWealthAt(middle) >= enough) high = middle;
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
