import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { gateOf } from "../../../src/bakeoff/consistency.ts";
import { percent } from "../../../src/bakeoff/percent.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report.ts";
import { printMatrix } from "../../../src/cli/bakeoff/print.ts";
import { armFigures, pairFigures } from "../../support/bakeoff-figures.ts";
import { fakeIo } from "../../support/fake-io.ts";

function reportOf(more: Partial<BakeoffReport> = {}): BakeoffReport {
  const dear = armFigures("default", {
    role: "incumbent",
    effective: { usd_per_1k: 3.06, low: 2.71, high: 3.46 },
    latency_ms: { n: 100, p50: 412.4, p95: 980 },
  });
  const trial = armFigures("trial-y-flash", {
    complete: false,
    stopped: "budget",
    sent: 38,
    graded: 37,
    conformant: 36,
    conformance: { rate: 36 / 38, low: 0.827, high: 0.986 },
    effective: undefined,
    effective_note: "unpriced: 2 calls",
    cost_unknown: 2,
    failures: { "network/timeout": 1, "content_invalid/schema_violation": 1, "budget_exhausted/envelope_spent": 1 },
  });
  const report: BakeoffReport = {
    schema: "modelrig.bakeoff/1",
    id: "bo_1",
    route: "example.support_summarize",
    route_hash: "a".repeat(64),
    started_at: "2026-11-29T12:00:00.000Z",
    finished_at: "2026-11-29T12:01:00.000Z",
    seed: 7,
    concurrency: 8,
    budget_usd_per_arm: "5.000000000",
    simulated: false,
    partial: true,
    inputs: { asked: 200, used: 100, variables: 90, messages: 10 },
    metric: "conformance",
    schema_declared: true,
    objective: { mode: "cost-first" },
    incumbent: "default",
    arms: [dear, armFigures("cheap", { repair: { count: 4, rate: 0.04, cost_usd: "0.001200000" } }), trial],
    pairs: [pairFigures("cheap"), pairFigures("trial-y-flash", { n_paired: 6, cost_ratio: undefined })],
    regrets: [],
    gate: { kind: "cost-first", verdicts: [], reason: "" },
    ...more,
  };
  return { ...report, gate: gateOf(report) };
}

function printed(report: BakeoffReport, options: { tty: boolean; columns?: number }): string {
  const io = fakeIo(options);
  printMatrix(io, report);
  return io.out();
}

describe("the matrix", () => {
  it("fits 80 columns of a terminal", () => {
    const text = stripVTControlCharacters(printed(reportOf(), { tty: true, columns: 80 }));
    expect(text).toMatchInlineSnapshot(`
      "example.support_summarize  100 of 200 inputs  3 arms  seed 7  $0.434 of $15.00
        PARTIAL
                        n  conform 95%       $/1K conformant       cost vs default
      default (live)  100  98.0 [93.0,99.5]  $3.06 [$2.71,$3.46]
      cheap           100  98.0 [93.0,99.5]  $1.00 [$0.900,$1.10]  x0.20 [0.18,0.22]
      trial-y-flash    38  94.7 [82.7,98.6]  unpriced: 2 calls     refused: n 6
      partial: trial-y-flash stopped after 38 of 100 (its budget is spent)
      10 inputs are messages: a variant's template does not apply to them
      default: sent 100, graded 100, conformant 98; p50 412 ms, p95 980 ms
      cheap: sent 100, graded 100, conformant 98; repaired 4 for $0.00120
      trial-y-flash: sent 38, graded 37, conformant 36
      trial-y-flash: without a conformant output, of 38 sent: network/timeout 1,
        content_invalid/schema_violation 1, budget_exhausted/envelope_spent 1
      cheap clears; effective cost lower by 80.0% [78.0,82.0]
      trial-y-flash does not clear: complete: trial-y-flash is partial (budget); a
        partial result cannot propose; pairs: 6 paired inputs, 10 needed; priced:
        trial-y-flash: cost of 2 calls unknown; conformance: lower bound 82.7% is
        below the incumbent's 93.0%; effective_cost: trial-y-flash: unpriced: 2 calls
      gate cost-first: cheap clears
      "
    `);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("is tab-separated and untruncated elsewhere", () => {
    const rows = printed(reportOf(), { tty: false })
      .split("\n")
      .filter((line) => line.includes("\t"))
      .map((line) => line.split("\t"));
    expect(rows).toHaveLength(4);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([5]));
    expect(rows[3]?.[0]).toBe("trial-y-flash");
  });

  it("says that a partial result is partial, where it stopped and why", () => {
    const text = printed(reportOf(), { tty: false });
    expect(text).toContain("PARTIAL");
    expect(text).toContain("partial: trial-y-flash stopped after 38 of 100 (its budget is spent)");
  });

  it("prints a word, never a number, for what was not measured", () => {
    const text = printed(reportOf(), { tty: false });
    expect(text).toContain("unpriced: 2 calls");
    expect(text).toContain("refused: n 6");
  });

  it("uses no superlative and no promise", () => {
    expect(printed(reportOf(), { tty: false })).not.toMatch(/\b(best|winner|wins|proven|guarantee|significant)/i);
  });
});

describe("a rate in percent", () => {
  for (const [fraction, text] of [
    [1, "100"],
    [0, "0"],
    [0.9999, "99.99"],
    [0.99949, "99.9"],
    [0.0001, "0.01"],
    [0.5, "50.0"],
    [-0.25, "-25.0"],
  ] as const) {
    it(`${fraction} is ${text}`, () => {
      expect(percent(fraction)).toBe(text);
    });
  }
});
