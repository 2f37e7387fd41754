/** Worlds whose truth is known, to see how often an interval holds it. */
import type { Pair } from "../../../src/stats/paired-regret.ts";

export type Random = () => number;

/** A source of differences and their true mean. */
export interface Differences {
  readonly name: string;
  readonly truth: number;
  readonly draw: (random: Random) => number;
}

/** Sum of `k` exponentials: Gamma(k, 1) for whole k. */
function gamma(random: Random, k: number): number {
  let sum = 0;
  for (let i = 0; i < k; i++) sum -= Math.log(1 - random());
  return sum;
}

function beta(random: Random, a: number, b: number): number {
  const one = gamma(random, a);
  return one / (one + gamma(random, b));
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function pick(random: Random, shares: readonly number[]): number {
  let left = random();
  for (const [index, share] of shares.entries()) {
    if (left < share) return index;
    left -= share;
  }
  return shares.length - 1;
}

export function passFail(loss: number, win: number): Differences {
  return {
    name: `pass/fail, loss ${percent(loss)}, win ${percent(win)}`,
    truth: loss - win,
    draw: (random) => [1, -1, 0][pick(random, [loss, win, 1 - loss - win])] ?? 0,
  };
}

const REFERENCE = [0.02, 0.03, 0.1, 0.3, 0.55];
const CANDIDATE = [0.04, 0.06, 0.15, 0.3, 0.45];
const gridMean = (shares: readonly number[]): number => shares.reduce((sum, share, i) => sum + (share * i) / 4, 0);

export const GRADED: readonly Differences[] = [
  {
    name: "92% ties, losses Beta(2,2)",
    truth: 0.04,
    draw: (random) => (random() < 0.92 ? 0 : beta(random, 2, 2)),
  },
  {
    name: "97% ties, losses Beta(2,2)",
    truth: 0.015,
    draw: (random) => (random() < 0.97 ? 0 : beta(random, 2, 2)),
  },
  {
    name: "judge of five grades",
    truth: gridMean(REFERENCE) - gridMean(CANDIDATE),
    draw: (random) => (pick(random, REFERENCE) - pick(random, CANDIDATE)) / 4,
  },
  {
    name: "smooth, Beta(8,2) − Beta(7,3)",
    truth: 0.1,
    draw: (random) => beta(random, 8, 2) - beta(random, 7, 3),
  },
];

/**
 * Clusters of `size` whose members share one draw with chance √ρ each and draw alone otherwise, so that two members
 * correlate by exactly ρ.
 */
export function clusteredPairs(
  source: Differences,
  shape: { readonly clusters: number; readonly size: number; readonly correlation: number },
  random: Random,
): Pair[] {
  const stick = Math.sqrt(shape.correlation);
  return Array.from({ length: shape.clusters }, (_, cluster) => {
    const shared = source.draw(random);
    return Array.from({ length: shape.size }, (): Pair => {
      return { d: random() < stick ? shared : source.draw(random), cluster: `${cluster}` };
    });
  }).flat();
}

/** Inputs merged with weights that fall like 1/rank: a few are seen very often. */
export function mergedPairs(source: Differences, n: number, random: Random): Pair[] {
  return Array.from({ length: n }, (_, i) => ({ d: source.draw(random), weight: Math.ceil(20 / (i + 1)) }));
}

export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}
