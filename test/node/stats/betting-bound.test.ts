import { describe, expect, it } from "vitest";
import { bettingLower, bettingUpper, counted, leastItems, logWealth } from "../../../src/stats/betting-bound.ts";
import { seededRandom } from "../../../src/stats/random.ts";

const ties = (n: number): number[] => new Array<number>(n).fill(0);
const tied = (n: number) => counted(ties(n));

describe("the betting bound", () => {
  it.each([
    [ties(10), 0.05, 0.2787948],
    [ties(100), 0.05, 3.6425888],
    [ties(100), 0.02, 1.2235008],
    [[...ties(29), 1, ...ties(70)], 0.05, 1.7856819],
    [Array.from({ length: 5 }, () => [0.25, -0.5, 0, 0, 1, -1]).flat(), 0.1, 0.1032238],
  ])("has the wealth that its formula gives", (differences, margin, expected) => {
    expect(logWealth(counted(differences), margin)).toBeCloseTo(expected, 6);
  });

  it("is the least margin whose wealth suffices", () => {
    expect(bettingUpper(tied(150), 0.0125)).toBeCloseTo(0.039213, 6);
    const mixed = counted([...ties(140), ...new Array<number>(6).fill(1), ...new Array<number>(4).fill(-1)]);
    expect(bettingUpper(mixed, 0.0125)).toBeCloseTo(0.0979687, 6);
    expect(bettingUpper(new Map(), 0.0125)).toBe(1);
  });

  it("needs as many items without a loss as it says", () => {
    const level = 0.0125 * (6 / Math.PI ** 2);
    expect(leastItems(0.05, level)).toBe(129);
    expect(leastItems(0.02, level)).toBe(326);
    expect(bettingUpper(tied(129), level)).toBeLessThanOrEqual(0.05);
    expect(bettingUpper(tied(128), level)).toBeGreaterThan(0.05);
  });

  it("does not depend on the order, and has the mean inside its bounds even where the arm has changed", () => {
    const differences = [...ties(400), ...new Array<number>(60).fill(1)];
    const changed = counted(differences);
    const mean = 60 / 460;
    expect(bettingUpper(changed, 0.01)).toBe(bettingUpper(counted(differences.reverse()), 0.01));
    expect(bettingUpper(changed, 0.01)).toBeGreaterThan(mean);
    expect(bettingLower(changed, 0.01)).toBeLessThan(mean);
  });

  it("is passed by a regret of exactly the margin in no more than its level of runs, looked at 100 times", () => {
    const random = seededRandom(11);
    let passed = 0;
    for (let run = 0; run < 400; run++) {
      const seen = new Map<number, number>();
      let hit = false;
      for (let look = 0; look < 100 && !hit; look++) {
        for (let pair = 0; pair < 10; pair++) {
          const at = random();
          const d = at < 0.07 ? 1 : at < 0.09 ? -1 : 0;
          seen.set(d, (seen.get(d) ?? 0) + 1);
        }
        hit = logWealth(seen, 0.05) >= Math.log(1 / 0.05);
      }
      if (hit) passed++;
    }
    // 5% of 400 is 20; three standard errors above.
    expect(passed).toBeLessThanOrEqual(33);
    expect(passed).toBeGreaterThan(0);
  });

  it("refuses what is not a difference or a level", () => {
    expect(() => counted([1.5])).toThrow(RangeError);
    expect(() => bettingUpper(tied(1), 0)).toThrow(RangeError);
    expect(() => logWealth(counted([0]), 1)).toThrow(RangeError);
  });
});
