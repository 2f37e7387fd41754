import { describe, expect, it } from "vitest";
import { type ClusteredValue, clusteredMean, clustering } from "../../../src/stats/clustered.ts";
import { pairedRegret } from "../../../src/stats/paired-regret.ts";
import { tCdf, tQuantile } from "../../../src/stats/student-t.ts";

const D = [0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 1, 0];
const inClustersOf = (size: number, d: readonly number[] = D): ClusteredValue[] =>
  d.map((value, i) => ({ value, weight: 1, cluster: Math.floor(i / size) }));

describe("a mean over clusters", () => {
  it("has the CR1 error of its vector, and t of clusters − 1", () => {
    const { mean, error, clusters } = clusteredMean(inClustersOf(3));
    expect(mean).toBeCloseTo(0.166667, 6);
    expect(error).toBeCloseTo(0.215166, 6);
    expect(error * Math.sqrt(3 / 4)).toBeCloseTo(0.186339, 6); // CR0
    expect(clusters).toBe(4);
    const t = tQuantile(0.975, clusters - 1);
    expect(t).toBeCloseTo(3.182446, 6);
    expect(mean - t * error).toBeCloseTo(-0.518087, 6);
    expect(mean + t * error).toBeCloseTo(0.85142, 6);
  });

  it("of items that stand alone is the ordinary one: the vector's naive error, and Student's sleep data", () => {
    expect(clusteredMean(inClustersOf(1)).error).toBeCloseTo(0.166667, 6);
    const sleep = [-1.2, -2.4, -1.3, -1.3, 0, -1, -1.8, -0.8, -4.6, -1.4];
    const { mean, error } = clusteredMean(inClustersOf(1, sleep));
    expect(mean / error).toBeCloseTo(-4.062128, 6);
    expect(2 * tCdf(mean / error, 9)).toBeCloseTo(0.00283289, 8);
    expect(mean - tQuantile(0.975, 9) * error).toBeCloseTo(-2.459886, 6);
    expect(mean + tQuantile(0.975, 9) * error).toBeCloseTo(-0.700114, 6);
  });
});

describe("what clustered pairs are worth", () => {
  it("is never more than their number, and that of items that stand alone exactly it", () => {
    expect(clustering(inClustersOf(1)).worth).toBeCloseTo(12, 9);
    expect(clustering(inClustersOf(3)).worth).toBeLessThan(12);
  });

  it("is no more than what the ratio of variances says", () => {
    const ratio = (0.215166 / 0.166667) ** 2;
    expect(clustering(inClustersOf(3)).deff).toBeGreaterThanOrEqual(ratio - 1e-5);
  });

  it("supposes a correlation of a half where nothing disagrees: 100 calls of 10 customers are not 100 stories", () => {
    const agreed = clustering(inClustersOf(10, Array(100).fill(0)));
    expect(agreed.deff).toBeCloseTo(1 + 9 / 2, 9);
    expect(agreed.worth).toBeCloseTo(100 / 5.5, 9);
  });

  it("never narrows the interval by a first loss, whatever the size of clusters", () => {
    for (const size of [2, 3, 5, 10, 25])
      for (const clusters of [20, 40, 200]) {
        const upper = (losses: number): number => {
          const pairs = Array.from({ length: clusters * size }, (_, i) => ({
            d: i % size === 0 && i / size < losses ? 1 : 0,
            cluster: `${Math.floor(i / size)}`,
          }));
          return pairedRegret(pairs)?.high ?? Number.NaN;
        };
        for (let losses = 0; losses < 8; losses++) expect(upper(losses + 1)).toBeGreaterThanOrEqual(upper(losses));
      }
  });

  it("approaches the ratio as disagreement accumulates", () => {
    // Losses spread evenly over 200 clusters of five: no clustering at all.
    const spread = Array.from({ length: 1000 }, (_, i) => (i % 5 === 0 && i % 2 === 0 ? 1 : 0));
    expect(clustering(inClustersOf(5, spread)).deff).toBeLessThan(1.5);
  });

  it("is not enough to decide on below 20 clusters, or where one holds more than half", () => {
    expect(clustering(inClustersOf(5, Array(95).fill(0))).sufficient).toBe(false);
    expect(clustering(inClustersOf(5, Array(100).fill(0))).sufficient).toBe(true);
    const dominated = Array.from({ length: 61 }, (_, i) => ({ value: 0, weight: 1, cluster: i < 31 ? "big" : i }));
    expect(clustering(dominated)).toMatchObject({ sufficient: false, clusters: 31 });
    expect(clustering(dominated).largestShare).toBeCloseTo(31 / 61, 12);
  });
});

describe("regret of clustered pairs", () => {
  it("reports clusters and design effect, and has t of clusters − 1", () => {
    const regret = pairedRegret(D.map((d, i) => ({ d, cluster: `customer-${Math.floor(i / 3)}` })));
    expect(regret).toMatchObject({ method: "tango_bonett_price", degrees: 3, n: 12, losses: 3, wins: 1 });
    expect(regret?.clustering).toMatchObject({ clusters: 4, largestShare: 0.25, sufficient: false });
  });

  it("covers at least what the CR1 interval covers", () => {
    const regret = pairedRegret(
      D.map((d, i) => ({ d, cluster: Math.floor(i / 3).toString() })),
      { scores: "graded" },
    );
    expect(regret?.low).toBeLessThanOrEqual(-0.518087);
    expect(regret?.high).toBeGreaterThanOrEqual(0.85142);
  });

  it("is the whole scale where one cluster is all there is, and the plain one where each pair has its own", () => {
    expect(pairedRegret(Array(30).fill({ d: 0, cluster: "only" }))).toMatchObject({ low: -1, high: 1 });
    const own = Array.from({ length: 30 }, (_, i) => ({ d: 0, cluster: `${i}` }));
    expect(pairedRegret(own)).toEqual(pairedRegret(Array(30).fill({ d: 0 })));
  });

  it("stays sound over 300,000 pairs of 150,000 customers", () => {
    const pairs = Array.from({ length: 300_000 }, (_, i) => ({ d: i % 100 === 0 ? 1 : 0, cluster: `${i >> 1}` }));
    const regret = pairedRegret(pairs);
    expect(regret?.clustering?.clusters).toBe(150_000);
    expect(regret?.low).toBeGreaterThan(0.009);
    expect(regret?.high).toBeLessThan(0.011);
  });

  it("counts a pair without a cluster as one of its own", () => {
    const pairs = Array.from({ length: 40 }, (_, i) => (i < 20 ? { d: 0, cluster: "a" } : { d: 0 }));
    expect(pairedRegret(pairs)?.clustering).toMatchObject({ clusters: 21, largestShare: 0.5 });
  });
});
