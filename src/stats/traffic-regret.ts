/**
 * Regret weighted by traffic. A question with a large share of the traffic is a stratum of its own: its quality is
 * known only as far as it was asked repeatedly, however many other questions there are.
 */

import { LARGEST_SHARE, LEAST_CLUSTERS } from "./clustered.ts";
import type { Interval } from "./interval.ts";
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
 * Bounds, each one-sided at `level`. Strata are combined by their weights and by the squares of the distances of their
 * own bounds from their means (MOVER: Zou & Donner 2008, Stat Med 27:1693). Undefined for no questions.
 */
export function trafficRegret(asked: readonly AskedQuestion[], level: number): TrafficRegret | undefined {
  if (asked.length === 0) return undefined;
  const total = asked.reduce((sum, { weight }) => sum + weight, 0);
  const confidence = 1 - 2 * level;
  const isHeavy = ({ weight }: AskedQuestion): boolean => weight / total > HEAVY_SHARE;
  const heavy = asked
    .filter(isHeavy)
    .map((question) => stratumOf(question, total, confidence))
    .sort((a, b) => b.share - a.share || (a.question < b.question ? -1 : 1));
  const light = heavy.length === 0 ? asked : asked.filter((question) => !isHeavy(question));
  const rest = restOf(light, total, confidence);
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

function stratumOf({ question, differences, weight }: AskedQuestion, total: number, confidence: number): Stratum {
  const regret = pairedRegret(
    differences.map((d) => ({ d })),
    { confidence },
  );
  const share = weight / total;
  const asked = differences.length;
  // One answer does not show how stable the answers are.
  if (!regret || asked < 2) return { question, share, asked, mean: differences[0] ?? 0, low: -1, high: 1 };
  return { question, share, asked, mean: regret.mean, low: regret.low, high: regret.high };
}

function restOf(asked: readonly AskedQuestion[], total: number, confidence: number): Part | undefined {
  const pairs = asked.map(({ differences, weight, cluster }): Pair => {
    return { d: meanOf(differences), weight, cluster };
  });
  const regret = pairedRegret(pairs, { confidence });
  if (!regret) return undefined;
  const weight = asked.reduce((sum, question) => sum + question.weight, 0);
  return { share: weight / total, mean: regret.mean, low: regret.low, high: regret.high };
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
