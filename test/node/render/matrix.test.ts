import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { PairedInput } from "../../../src/bakeoff/analysis/scores.ts";
import { VERDICT_WORDS } from "../../../src/bakeoff/gate/verdict.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf } from "../../../src/bakeoff/report/consistency.ts";
import { printMatrix } from "../../../src/cli/bakeoff/report/print-matrix.ts";
import { percent } from "../../../src/stats/rate-text.ts";
import { armFigures, pairFigures, pairsWith, regretFigures } from "../../support/bakeoff-figures.ts";
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
        content_invalid/schema_violation 1
      trial-y-flash: refused and not sent: budget_exhausted/envelope_spent 1
      cheap does not clear: complete: trial-y-flash is partial (budget); a partial
        result cannot propose
      trial-y-flash does not clear: complete: trial-y-flash is partial (budget); a
        partial result cannot propose; pairs: 6 paired inputs, 10 needed; priced:
        trial-y-flash: cost of 2 calls unknown; conformance: lower bound 82.7% is
        below the incumbent's 93.0%; effective_cost: trial-y-flash: unpriced: 2 calls
      gate cost-first: the result is partial, and a partial result cannot propose
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

/** A route with a reference, three challengers and everything that a health note tells. */
function regretReport(): BakeoffReport {
  const n = 260;
  const size = { sent: n, graded: n - 2, conformant: 255, conformance: { rate: 255 / n, low: 0.956, high: 0.992 } };
  const clustered = (pairs: readonly PairedInput[]) => pairs.map((pair, i) => ({ ...pair, cluster: `c${i % 130}` }));
  const challengers = ["cheap", "trial-y-flash", "up"];
  const look = { family: 3 };
  const regrets = regretFigures(
    [
      { arm: "default", pairs: clustered(pairsWith(n, 3, 2)) },
      { arm: "cheap", pairs: clustered(pairsWith(n - 3, 0, 1)), inputs: n, look },
      { arm: "trial-y-flash", pairs: clustered(pairsWith(38, 1, 1)), inputs: n, look: { ...look, more: 210 } },
      { arm: "up", pairs: clustered(pairsWith(n, 0, 40)), look },
      ...challengers.map((arm) => ({ arm, against: "default", pairs: clustered(pairsWith(n, 0, 9)), look })),
    ],
    { epsilon: 0.04, challengers },
  );
  const report: BakeoffReport = {
    ...reportOf(),
    partial: false,
    inputs: { asked: 260, used: n, weight: 312, variables: n, messages: 0 },
    metric: "judge",
    objective: { mode: "quality-first", max_regret: 0.04, usd_per_1k: 4 },
    reference: { arm: "reference:openai/gpt-5.4", by: "declared" },
    judge: {
      ...{ model: "mistral/mistral-large", pairs: 818, both_orders: 400, flipped: 12 },
      ...{ unusable: { "content_invalid/schema_violation": 3 }, spend_usd: "0.412000000", cost_unknown: 0 },
    },
    arms: [
      armFigures("default", { role: "incumbent", ...size, effective: { usd_per_1k: 3.06, low: 2.71, high: 3.46 } }),
      armFigures("cheap", { ...size, effective: { usd_per_1k: 0.61, low: 0.55, high: 0.68 } }),
      armFigures("trial-y-flash", { ...size, effective: { usd_per_1k: 0.44, low: 0.31, high: 0.62 } }),
      armFigures("up", { ...size, effective: { usd_per_1k: 3.9, low: 3.6, high: 4.2 } }),
      armFigures("reference:openai/gpt-5.4", {
        ...{ role: "reference", ...size, effective: { usd_per_1k: 9.1, low: 8.8, high: 9.4 } },
      }),
    ],
    pairs: [
      pairFigures("cheap", { n_paired: n }),
      pairFigures("trial-y-flash", { n_paired: n, cost_ratio: { ratio: 0.14, low: 0.1, high: 0.2 } }),
      pairFigures("up", { n_paired: n, cost_ratio: { ratio: 1.27, low: 1.1, high: 1.45 } }),
    ],
    regrets: regrets.map((regret) => ({
      ...regret,
      against: regret.against === "default" ? "default" : "reference:openai/gpt-5.4",
    })),
  };
  return { ...report, gate: gateOf(report) };
}

