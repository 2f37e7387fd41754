import { describe, expect, it } from "vitest";
import { pairedRegret, scoreRegret } from "../../../src/stats/paired-regret.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { simulate } from "../../bench/stats/coverage.ts";
import { clusteredPairs, GRADED, passFail } from "../../bench/stats/draws.ts";

/** Seeded: the figures never change. Three standard errors of 1,500 runs at 95% are 1.7 points. */
const REPS = 1_500;

describe("the interval of graded regret", () => {
  it.each(GRADED)("of $name holds the truth at every size", (source) => {
    const random = seededRandom(11);
    for (const n of [10, 50, 300]) {
      const { covered, upperMiss } = simulate(REPS, source.truth, () =>
        scoreRegret(Array.from({ length: n }, () => source.draw(random))),
      );
      expect(covered).toBeGreaterThanOrEqual(0.94);
      expect(upperMiss).toBeLessThanOrEqual(0.04);
    }
  });
});

describe("pairs that share a customer", () => {
  const source = passFail(0.05, 0);
  const shape = { clusters: 40, size: 10, correlation: 0.3 };
  const upperMiss = (clustered: boolean): number => {
    const random = seededRandom(12);
    return simulate(REPS, source.truth, () => {
      const pairs = clusteredPairs(source, shape, random);
      return pairedRegret(clustered ? pairs : pairs.map(({ d }) => ({ d })));
    }).upperMiss;
  };

  it("let a worse candidate through only as often as promised; taken as strangers, several times as often", () => {
    expect(upperMiss(true)).toBeLessThanOrEqual(0.036);
    expect(upperMiss(false)).toBeGreaterThan(0.06);
  });

  it("let none through for want of any loss: 25 customers of 10 calls are not 250 pairs", () => {
    const random = seededRandom(13);
    const passed = (clustered: boolean): number => {
      let count = 0;
      for (let rep = 0; rep < REPS; rep++) {
        const pairs = clusteredPairs(source, { clusters: 25, size: 10, correlation: 0.3 }, random);
        const regret = pairedRegret(clustered ? pairs : pairs.map(({ d }) => ({ d })));
        if (regret && regret.high <= source.truth) count++;
      }
      return count / REPS;
    };
    expect(passed(true)).toBeLessThanOrEqual(0.025);
    expect(passed(false)).toBeGreaterThan(0.05);
  });
});
