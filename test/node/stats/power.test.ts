import { describe, expect, it } from "vitest";
import { binaryRegret, type PairedRegret } from "../../../src/stats/paired-regret.ts";
import { detectable, leastPairs, pairsNeeded } from "../../../src/stats/power.ts";

const measured = (regret: PairedRegret | undefined): PairedRegret => {
  if (regret === undefined) throw new Error("nothing measured");
  return regret;
};

describe("pairs to plan for", () => {
  it.each([
    [0.02, 0.02, 392],
    [0.04, 0.02, 785],
    [0.06, 0.02, 1177],
    [0.1, 0.02, 1962],
    [0.06, 0.05, 188],
    [0.1, 0.05, 314],
  ])("where a share of %f disagrees and the margin is %f are %i", (discordance, epsilon, n) => {
    expect(pairsNeeded({ discordance, epsilon })).toBe(n);
  });

  it.each([
    [0.01, 381],
    [0.02, 189],
    [0.05, 73],
    [0.1, 35],
    [0.25, 12],
  ])("for a margin of %f are never below %i, the least at which no loss at all can pass", (epsilon, n) => {
    expect(leastPairs(epsilon)).toBe(n);
    expect(pairsNeeded({ discordance: 0, epsilon })).toBe(n);
    expect(measured(binaryRegret({ losses: 0, wins: 0, n })).high).toBeLessThanOrEqual(epsilon);
    expect(measured(binaryRegret({ losses: 0, wins: 0, n: n - 1 })).high).toBeGreaterThan(epsilon);
  });

  it.each([
    [0.02, 0, 0, 189],
    [0.02, 1, 0, 280],
    [0.02, 2, 0, 361],
    [0.02, 1, 1, 234],
    [0.05, 0, 0, 73],
    [0.05, 1, 0, 110],
    [0.05, 2, 0, 142],
    [0.05, 1, 1, 91],
  ])("at margin %f carry %i losses and %i wins from %i on", (epsilon, losses, wins, n) => {
    expect(measured(binaryRegret({ losses, wins, n })).high).toBeLessThanOrEqual(epsilon);
    expect(measured(binaryRegret({ losses, wins, n: n - 1 })).high).toBeGreaterThan(epsilon);
  });

  it("are more at a stricter level, so that the split of α has its price", () => {
    expect(leastPairs(0.05, 0.975)).toBeGreaterThan(leastPairs(0.05));
  });
});

describe("the margin a number of pairs can confirm", () => {
  it("is the one for which they are needed", () => {
    for (const n of [100, 500, 2_000]) {
      const epsilon = detectable(n, { discordance: 0.06 });
      expect(Math.abs(pairsNeeded({ discordance: 0.06, epsilon }) - n)).toBeLessThanOrEqual(1);
    }
    expect(detectable(73, { discordance: 0 })).toBeCloseTo(0.049992, 6);
  });
});

describe("a plan", () => {
  it("refuses a margin that is none", () => {
    for (const epsilon of [0, -0.1, 1, Number.NaN]) expect(() => leastPairs(epsilon)).toThrow(RangeError);
  });
});
