import { describe, expect, it } from "vitest";
import { regretDrift } from "../../../src/stats/drift.ts";
import type { Pair } from "../../../src/stats/paired-regret.ts";

const losses = (n: number, every: number): Pair[] =>
  Array.from({ length: n }, (_, i) => ({ d: i % every === 0 ? 1 : 0 }));
const EPSILON = 0.02;

describe("drift of regret", () => {
  it("is Welch's interval of the difference of two windows", () => {
    // 5 of 50 against 4 of 200: s² = .091837 and .019698; se = .043975; 54.33 degrees, t = 2.00454.
    const drift = regretDrift(losses(50, 10), losses(200, 50), { epsilon: EPSILON });
    if (drift.status === "insufficient") throw new Error(drift.status);
    expect(drift.recentMean).toBeCloseTo(0.1, 12);
    expect(drift.trailingMean).toBeCloseTo(0.02, 12);
    const [a, b] = [(0.09 * 50) / 49 / 50, (0.02 * 0.98 * 200) / 199 / 200];
    const middle = (drift.interval.low + drift.interval.high) / 2;
    expect(middle).toBeCloseTo(0.08, 9);
    const t = (drift.interval.high - middle) / Math.sqrt(a + b);
    expect(t).toBeCloseTo(2.0046, 3);
    expect(drift.status).toBe("steady");
  });

  it("alarms where the growth is certain and the recent regret above the margin, and only then", () => {
    expect(regretDrift(losses(200, 5), losses(800, 50), { epsilon: EPSILON }).status).toBe("drifted");
    expect(regretDrift(losses(200, 5), losses(800, 50), { epsilon: 0.25 }).status).toBe("steady");
    expect(regretDrift(losses(200, 50), losses(800, 50), { epsilon: 0 }).status).toBe("steady");
    expect(regretDrift(losses(200, 50), losses(800, 5), { epsilon: EPSILON }).status).toBe("steady");
  });

  it("is unknown, not absent, on few pairs or one customer", () => {
    expect(regretDrift(losses(29, 2), losses(500, 50), { epsilon: EPSILON })).toEqual({
      status: "insufficient",
      recent: 29,
      trailing: 500,
    });
    expect(regretDrift(losses(500, 2), losses(99, 50), { epsilon: EPSILON }).status).toBe("insufficient");
    const one = losses(200, 5).map((pair) => ({ ...pair, cluster: "only" }));
    expect(regretDrift(one, losses(500, 50), { epsilon: EPSILON }).status).toBe("insufficient");
  });

  it("does not alarm where one customer's repeats are all of the growth", () => {
    const recent = Array.from(
      { length: 100 },
      (_, i): Pair => ({ d: i < 12 ? 1 : 0, cluster: `${Math.floor(i / 12)}` }),
    );
    expect(regretDrift(recent, losses(800, 100), { epsilon: EPSILON }).status).toBe("steady");
    const alone = recent.map(({ d }) => ({ d }));
    expect(regretDrift(alone, losses(800, 100), { epsilon: EPSILON }).status).toBe("drifted");
  });

  it("with pseudo-pairs has width where neither window disagrees, and is stricter", () => {
    const options = { epsilon: EPSILON, method: "pseudo_pair" } as const;
    const quiet = regretDrift(
      losses(40, 1_000).map(() => ({ d: 0 })),
      losses(150, 1_000).map(() => ({ d: 0 })),
      options,
    );
    if (quiet.status === "insufficient") throw new Error(quiet.status);
    expect(quiet.interval.high).toBeGreaterThan(0);
    const strict = regretDrift(losses(100, 7), losses(400, 50), options);
    const welch = regretDrift(losses(100, 7), losses(400, 50), { epsilon: EPSILON });
    if (strict.status === "insufficient" || welch.status === "insufficient") throw new Error("too few");
    expect(strict.interval.high - strict.interval.low).toBeGreaterThan(welch.interval.high - welch.interval.low);
  });

  it("takes differences of scores only", () => {
    const bad = [...losses(40, 10), { d: Number.NaN }];
    expect(() => regretDrift(bad, losses(200, 10), { epsilon: EPSILON })).toThrow(RangeError);
  });
});