describe("the matrix of a route with a reference", () => {
  it("fits 80 columns: health first, then figures, then what they mean", () => {
    const text = stripVTControlCharacters(printed(regretReport(), { tty: true, columns: 80 }));
    expect(text).toMatchInlineSnapshot(`
      "example.support_summarize  260 of 260 inputs  5 arms  seed 7  $4.78 of $25.00
                        n  conform 95%       $/1K conformant         cost vs default
      default (live)  260  98.1 [95.6,99.2]  $3.06 [$2.71,$3.46]
      cheap           260  98.1 [95.6,99.2]  $0.610 [$0.550,$0.680]  x0.20 [0.18,0.22]
      trial-y-flash   260  98.1 [95.6,99.2]  $0.440 [$0.310,$0.620]  x0.14 [0.10,0.20]
      up              260  98.1 [95.6,99.2]  $3.90 [$3.60,$4.20]     x1.27 [1.10,1.45]
      openai/gpt-5.…  260  98.1 [95.6,99.2]  $9.10 [$8.80,$9.40]
                      pairs  regret pts          verdict     to decide
      default (live)    260  +0.4 [−2.6,+3.6]
      cheap             257  −0.4 [−4.4,+3.3]    EQUIVALENT
      trial-y-flash      38  0.0 [−13.8,+13.8]   UNDECIDED   ~210 more pairs, ~$2.70
      up                260  −15.4 [−22.3,−9.1]  BETTER
      cheap: 3 of 260 pairs have no score; were every one a loss, its regret would be
        at most +5.3 pts
      trial-y-flash: 222 of 260 pairs have no score; were every one a loss, its regret
        would be at most +90.0 pts
      judge mistral/mistral-large: 818 pairs, $0.412; 12 of 400 flipped with the
        order, counted as ties; unusable, so no sample:
        content_invalid/schema_violation 3
      260 pairs from 130 runs or customers, the largest 0.8%, design effect 1.19
      312 calls asked 260 different inputs: each is sent once and weighs as often as
        it came
      default: sent 260, graded 258, conformant 255
      cheap: sent 260, graded 258, conformant 255
      trial-y-flash: sent 260, graded 258, conformant 255
      up: sent 260, graded 258, conformant 255
      openai/gpt-5.4: sent 260, graded 258, conformant 255
      regret vs openai/gpt-5.4 by judge, positive = worse; 99.17% intervals, corrected
        for 3 challengers; limit 4.0
      38 pairs confirm a limit of 11.7; a limit of 4.0 takes about 1164 (80% power,
        arms without regret)
      cheap clears; effective cost lower by 80.0% [78.0,82.0]
      trial-y-flash does not clear: regret: upper bound 13.8 pts is beyond max_regret
        4.0 pts
      up does not clear: improvement: not shown to be better than the incumbent on
        regret, and not cheaper
      gate quality-first: cheap clears
      "
    `);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("is one table, a row per arm, elsewhere", () => {
    const rows = printed(regretReport(), { tty: false })
      .split("\n")
      .filter((line) => line.includes("\t"))
      .map((line) => line.split("\t"));
    expect(rows).toHaveLength(6);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([9]));
    expect(rows[0]?.slice(5)).toEqual(["pairs", "regret pts", "verdict", "to decide"]);
  });

  it("shows the bounds that decided, and uses no superlative", () => {
    const report = regretReport();
    const text = printed(report, { tty: false });
    expect(text).not.toMatch(/\b(best|winner|wins|proven|guarantee|significant)/i);
    for (const verdict of report.gate.verdicts) expect(text).toContain(VERDICT_WORDS[verdict.verdict ?? "continue"]);
  });

  it("tells a later look, and what it rests on", () => {
    const report = regretReport();
    const later = { kind: "later", number: 4, items: 900, fresh: 120, family: 3 } as const;
    const regrets = report.regrets.map((regret) => (regret.arm === "cheap" ? { ...regret, look: later } : regret));
    expect(printed({ ...report, regrets }, { tty: false })).toContain(
      "look 4: mean and bounds by e-process over 900 items so far, 120 of them new in this one",
    );
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
