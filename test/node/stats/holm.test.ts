import { describe, expect, it } from "vitest";
import { holm, jointConfidence } from "../../../src/stats/holm.ts";

describe("Holm's adjustment", () => {
  it.each([
    [
      [0.01, 0.02, 0.03, 0.04, 0.05],
      [0.05, 0.08, 0.09, 0.09, 0.09],
    ],
    [
      [0.1496, 0.0275, 0.3053, 0.1599, 0.2061],
      [0.5984, 0.1375, 0.5984, 0.5984, 0.5984],
    ],
    [[0.9], [0.9]],
    [
      [0.9, 0.8],
      [1, 1],
    ],
    [[], []],
  ])("of %j is %j", (given, expected) => {
    const adjusted = holm(given);
    expect(adjusted).toHaveLength(expected.length);
    adjusted.forEach((p, i) => {
      expect(p).toBeCloseTo(expected[i] ?? Number.NaN, 12);
    });
  });

  it("takes probabilities only", () => {
    for (const p of [-0.1, 1.1, Number.NaN]) expect(() => holm([p])).toThrow(RangeError);
  });
});

describe("Bonferroni's confidence for a family", () => {
  it("splits the level evenly", () => {
    expect(jointConfidence(0.025, 1)).toBeCloseTo(0.95, 12);
    expect(jointConfidence(0.025, 5)).toBeCloseTo(0.99, 12);
    expect(() => jointConfidence(0.025, 0)).toThrow(RangeError);
    expect(() => jointConfidence(0.5, 1)).toThrow(RangeError);
  });
});
