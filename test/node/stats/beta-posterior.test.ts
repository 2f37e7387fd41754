import { describe, expect, it } from "vitest";
import {
  betaPosterior,
  betaQuantile,
  decayed,
  posteriorInterval,
  posteriorMean,
  probabilityBetter,
} from "../../../src/stats/beta-posterior.ts";

describe("a pass rate learned on top of a benchmark", () => {
  it.each([
    [0.7, 12, 3, 0.742857, 0.588292, 0.871183],
    [0.9, 0, 5, 0.72, 0.532887, 0.873848],
    [0.5, 10, 0, 0.666667, 0.491677, 0.820616],
    [0.8, 45, 5, 0.871429, 0.784267, 0.938583],
  ])("of %f, after %i passes and %i fails, is the published one", (benchmark, passes, fails, mean, low, high) => {
    const posterior = betaPosterior(benchmark, { passes, fails });
    expect(posteriorMean(posterior)).toBeCloseTo(mean, 6);
    expect(posteriorInterval(posterior).low).toBeCloseTo(low, 6);
    expect(posteriorInterval(posterior).high).toBeCloseTo(high, 6);
  });

  it("forgets outcomes with their half-life, and returns to the benchmark when nothing comes", () => {
    const outcomes = [
      { passed: true, age: 0 },
      { passed: true, age: 7 },
      { passed: false, age: 14 },
      { passed: true, age: 28 },
    ];
    const recent = decayed(outcomes, 14);
    expect(recent.passes).toBeCloseTo(1.957107, 6);
    expect(recent.fails).toBeCloseTo(0.5, 12);
    expect(posteriorMean(betaPosterior(0.7, recent))).toBeCloseTo(0.710559, 6);
    const old = outcomes.map(({ passed, age }) => ({ passed, age: age + 1_400 }));
    expect(posteriorMean(betaPosterior(0.7, decayed(old, 14)))).toBeCloseTo(0.7, 12);
  });

  it("refuses what cannot be a rate, an outcome, or an age", () => {
    for (const benchmark of [0, 1, Number.NaN])
      expect(() => betaPosterior(benchmark, { passes: 0, fails: 0 })).toThrow(RangeError);
    expect(() => betaPosterior(0.5, { passes: -1, fails: 0 })).toThrow(RangeError);
    expect(() => decayed([{ passed: true, age: -1 }], 14)).toThrow(RangeError);
    expect(() => decayed([], 0)).toThrow(RangeError);
  });
});

describe("the chance that one rate is above another", () => {
  it("is the published one", () => {
    expect(probabilityBetter({ a: 26, b: 9 }, { a: 14, b: 6 })).toBeCloseTo(0.627367, 6);
  });

  it("has its closed forms: uniform against powers, and a coin between equals", () => {
    // P(U^(1/a) > U'^(1/c)) = a / (a + c).
    expect(probabilityBetter({ a: 3, b: 1 }, { a: 2, b: 1 })).toBeCloseTo(3 / 5, 9);
    for (const shape of [
      { a: 0.1, b: 19.9 },
      { a: 1, b: 1 },
      { a: 2e5, b: 1e5 },
    ])
      expect(probabilityBetter(shape, shape)).toBeCloseTo(0.5, 8);
  });

  it("and its contrary make one, near the ends too", () => {
    const pairs = [
      [
        { a: 0.2, b: 19.8 },
        { a: 5, b: 30 },
      ],
      [
        { a: 300, b: 2 },
        { a: 80, b: 3 },
      ],
    ] as const;
    for (const [one, other] of pairs)
      expect(probabilityBetter(one, other) + probabilityBetter(other, one)).toBeCloseTo(1, 7);
  });
});

it("a Beta quantile inverts what is known in closed form", () => {
  expect(betaQuantile(0.3, { a: 1, b: 1 })).toBeCloseTo(0.3, 12);
  expect(betaQuantile(0.49, { a: 2, b: 1 })).toBeCloseTo(0.7, 12);
  expect(() => betaQuantile(1.2, { a: 1, b: 1 })).toThrow(RangeError);
});
