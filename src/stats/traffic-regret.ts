/**
 * Regret weighted by traffic. A question with a large share of the traffic is a stratum of its own: its quality is
 * known only as far as it was asked repeatedly, however many other questions there are.
 */

import { laterLookLevel } from "./alpha-spending.ts";
import { bettingLower, bettingUpper, counted, type WeightedDifference, weightedBetting } from "./betting-bound.ts";
import { LARGEST_SHARE, LEAST_CLUSTERS } from "./clustered.ts";
import type { Interval } from "./interval.ts";
import { normalQuantile } from "./normal.ts";
import { type Pair, pairedRegret } from "./paired-regret.ts";

/** Share of the traffic above which a question is a stratum of its own. */
const HEAVY_SHARE = 0.05;

export interface AskedQuestion {
  readonly question: string;
  /** Reference score − candidate score for each time it was asked, in [-1, 1]. */
  readonly differences: readonly number[];
  /** Calls of the traffic that it represents. */
  readonly weight: number;
  /** Customer or run that it belongs to; undefined = it is a cluster of its own. */
  readonly cluster?: string | undefined;
}

interface Stratum extends Interval {
  readonly question: string;
  /** Part of the traffic. */
  readonly share: number;
  readonly asked: number;
  readonly mean: number;
}

export interface TrafficRegret extends Interval {
  /** Weighted by traffic; inside the bounds. */
  readonly mean: number;
  readonly questions: number;
  readonly clusters: number;
  /** Part of the traffic that the largest cluster holds. */
  readonly largestShare: number;
  /** Whether clusters are many and even enough to decide on. */
  readonly sufficient: boolean;
  /** By falling share. */
  readonly heavy: readonly Stratum[];
}

/**
 * Bounds, each one-sided at `level`: at the first look (`later` = 0) on a fixed number of questions, at the `later`-th
 * look after it such that they hold at all later looks together. Strata are combined by their weights and by the squares
 * of the distances of their own bounds from their means (MOVER: Zou & Donner 2008, Stat Med 27:1693). Undefined for no
 * questions.
 */
export function trafficRegret(asked: readonly AskedQuestion[], level: number, later = 0): TrafficRegret | undefined {
  if (asked.length === 0) return undefined;
  const total = asked.reduce((sum, { weight }) => sum + weight, 0);
  const isHeavy = ({ weight }: AskedQuestion): boolean => weight / total > HEAVY_SHARE;
  const heavy = asked
    .filter(isHeavy)
    .map((question) => stratumOf(question, total, level, later))
    .sort((a, b) => b.share - a.share || (a.question < b.question ? -1 : 1));
  const light = heavy.length === 0 ? asked : asked.filter((question) => !isHeavy(question));
  const rest = restOf(light, total, level, later);
  const strata = rest ? [...heavy, rest] : heavy;
  const mean = strata.reduce((sum, stratum) => sum + stratum.share * stratum.mean, 0);
  const reach = (distance: (stratum: Part) => number): number =>
    Math.sqrt(strata.reduce((sum, stratum) => sum + (stratum.share * distance(stratum)) ** 2, 0));
  const { clusters, largestShare } = clusterShares(asked, total);
  return {
    mean,
    low: Math.max(-1, mean - reach(({ mean: own, low }) => own - low)),
    high: Math.min(1, mean + reach(({ mean: own, high }) => high - own)),
    questions: asked.length,
    clusters,
    largestShare,
    sufficient: clusters >= LEAST_CLUSTERS && largestShare <= LARGEST_SHARE,
    heavy,
  };
}

type Part = Interval & { readonly share: number; readonly mean: number };

function stratumOf(
  { question, differences, weight }: AskedQuestion,
  total: number,
  level: number,
  later: number,
): Stratum {
  const share = weight / total;
  const asked = differences.length;
  const regret = pairedRegret(
    differences.map((d) => ({ d })),
    { confidence: 1 - 2 * level },
  );
  // One answer does not show how stable the answers are.
  if (!regret || asked < 2) return { question, share, asked, mean: differences[0] ?? 0, low: -1, high: 1 };
  const repeats = counted(differences);
  const { low, high } = later > 0 ? { low: bettingLower(repeats, level), high: bettingUpper(repeats, level) } : regret;
  return { question, share, asked, mean: regret.mean, low, high };
}

function restOf(asked: readonly AskedQuestion[], total: number, level: number, later: number): Part | undefined {
  const pairs = asked.map(({ differences, weight, cluster }): Pair => {
    return { d: meanOf(differences), weight, cluster };
  });
  const weight = asked.reduce((sum, question) => sum + question.weight, 0);
  const fixed = pairedRegret(pairs, { confidence: 1 - 2 * level });
  if (!fixed) return undefined;
  const { low, high } = later > 0 ? laterBounds(pairs, level, later) : fixed;
  return { share: weight / total, mean: fixed.mean, low, high };
}

/** So many more items do bets need than a fixed number of them. */
const PRICE_OF_BETS = 1.2;

/**
 * Bets hold at every look, and are worth so many items as the heaviest of them weighs of the whole; bounds of a fixed
 * number share the level among looks, and are worth Kish's number. Which of the two is taken depends on weights and looks
 * alone; each has half of the level, unless all weigh the same and it can only be the bets.
 */
function laterBounds(pairs: readonly Pair[], level: number, later: number): Interval {
  const items = customersOf(pairs);
  const [sum, squares, most] = items.reduce(
    ([total, square, largest], { weight }) => [total + weight, square + weight ** 2, Math.max(largest, weight)],
    [0, 0, 0],
  );
  const isEven = items.every(({ weight }) => weight === most);
  if (isEven) return weightedBetting(items, level);
  const spent = laterLookLevel(level / 2, later);
  const worth = (sum ** 2 / squares) * (normalQuantile(1 - level / 2) / normalQuantile(1 - spent)) ** 2;
  if (sum / most / PRICE_OF_BETS > worth) return weightedBetting(items, level / 2);
  return pairedRegret(pairs, { confidence: 1 - 2 * spent }) ?? { low: -1, high: 1 };
}

/** One item for each customer or run and each question that stands alone. */
function customersOf(pairs: readonly Pair[]): WeightedDifference[] {
  const alone: WeightedDifference[] = [];
  const customers = new Map<string, { sum: number; weight: number }>();
  for (const { d, weight = 1, cluster } of pairs) {
    if (cluster === undefined) alone.push({ d, weight });
    else {
      const known = customers.get(cluster) ?? { sum: 0, weight: 0 };
      customers.set(cluster, { sum: known.sum + weight * d, weight: known.weight + weight });
    }
  }
  const together = Array.from(customers.values(), ({ sum, weight }) => {
    return { d: Math.max(-1, Math.min(1, sum / weight)), weight };
  });
  return [...alone, ...together];
}

function clusterShares(asked: readonly AskedQuestion[], total: number) {
  const weights = new Map<string, number>();
  let [alone, largest] = [0, 0];
  for (const { weight, cluster } of asked) {
    const sum = cluster === undefined ? weight : (weights.get(cluster) ?? 0) + weight;
    if (cluster === undefined) alone += 1;
    else weights.set(cluster, sum);
    largest = Math.max(largest, sum);
  }
  return { clusters: weights.size + alone, largestShare: largest / total };
}

function meanOf(differences: readonly number[]): number {
  const mean = differences.reduce((sum, d) => sum + d, 0) / differences.length;
  return Math.max(-1, Math.min(1, mean));
}
