/** Interval estimators that the product does not use: what its own are measured against. */
import { betaQuantile } from "../../../src/stats/beta-posterior.ts";
import { type Interval, Z_95 } from "../../../src/stats/interval.ts";
import { tQuantile } from "../../../src/stats/student-t.ts";
import { wilson } from "../../../src/stats/wilson.ts";

/** Paired table: both pass, loss, win, both fail. */
export interface PairedTable {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly e: number;
}

export function wald({ a, b, c, e }: PairedTable): Interval {
  const n = a + b + c + e;
  const mean = (b - c) / n;
  const reach = Z_95 * Math.sqrt((b + c - (b - c) ** 2 / n) / n ** 2);
  return { low: mean - reach, high: mean + reach };
}

/** Agresti & Min 2005: half a pair added to each cell. */
export function agrestiMin({ a, b, c, e }: PairedTable): Interval {
  return wald({ a: a + 0.5, b: b + 0.5, c: c + 0.5, e: e + 0.5 });
}

/** Newcombe 1998, method 10. */
export function newcombe10({ a, b, c, e }: PairedTable): Interval {
  const n = a + b + c + e;
  const [p1, p2] = [(a + b) / n, (a + c) / n];
  const [first, second] = [wilson(a + b, n), wilson(a + c, n)];
  if (first === undefined || second === undefined) throw new RangeError("an empty table");
  const margins = (a + b) * (c + e) * (a + c) * (b + e);
  const determinant = a * e - b * c;
  const numerator = determinant > n / 2 ? determinant - n / 2 : Math.min(determinant, 0);
  const psi = margins === 0 ? 0 : numerator / Math.sqrt(margins);
  const reach = (x: number, y: number): number => Math.sqrt(x * x - 2 * psi * x * y + y * y);
  return {
    low: p1 - p2 - reach(p1 - first.low, second.high - p2),
    high: p1 - p2 + reach(p2 - second.low, first.high - p1),
  };
}

/** Student's t on pass/fail pairs; without width where no pair disagrees. */
export function pairedT(losses: number, wins: number, n: number, quantile = tQuantile(0.975, n - 1)): Interval {
  const mean = (losses - wins) / n;
  const reach = quantile * Math.sqrt(Math.max(0, losses + wins - n * mean * mean) / (n - 1) / n);
  return { low: mean - reach, high: mean + reach };
}

export function wilsonCorrected(k: number, n: number): Interval {
  const [p, q] = [k / n, 1 - k / n];
  const z2 = Z_95 ** 2;
  const low = 2 * n * p + z2 - 1 - Z_95 * Math.sqrt(z2 - 2 - 1 / n + 4 * p * (n * q + 1));
  const high = 2 * n * p + z2 + 1 + Z_95 * Math.sqrt(z2 + 2 - 1 / n + 4 * p * (n * q - 1));
  return { low: k === 0 ? 0 : low / (2 * (n + z2)), high: k === n ? 1 : high / (2 * (n + z2)) };
}

export function clopperPearson(k: number, n: number): Interval {
  return {
    low: k === 0 ? 0 : betaQuantile(0.025, { a: k, b: n - k + 1 }),
    high: k === n ? 1 : betaQuantile(0.975, { a: k + 1, b: n - k }),
  };
}

interface RatioMoments {
  readonly n: number;
  readonly cost: number;
  readonly rate: number;
  /** Variances and covariance of the two means. */
  readonly ofCost: number;
  readonly ofRate: number;
  readonly covariance: number;
}

function ratioMoments(costs: readonly number[], passes: readonly number[]): RatioMoments {
  const n = costs.length;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / n;
  const [cost, rate] = [mean(costs), mean(passes)];
  const scaled = (products: readonly number[]): number => products.reduce((sum, value) => sum + value, 0) / (n - 1) / n;
  return {
    n,
    cost,
    rate,
    ofCost: scaled(costs.map((value) => (value - cost) ** 2)),
    ofRate: scaled(passes.map((value) => (value - rate) ** 2)),
    covariance: scaled(costs.map((value, i) => (value - cost) * ((passes[i] ?? 0) - rate))),
  };
}

/** Fieller's interval of 1000·Σcost/Σpasses, and its g; undefined where g ≥ 1. */
export function fieller(costs: readonly number[], passes: readonly number[]): (Interval & { g: number }) | undefined {
  const m = ratioMoments(costs, passes);
  const q2 = tQuantile(0.975, m.n - 1) ** 2;
  const g = (q2 * m.ofRate) / m.rate ** 2;
  if (!(g < 1)) return undefined;
  const a = m.rate ** 2 - q2 * m.ofRate;
  const b = m.cost * m.rate - q2 * m.covariance;
  const root = Math.sqrt(b * b - a * (m.cost ** 2 - q2 * m.ofCost));
  return { low: (1000 * (b - root)) / a, high: (1000 * (b + root)) / a, g };
}

/** The delta method without the logarithm. */
export function plainDelta(costs: readonly number[], passes: readonly number[]): Interval {
  const m = ratioMoments(costs, passes);
  const ratio = m.cost / m.rate;
  const variance = (m.ofCost - 2 * ratio * m.covariance + ratio ** 2 * m.ofRate) / m.rate ** 2;
  const reach = tQuantile(0.975, m.n - 1) * Math.sqrt(variance);
  return { low: 1000 * (ratio - reach), high: 1000 * (ratio + reach) };
}

/** Standard error of the logarithm of a ratio by the delta method, from ψ_i = c_i/c̄ − y_i/ȳ. */
export function logStandardError(psi: readonly number[]): number {
  const n = psi.length;
  const mean = psi.reduce((sum, value) => sum + value, 0) / n;
  const variance = psi.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return Math.sqrt(variance / n);
}
