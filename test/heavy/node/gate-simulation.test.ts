import { describe, expect, it } from "vitest";
import { gateTable } from "../../bench/stats/gate/gate-section.ts";

/** The short form of `npm run stats -- gate`: enough runs to see a gate that is fooled, not to measure one that is not. */
const RUNS = 20;

describe("the whole gate, in worlds where every arm is as bad as forbidden", () => {
  it(
    "proposes none beyond chance, and in the controls what it should",
    async () => {
      const { faults, rows } = await gateTable({ runs: RUNS, seed: 2 });
      expect(faults).toEqual([]);
      expect(rows.length).toBeGreaterThan(12);
    },
    30 * 60_000,
  );
});
