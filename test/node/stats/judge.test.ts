import { describe, expect, it } from "vitest";
import { correctedRate } from "../../../src/stats/judge-correction.ts";
import { cohen, graderAgreement } from "../../../src/stats/kappa.ts";

describe("a pass rate corrected for its judge", () => {
  it.each([
    [
      [400, 1000],
      [180, 200],
      [140, 200],
      [0.166667, 0.056351, 0.262733],
    ],
    // Specificity 0.85 of 50 is half a case; the vector is kept as published.
    [
      [240, 300],
      [135, 150],
      [42.5, 50],
      [0.866667, 0.779991, 0.953329],
    ],
  ] as const)("of %j, sensitivity %j, specificity %j is %j", (verdicts, passes, fails, expected) => {
    const corrected = correctedRate(
      { passed: verdicts[0], of: verdicts[1] },
      { passes: { agreed: passes[0], of: passes[1] }, fails: { agreed: fails[0], of: fails[1] } },
    );
    if (corrected.status !== "corrected") throw new Error(corrected.status);
    expect(corrected.rate).toBeCloseTo(expected[0], 6);
    expect(corrected.interval.low).toBeCloseTo(expected[1], 6);
    expect(corrected.interval.high).toBeCloseTo(expected[2], 6);
  });

  it("does not exist where the judge is no better than chance, or was never compared with people", () => {
    const verdicts = { passed: 50, of: 100 };
    const coin = { agreed: 10, of: 20 };
    expect(correctedRate(verdicts, { passes: coin, fails: coin })).toEqual({ status: "uninformative" });
    const none = { agreed: 0, of: 0 };
    expect(correctedRate(verdicts, { passes: none, fails: coin })).toEqual({ status: "uninformative" });
    expect(correctedRate({ passed: 0, of: 0 }, { passes: coin, fails: coin })).toEqual({ status: "uninformative" });
    expect(() => correctedRate({ passed: 3, of: 2 }, { passes: coin, fails: coin })).toThrow(RangeError);
  });

  it("stays a rate, with the whole scale as interval where the judge is barely better than chance", () => {
    const barely = { passes: { agreed: 2, of: 3 }, fails: { agreed: 2, of: 4 } };
    const corrected = correctedRate({ passed: 1, of: 40 }, barely);
    expect(corrected).toMatchObject({ status: "corrected", rate: 0, interval: { low: 0, high: 1 } });
  });
});

describe("agreement of two graders", () => {
  it("has Cohen's κ beside the plain share", () => {
    const agreement = graderAgreement({ bothPass: 20, onlyFirst: 5, onlySecond: 10, bothFail: 15 });
    expect(agreement).toMatchObject({ n: 50, agreement: 0.7 });
    expect(agreement?.kappa).toBeCloseTo(0.4, 12);
    expect(agreement?.kappaInterval?.low).toBeGreaterThan(0.1);
    expect(agreement?.kappaInterval?.high).toBeLessThan(0.65);
  });

  it.each([[[20, 5, 10, 15]], [[40, 3, 2, 5]], [[10, 1, 30, 12]]] as const)(
    "has the delta method's error on %j, checked by differences",
    ([...cells]) => {
      const n = cells.reduce((sum, cell) => sum + cell, 0);
      const share = cells.map((cell) => cell / n) as [number, number, number, number];
      const slope = share.map((_, i) => {
        const at = (h: number) => cohen(share.map((p, j) => (j === i ? p + h : p)) as typeof share).kappa;
        return (at(1e-6) - at(-1e-6)) / 2e-6;
      });
      const mean = slope.reduce((sum, value, i) => sum + value * (share[i] ?? 0), 0);
      const variance = slope.reduce((sum, value, i) => sum + value ** 2 * (share[i] ?? 0), 0) - mean ** 2;
      expect(cohen([...cells]).error).toBeCloseTo(Math.sqrt(variance / n), 7);
    },
  );

  it("of few cases is never certain, and of one verdict throughout has no κ", () => {
    const perfect = graderAgreement({ bothPass: 6, onlyFirst: 0, onlySecond: 0, bothFail: 4 });
    expect(perfect?.kappa).toBe(1);
    expect(perfect?.kappaInterval?.low).toBeLessThan(0.8);
    const one = graderAgreement({ bothPass: 9, onlyFirst: 0, onlySecond: 0, bothFail: 0 });
    expect(one).toEqual({ n: 9, agreement: 1, interval: one?.interval });
    expect(graderAgreement({ bothPass: 0, onlyFirst: 0, onlySecond: 0, bothFail: 0 })).toBeUndefined();
    expect(() => graderAgreement({ bothPass: 1, onlyFirst: -1, onlySecond: 1, bothFail: 0 })).toThrow(RangeError);
  });
});
