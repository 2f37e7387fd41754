/**
 * Regret of a candidate against a reference on the same inputs: d = reference score − candidate score, in [-1, 1],
 * positive where the candidate is worse. Intervals that keep their confidence where few pairs disagree: for pass/fail,
 * the wider at each end of Tango's score interval and Bonett-Price; for graded scores, the wider at each end of the
 * pseudo-pair interval and plain t, both with n − 1 degrees.
 */
import { type ClusteredValue, type Clustering, clustering } from "./clustered.ts";
import type { Interval } from "./interval.ts";
import { normalQuantile } from "./normal.ts";
import { type Moments, pseudoPairInterval } from "./pseudo-pair.ts";
import { tQuantile } from "./student-t.ts";
import { tango } from "./tango.ts";

type RegretMethod = "tango_bonett_price" | "pseudo_pair_t";

export interface Pair {
  /** Reference score − candidate score, in [-1, 1]. */
  readonly d: number;
  /** Customer or run; a pair without one is a cluster of its own. */
  readonly cluster?: string | undefined;
  /** Times the input was seen (identical inputs merged). It weighs in the mean, and counts as one independent item. */
  readonly weight?: number | undefined;
}

interface RegretOptions {
  /** Two-sided; a gate at one-sided α uses 1 − 2α. Default 0.95. */
  readonly confidence?: number | undefined;
  /** Kind of the scores; derived from the differences where absent. */
  readonly scores?: "binary" | "graded" | undefined;
}

export interface PairedRegret extends Interval {
  readonly method: RegretMethod;
  readonly confidence: number;
  readonly mean: number;
  /** Pairs: distinct inputs, not calls. */
  readonly n: number;
  /** Pairs in which the candidate is worse, and better. */
  readonly losses: number;
  readonly wins: number;
  /** Inputs of the interval: n here is the number of equivalent independent pairs. */
  readonly moments: Moments;
  /** Degrees of freedom of t; undefined = normal. */
  readonly degrees?: number | undefined;
  /** Only where pairs share clusters or carry weights. */
  readonly clustering?: Clustering | undefined;
}

/** Undefined for no pairs: nothing was measured. Throws `RangeError` on a difference outside [-1, 1] or a weight ≤ 0. */
export function pairedRegret(pairs: readonly Pair[], options: RegretOptions = {}): PairedRegret | undefined {
  if (pairs.length === 0) return undefined;
  const counts = { n: pairs.length, losses: 0, wins: 0 };
  let isPassFail = true;
  for (const pair of pairs) {
    check(pair);
    if (pair.d > 0) counts.losses += 1;
    else if (pair.d < 0) counts.wins += 1;
    isPassFail &&= Number.isInteger(pair.d);
  }
  const binary = options.scores ? options.scores === "binary" : isPassFail;
  const grouped = groupedOf(pairs);
  const degrees = (grouped?.clusters ?? pairs.length) - 1;
  const summary = {
    ...counts,
    moments: momentsOf(pairs, grouped?.worth ?? pairs.length),
    ...(binary && grouped === undefined ? {} : { degrees }),
    ...(grouped && { clustering: withoutWorth(grouped) }),
  };
  return regretOf(binary ? "tango_bonett_price" : "pseudo_pair_t", summary, options.confidence);
}

/** Of pass/fail pairs by their counts. */
export function binaryRegret(
  table: { readonly losses: number; readonly wins: number; readonly n: number },
  confidence?: number,
): PairedRegret | undefined {
  const { losses, wins, n } = table;
  if (![losses, wins, n].every(Number.isInteger) || losses < 0 || wins < 0 || losses + wins > n)
    throw new RangeError(`not a paired table: ${losses} losses and ${wins} wins of ${n}`);
  if (n === 0) return undefined;
  const moments = { n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n };
  return regretOf("tango_bonett_price", { n, losses, wins, moments }, confidence);
}

/** Of graded pairs. */
export function scoreRegret(differences: readonly number[], confidence?: number): PairedRegret | undefined {
  return pairedRegret(
    differences.map((d) => ({ d })),
    { scores: "graded", confidence },
  );
}

type Summary = Pick<PairedRegret, "n" | "losses" | "wins" | "moments" | "degrees" | "clustering">;

function regretOf(method: RegretMethod, summary: Summary, confidence = 0.95): PairedRegret {
  const interval = regretInterval(method, summary.moments, summary.degrees, confidence);
  return { method, confidence, mean: summary.moments.mean, ...interval, ...summary };
}

/**
 * Returns the interval of a method from its moments, so that a plan can compute what more pairs at the same rates would
 * show.
 */
export function regretInterval(
  method: RegretMethod,
  moments: Moments,
  degrees: number | undefined,
  confidence: number,
): Interval {
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`no interval at confidence ${confidence}`);
  // One item, or one cluster, has no spread to estimate from.
  if (degrees !== undefined && degrees < 1) return { low: -1, high: 1 };
  const p = (1 + confidence) / 2;
  const quantile = degrees === undefined ? normalQuantile(p) : tQuantile(p, degrees);
  const guarded = pseudoPairInterval(moments, quantile);
  const other =
    method === "tango_bonett_price" ? tango(tableOf(moments), quantile) : plain(moments, quantile, degrees ?? 0);
  return { low: Math.max(-1, Math.min(guarded.low, other.low)), high: Math.min(1, Math.max(guarded.high, other.high)) };
}

function plain(moments: Moments, quantile: number, degrees: number): Interval {
  const reach = quantile * plainError(moments, degrees);
  return { low: moments.mean - reach, high: moments.mean + reach };
}

function plainError({ n, mean, meanSquare }: Moments, degrees: number): number {
  return Math.sqrt((Math.max(0, meanSquare - mean * mean) / n) * ((degrees + 1) / degrees));
}

function tableOf({ n, mean, meanSquare }: Moments) {
  return { n, losses: (n * (meanSquare + mean)) / 2, wins: (n * (meanSquare - mean)) / 2 };
}

function momentsOf(pairs: readonly Pair[], worth: number): Moments {
  let [total, sum, squares] = [0, 0, 0];
  for (const { d, weight = 1 } of pairs) {
    total += weight;
    sum += weight * d;
    squares += weight * d ** 2;
  }
  return { n: worth, mean: sum / total, meanSquare: squares / total };
}

/** Undefined where every pair is independent with the same weight. */
function groupedOf(pairs: readonly Pair[]) {
  const first = pairs[0]?.weight ?? 1;
  const isAlike = pairs.every(({ cluster, weight = 1 }) => cluster === undefined && weight === first);
  if (isAlike) return undefined;
  const values = pairs.map(
    ({ d, cluster, weight = 1 }, i): ClusteredValue => ({ value: d, weight, cluster: cluster ?? i }),
  );
  const grouped = clustering(values);
  return grouped.clusters === values.length && values.every(({ weight }) => weight === first) ? undefined : grouped;
}

function withoutWorth({ worth: _, ...rest }: ReturnType<typeof clustering>): Clustering {
  return rest;
}

function check({ d, weight }: Pair): void {
  if (!(d >= -1 && d <= 1)) throw new RangeError(`not a difference of scores: ${d}`);
  if (weight !== undefined && !(weight > 0 && Number.isFinite(weight))) throw new RangeError(`not a weight: ${weight}`);
}
