import { describe, expect, it } from "vitest";
import {
  advance,
  type EProcess,
  leastPairsToPass,
  morePairsToPass,
  passes,
  startEProcess,
  upperBound,
} from "../../../src/stats/e-process.ts";

const fed = (state: EProcess, pairs: readonly number[]): EProcess => pairs.reduce(advance, state);
const ties = (n: number): number[] => Array(n).fill(0);
const lnW = (state: EProcess): number => state.wealth.find(({ margin }) => margin === state.epsilon)?.lnW ?? Number.NaN;
const start = (epsilon: number, k = 0.5) => startEProcess({ epsilon, alpha: 0.025, k });

describe("the e-process without a loss", () => {
  it.each([
    [0.02, 10, 0.101524],
    [0.02, 50, 0.507619],
    [0.02, 100, 1.015237],
    [0.05, 10, 0.259755],
    [0.05, 50, 1.298774],
    [0.05, 100, 2.597549],
  ])("against %f has, after %i pairs, ln W = %f", (epsilon, n, expected) => {
    expect(lnW(fed(start(epsilon), ties(n)))).toBeCloseTo(expected, 6);
  });

  it.each([
    [0.5, 0.02, 364],
    [0.5, 0.05, 143],
    [0.5, 0.1, 69],
    [0.9, 0.02, 203],
    [0.9, 0.05, 80],
    [0.9, 0.1, 39],
  ])("with stake %f against %f passes at pair %i and not before", (k, epsilon, n) => {
    expect(leastPairsToPass({ epsilon, alpha: 0.025, k })).toBe(n);
    expect(passes(fed(start(epsilon, k), ties(n - 1)))).toBe(false);
    expect(passes(fed(start(epsilon, k), ties(n)))).toBe(true);
  });
});

describe("the e-process with one loss at pair 30 against 5%", () => {
  const before = fed(start(0.05), ties(29));
  const with30 = advance(before, 1);

  it("has the published wealth before and after it, and passes at pair 170", () => {
    expect(lnW(before)).toBeCloseTo(0.753289, 6);
    expect(lnW(with30)).toBeCloseTo(0.060142, 6);
    expect(passes(fed(with30, ties(139)))).toBe(false);
    expect(passes(fed(with30, ties(140)))).toBe(true);
  });

  it("keeps what was once shown: later losses take no pass back", () => {
    const passed = fed(with30, ties(140));
    expect(passes(fed(passed, [1, 1, 1]))).toBe(true);
    expect(upperBound(fed(passed, [1, 1, 1]))).toBe(upperBound(passed));
  });
});

describe("its upper bound", () => {
  it("is at or below the margin exactly where it passes", () => {
    let state = start(0.035);
    for (let i = 1; i <= 400; i++) {
      state = advance(state, i % 97 === 0 ? 1 : 0);
      expect(passes(state)).toBe((upperBound(state) ?? 1) <= 0.035);
    }
    expect(passes(state)).toBe(true);
  });

  it("has no gaps: wealth grows with the margin whatever came", () => {
    let state = start(0.05);
    for (const d of [0, 1, -1, 0.5, 0, 0, -0.25, 1, 0, 0, 0, -1, -1, 0, 0, 0.75]) {
      state = advance(state, d);
      const wealth = state.wealth.map((entry) => entry.maxLnW);
      expect(wealth).toEqual([...wealth].sort((a, b) => a - b));
    }
  });

  it("goes below 0 where the candidate is better", () => {
    const better = Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? -1 : 0));
    const bound = upperBound(fed(start(0.05), better)) ?? 1;
    expect(bound).toBeLessThan(-0.05);
    expect(bound).toBeGreaterThanOrEqual(-0.25);
  });

  it("does not exist before anything is ruled out, and is harder to reach for a family", () => {
    expect(upperBound(start(0.05))).toBeUndefined();
    const state = fed(start(0.05), ties(150));
    expect(passes(state)).toBe(true);
    expect(passes(state, 0.025 / 5)).toBe(false);
  });
});

describe("its state", () => {
  it("survives as JSON, also in the middle", () => {
    const pairs = Array.from({ length: 60 }, (_, i) => [0, 0.5, -0.25, 1, 0][i % 5] ?? 0);
    const halfway = fed(start(0.05), pairs.slice(0, 30));
    const revived = fed(JSON.parse(JSON.stringify(halfway)), pairs.slice(30));
    expect(revived).toEqual(fed(start(0.05), pairs));
  });

  it("takes differences of scores only", () => {
    for (const d of [Number.NaN, 1.5, -1.5]) expect(() => advance(start(0.05), d)).toThrow(RangeError);
    for (const options of [
      { epsilon: 1, alpha: 0.025 },
      { epsilon: Number.NaN, alpha: 0.025 },
      { epsilon: 0.05, alpha: 0 },
      { epsilon: 0.05, alpha: 0.025, k: 1 },
    ])
      expect(() => startEProcess(options)).toThrow(RangeError);
  });
});

describe("how many more pairs it needs", () => {
  it("is exact where nothing disagrees", () => {
    expect(morePairsToPass(start(0.05))).toBe(143);
    expect(morePairsToPass(fed(start(0.05), ties(43)))).toBe(100);
    expect(morePairsToPass(fed(start(0.05), ties(143)))).toBe(0);
  });

  it("is what such pairs then need, within a third", () => {
    let state = fed(
      start(0.05),
      Array.from({ length: 100 }, (_, i) => (i === 50 ? 1 : 0)),
    );
    const predicted = morePairsToPass(state) ?? Number.NaN;
    let needed = 0;
    while (!passes(state)) state = advance(state, ++needed % 100 === 50 ? 1 : 0);
    expect(needed).toBeGreaterThan(50);
    expect(predicted / needed).toBeGreaterThan(2 / 3);
    expect(predicted / needed).toBeLessThan(4 / 3);
  });

  it("is unknown where the regret is as large as the margin", () => {
    const bad = Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? 1 : 0));
    expect(morePairsToPass(fed(start(0.05), bad), 0.025, 20_000)).toBeUndefined();
  });
});
