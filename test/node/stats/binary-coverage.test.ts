import { describe, expect, it } from "vitest";
import type { Interval } from "../../../src/stats/interval.ts";
import { regretInterval } from "../../../src/stats/paired-regret.ts";
import { tQuantile } from "../../../src/stats/student-t.ts";
import { tango } from "../../../src/stats/tango.ts";
import { exactCoverage, SIZES, type TableInterval, worstCoverage } from "../../bench/stats/enumeration.ts";
import { agrestiMin, pairedT } from "../../support/bakeoff/interval-rivals.ts";

const Z = 1.959963984540054;
const ofTango: TableInterval = (losses, wins, n) => tango({ losses, wins, n }, Z);
const productAt =
  (confidence: number): TableInterval =>
  (losses, wins, n) => {
    const moments = { n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n };
    return regretInterval("tango_bonett_price", moments, undefined, confidence);
  };
const ofProduct = productAt(0.95);
const ofT = (n: number): TableInterval => {
  const quantile = tQuantile(0.975, n - 1);
  return (losses, wins): Interval => pairedT(losses, wins, n, quantile);
};

describe("exact coverage of the interval that decides, over every table", () => {
  it.each(SIZES)("of %i pairs holds 945 times in 1,000 and falls short at most 36 times, whatever the truth", (n) => {
    const { covered, upperMiss } = worstCoverage(n, ofProduct);
    expect(covered).toBeGreaterThanOrEqual(0.945);
    expect(upperMiss).toBeLessThanOrEqual(0.036);
  });

  it("has the published worst cases, and its rivals theirs", () => {
    const worst = (interval: TableInterval, n: number) => {
      const { covered, upperMiss } = worstCoverage(n, interval);
      return [covered.toFixed(3), upperMiss.toFixed(3)];
    };
    expect(worst(ofProduct, 10)).toEqual(["0.947", "0.030"]);
    expect(worst(ofProduct, 50)).toEqual(["0.950", "0.032"]);
    expect(worst(ofT(10), 10)).toEqual(["0.049", "0.951"]);
    expect(worst(ofTango, 100)).toEqual(["0.933", "0.050"]);
    expect(worst((b, c, n) => agrestiMin({ a: n - b - c, b, c, e: 0 }), 20)).toEqual(["0.876", "0.122"]);
  });
});

describe("exact coverage of the parts", () => {
  it.each([
    [10, 0.05, 0, 0.999936, undefined],
    [20, 0.05, 0.02, 0.997862, 0.000261],
    [50, 0.1, 0.05, 0.955452, 0.016797],
    [100, 0.05, 0.02, 0.936334, 0.021273],
  ])("Tango's, %i pairs with losses %f and wins %f, is the published one", (n, pLoss, pWin, covered, upperMiss) => {
    const coverage = exactCoverage(n, ofTango)(pLoss, pWin);
    expect(coverage.covered).toBeCloseTo(covered, 6);
    if (upperMiss !== undefined) expect(coverage.upperMiss).toBeCloseTo(upperMiss, 6);
  });

  it("Student's t collapses where nothing disagrees: it misses a true regret of 5% in three of five runs of ten", () => {
    const { covered, upperMiss } = exactCoverage(10, ofT(10))(0.05, 0);
    expect(covered).toBeCloseTo(0.401199, 6);
    expect(upperMiss).toBeCloseTo(0.598737, 6);
  });
});

describe("several variants, each exactly as bad as forbidden", () => {
  const anyPasses = (variants: number, confidence: number): number => {
    const { upperMiss } = exactCoverage(200, productAt(confidence))(0.08, 0.03);
    return 1 - (1 - upperMiss) ** variants;
  };

  it.each([1, 3, 5, 10])(
    "of %i, one passes no more often than promised of one when the level is shared",
    (variants) => {
      expect(anyPasses(variants, 1 - (2 * 0.025) / variants)).toBeLessThanOrEqual(0.025);
    },
  );

  it("of ten, one passes in every sixth bake-off or more when each is taken alone", () => {
    expect(anyPasses(10, 0.95)).toBeGreaterThan(1 / 6);
  });
});
