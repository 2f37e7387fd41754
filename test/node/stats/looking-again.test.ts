import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/random.ts";
import { falseProposals } from "../../bench/stats/looks.ts";

const REPS = 500;

/** Twenty looks, every 50 pairs to 1,000, at a true regret of exactly the margin. Seeded: the figures never change. */
describe("a candidate exactly as bad as forbidden, looked at twenty times", () => {
  it.each([
    { epsilon: 0.02, win: 0 },
    { epsilon: 0.02, win: 0.02 },
    { epsilon: 0.05, win: 0 },
    { epsilon: 0.05, win: 0.05 },
  ])(
    "at margin $epsilon and wins $win passes the product's gate and the betting bound no more often than promised, and naive gates far more",
    (world) => {
      const share = falseProposals({ ...world, looks: 20, pairsPerLook: 50, reps: REPS }, seededRandom(20));
      expect(share.betting).toBeLessThanOrEqual(0.025);
      expect(share.gate).toBeLessThanOrEqual(0.025);
      expect(share.tango).toBeGreaterThan(0.035);
      expect(share.t).toBeGreaterThan(0.1);
    },
  );
});
