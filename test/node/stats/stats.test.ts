import { describe, expect, it } from "vitest";
import { nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import { type CostSample, effectiveCost, pairedCostRatio } from "../../../src/stats/cost.ts";
import { percentile } from "../../../src/stats/percentile.ts";
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

  it("has the delta-method interval on the log scale from 30 samples on", () => {
    // The ten published samples repeated: sd(ψ) keeps its population value, so the standard error is known from theirs.
    const single = Math.log(5.543355 / 3.0625) / tQuantile(0.975, 9);
    const repeated = (single * Math.sqrt(10 * 9)) / Math.sqrt(10) / Math.sqrt(39);
    const measured = effectiveCost(arm(dollars, passes, 4));
    const reach = Math.exp(tQuantile(0.975, 39) * repeated);
    if (measured.status !== "measured") throw new Error(measured.status);
    expect((measured.interval?.high ?? 0) / 3.0625e9).toBeCloseTo(reach, 6);
    expect((measured.interval?.low ?? 0) * reach).toBeCloseTo(3.0625e9, -4);
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

  it("has the paired interval on the log scale", () => {
    const standardError = 0.328282;
    const repeated = (standardError * 3) / Math.sqrt(39);
    const reach = Math.exp(tQuantile(0.975, 39) * repeated);
    const measured = pairedCostRatio(arm(dollars, passes, 4), arm(dearDollars, dearPasses, 4));
    expect((measured?.interval?.high ?? 0) / 0.237608).toBeCloseTo(reach, 4);
  });

  it("says nothing where an arm is unpriced", () => {
    expect(
      pairedCostRatio([{ cost: undefined, conformant: true }], [{ cost: nanoUsd(1), conformant: true }]),
    ).toBeUndefined();
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
