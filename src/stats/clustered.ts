/**
 * Pairs that share a customer or a run carry less information than independent ones. Variance of the mean by clusters
 * (CR1: Miller 2024, arXiv 2411.00640), and how many independent pairs the data are equivalent to.
 */

/** Below this many clusters, or above this share of one, no tested method keeps its confidence: no proposal. */
export const LEAST_CLUSTERS = 20;
export const LARGEST_SHARE = 0.5;

/** Correlation assumed within a cluster until disagreement shows another; 0.2 to 0.3 is common. */
const SUPPOSED_CORRELATION = 0.5;

export interface ClusteredValue {
  readonly value: number;
  /** Times the item was seen; its repeats are one cluster. */
  readonly weight: number;
  readonly cluster: string | number;
}

export interface Clustering {
  readonly clusters: number;
  /** Part of all weight that the largest cluster holds. */
  readonly largestShare: number;
  /** Items per equivalent independent pair; at least 1. */
  readonly deff: number;
  /** True when clusters are many and even enough to decide on. */
  readonly sufficient: boolean;
}

/** Weighted mean and its CR1 standard error (S_g = Σ w·(d − mean); se² = G/(G−1)·ΣS_g² / (Σw)²), for t with G − 1. */
export function clusteredMean(values: readonly ClusteredValue[]): { mean: number; error: number; clusters: number } {
  const { mean, weight, totals } = clusterTotals(values);
  const clusters = totals.length;
  const squares = totals.reduce((sum, total) => sum + total.deviation ** 2, 0);
  return { mean, clusters, error: Math.sqrt((squares * clusters) / (clusters - 1)) / weight };
}

/**
 * Independent pairs that the values are worth: the least of
 * - Kish's (Σw)² / Σw², which repeats of one input cannot exceed,
 * - n / (CR1 variance / naive variance), and
 * - the same ratio after one cluster of +1 and one of −1 were added, of the size that the supposed correlation makes of
 *   an average one. Where nothing disagrees the ratio of variances is 0/0 and would count calls; this does not, and
 *   fades as evidence comes, slowly enough that a first loss never narrows the interval.
 */
export function clustering(values: readonly ClusteredValue[]): Clustering & { readonly worth: number } {
  const { weight, totals, spread, squaredWeight } = clusterTotals(values);
  const clusters = totals.length;
  const between = totals.reduce((sum, total) => sum + total.deviation ** 2, 0);
  const kish = squaredWeight / weight;
  const whole = totals.reduce((sum, total) => sum + total.weight ** 2, 0) / weight;
  const size = kish + SUPPOSED_CORRELATION * (whole - kish);
  const n = values.length;
  const naive = (spread * n) / Math.max(1, n - 1);
  const estimated = naive > 0 && clusters > 1 ? (between * clusters) / (clusters - 1) / naive : 0;
  const supported = (between + 2 * size * size) / (spread + 2 * size);
  const worth = weight / Math.max(kish, estimated, supported);
  const largestShare = totals.reduce((most, total) => Math.max(most, total.weight), 0) / weight;
  return {
    clusters,
    largestShare,
    deff: n / worth,
    worth,
    sufficient: clusters >= LEAST_CLUSTERS && largestShare <= LARGEST_SHARE,
  };
}

function clusterTotals(values: readonly ClusteredValue[]) {
  let weight = 0;
  let sum = 0;
  let squaredWeight = 0;
  for (const value of values) {
    weight += value.weight;
    squaredWeight += value.weight ** 2;
    sum += value.weight * value.value;
  }
  const mean = sum / weight;
  const byCluster = new Map<string | number, { weight: number; deviation: number }>();
  let spread = 0;
  for (const { value, weight: own, cluster } of values) {
    const total = byCluster.get(cluster) ?? { weight: 0, deviation: 0 };
    total.weight += own;
    total.deviation += own * (value - mean);
    byCluster.set(cluster, total);
    spread += own * (value - mean) ** 2;
  }
  return { mean, weight, squaredWeight, spread, totals: [...byCluster.values()] };
}
