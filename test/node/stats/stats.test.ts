import { describe, expect, it } from "vitest";
import { nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import { type CostSample, effectiveCost, pairedCostRatio } from "../../../src/stats/cost.ts";
import { percentile, percentileInterval } from "../../../src/stats/percentile.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { tQuantile } from "../../../src/stats/student-t.ts";
import { wilson } from "../../../src/stats/wilson.ts";

describe("Wilson's interval", () => {
  it.each([
    [81, 263, 0.255289, 0.36621],
    [15, 148, 0.062386, 0.160487],
    [0, 20, 0, 0.161125],
    [1, 29, 0.006113, 0.171755],
    [0, 10, 0, 0.277533],
    [10, 10, 0.722467, 1],
    [9, 10, 0.59585, 0.982124],
    [80, 100, 0.711171, 0.866633],
    [1, 1, 0.206549, 1],
  ])("of %i in %i is the published one", (k, n, low, high) => {
    expect(wilson(k, n)?.low).toBeCloseTo(low, 6);
    expect(wilson(k, n)?.high).toBeCloseTo(high, 6);
  });

  it("does not exist where nothing was measured, and takes counts only", () => {
    expect(wilson(0, 0)).toBeUndefined();
    expect(() => wilson(3, 2)).toThrow(RangeError);
    expect(() => wilson(0.5, 2)).toThrow(RangeError);
  });
});

describe("Student's t", () => {
  it.each([
    [0.975, 1, 12.706204736174698],
    [0.975, 3, 3.182446305284263],
    [0.975, 9, 2.2621571628540993],
    [0.975, 29, 2.045229642132703],
    [0.975, 10_000, 1.960201239890626],
    [0.95, 4, 2.13184678632665],
  ])("has its quantile at %f with %i degrees", (p, degrees, expected) => {
    expect(tQuantile(p, degrees)).toBeCloseTo(expected, 9);
  });
});

const dollars = [0.0021, 0.0018, 0.0035, 0.0022, 0.0019, 0.0041, 0.002, 0.0024, 0.0017, 0.0028];
const passes = [1, 1, 0, 1, 1, 0, 1, 1, 1, 1];
const dearDollars = [0.01, 0.012, 0.009, 0.015, 0.011, 0.01, 0.013, 0.012, 0.01, 0.014];
const dearPasses = [1, 1, 1, 1, 0, 1, 1, 1, 1, 1];

const arm = (costs: readonly number[], conformant: readonly number[], times: number): CostSample[] =>
  Array.from({ length: times }, () =>
    costs.map((cost, i) => ({ cost: usdToNano(cost), conformant: conformant[i] === 1 })),
  ).flat();

describe("cost per thousand conformant outputs", () => {
  it("puts failed calls in the numerator", () => {
    expect(effectiveCost(arm(dollars, passes, 1))).toMatchObject({
      status: "measured",
      per1k: 3.0625e9,
      interval: undefined,
    });
  });

  it("has a jackknife interval from 30 samples on, longer on the side of its skewness", () => {
    // Worked out independently from the formulas.
    const measured = effectiveCost(arm(dollars, passes, 4));
    if (measured.status !== "measured") throw new Error(measured.status);
    expect((measured.interval?.low ?? 0) / 1e9).toBeCloseTo(2.3709376, 6);
    expect((measured.interval?.high ?? 0) / 1e9).toBeCloseTo(4.1219181, 6);
  });

  it("is refused, not zero, where nothing conformed or a price is unknown", () => {
    expect(effectiveCost([{ cost: nanoUsd(840), conformant: false }])).toEqual({
      status: "none_conformant",
      spent: 840,
    });
    expect(effectiveCost([{ cost: undefined, conformant: true }])).toEqual({ status: "unpriced", missing: 1 });
  });
});

describe("the paired cost ratio", () => {
  it("is the published one", () => {
    expect(pairedCostRatio(arm(dollars, passes, 1), arm(dearDollars, dearPasses, 1))?.ratio).toBeCloseTo(0.237608, 6);
  });

  it.each([
    [0.025, 0.1725334, 0.3272262],
    [0.0025, 0.14788062, 0.38177717],
  ])("has a jackknife interval, one-sided at %f", (level, low, high) => {
    const measured = pairedCostRatio(arm(dollars, passes, 4), arm(dearDollars, dearPasses, 4), level);
    expect(measured?.interval?.low).toBeCloseTo(low, 6);
    expect(measured?.interval?.high).toBeCloseTo(high, 6);
  });

  it("leaves out a cluster as one, so that copies of a question are no evidence", () => {
    const copied = (costs: readonly number[], conformant: readonly number[]) =>
      arm(costs, conformant, 40).map((sample, i) => ({ ...sample, cluster: `question ${i % 10}` }));
    const measured = pairedCostRatio(copied(dollars, passes), copied(dearDollars, dearPasses));
    expect(measured?.ratio).toBeCloseTo(0.237608, 6);
    expect(measured?.interval).toBeUndefined();
  });

  it("says nothing where an arm is unpriced", () => {
    expect(
      pairedCostRatio([{ cost: undefined, conformant: true }], [{ cost: nanoUsd(1), conformant: true }]),
    ).toBeUndefined();
  });
});

describe("the interval of a percentile", () => {
  const ranks = (n: number) => Array.from({ length: n }, (_, i) => i);

  it.each([
    [200, 95, 183, 196],
    [40, 50, 13, 26],
    [100, 95, 89, 99],
  ])("of %i values lies between the ranks of the binomial distribution for percentile %i", (n, p, low, high) => {
    expect(percentileInterval(ranks(n), p)).toEqual({ low, high });
  });

  it("is not given where the sample has no such ranks", () => {
    expect(percentileInterval(ranks(60), 95)).toBeUndefined();
    expect(percentileInterval([], 50)).toBeUndefined();
  });
});

describe("percentiles and chance", () => {
  it("interpolates between ranks", () => {
    expect(percentile([1, 2, 3, 4], 50)).toBe(2.5);
    expect(percentile([7], 95)).toBe(7);
    expect(() => percentile([], 50)).toThrow(RangeError);
  });

  it("repeats itself from its seed", () => {
    const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
