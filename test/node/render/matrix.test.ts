import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { PairedInput } from "../../../src/bakeoff/analysis/scores.ts";
import { VERDICT_WORDS } from "../../../src/bakeoff/gate/verdict.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf } from "../../../src/bakeoff/report/consistency.ts";
import { printMatrix } from "../../../src/cli/bakeoff/report/print-matrix.ts";
import { percent } from "../../../src/stats/rate-text.ts";
import { armFigures, pairFigures, pairsWith, regretFigures } from "../../support/bakeoff/bakeoff-figures.ts";
import { passedExamination } from "../../support/bakeoff/examined-judge.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

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
    objective: { mode: "cost-first", max_conformance_drop: 0.05 },
    answers: { evidence: "checked", accepted: false, reason: "answers were judged by value checks" },
    sampling: { representative: true, text: "the newest captures" },
    evidence_store: { kept: true },
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
                      calls  conform 95%       $/1K conformant     cost vs default
      default (live)    100  98.0 [93.0,99.5]  $3.06 [2.71,3.46]
      cheap             100  98.0 [93.0,99.5]  $1.00 [0.900,1.10]  x0.20 [0.18,0.22]
      trial-y-flash      38  94.7 [82.7,98.6]  unpriced: 2 calls   refused: 6 pairs
      measured 2026-11-29 on the newest captures; route version aaaaaaaaaaaa
      partial: trial-y-flash stopped after 38 of 100 (its budget is spent)
      10 inputs are messages: a variant's template does not apply to them
      default: calls sent 100, graded 100, conformant 98; p50 412 ms, p95 980 ms (no
        interval) of 100 answers
      cheap: calls sent 100, graded 100, conformant 98; repaired 4 for $0.00120
      trial-y-flash: calls sent 38, graded 37, conformant 36
      trial-y-flash: without a conformant output, of 38 sent: network/timeout 1,
        content_invalid/schema_violation 1
      trial-y-flash: refused and not sent: budget_exhausted/envelope_spent 1
      cheap does not clear: complete: trial-y-flash is partial (budget); a partial
        result cannot propose; clusters: nothing was paired; conformance_drop: regret
        against the incumbent's conformance is not measured
      trial-y-flash does not clear: complete: trial-y-flash is partial (budget); a
        partial result cannot propose; pairs: 6 paired inputs, 10 needed; clusters:
        nothing was paired; priced: trial-y-flash: cost of 2 calls unknown;
        conformance: lower bound 82.7% is below the incumbent's 93.0%;
        conformance_drop: regret against the incumbent's conformance is not measured;
        effective_cost: trial-y-flash: unpriced: 2 calls
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
    expect(text).toContain("refused: 6 pairs");
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
  const limit = 0.04;
  const regrets = regretFigures(
    [
      { arm: "default", metric: "judge" as const, pairs: clustered(pairsWith(n, 3, 2)), limit },
      { arm: "cheap", metric: "judge" as const, pairs: clustered(pairsWith(n - 3, 0, 1)), inputs: n, limit },
      { arm: "trial-y-flash", metric: "judge" as const, pairs: clustered(pairsWith(38, 1, 1)), inputs: n, limit },
      { arm: "up", metric: "judge" as const, pairs: clustered(pairsWith(n, 0, 40)), limit },
      ...challengers.map((arm) => ({
        arm,
        against: "default",
        metric: "judge" as const,
        pairs: clustered(pairsWith(n, 0, 9)),
        limit,
      })),
    ],
    { challengers },
  );
  const report: BakeoffReport = {
    ...reportOf(),
    partial: false,
    inputs: { asked: 260, used: n, weight: 312, variables: n, messages: 0 },
    metric: "judge",
    objective: { mode: "quality-first", max_regret: 0.04, max_conformance_drop: 0.05, usd_per_1k: 4 },
    reference: { arm: "reference:openai/gpt-5.4", by: "declared" },
    judge: {
      ...{ model: "mistral/mistral-large", pairs: 818, tied: 310, both_orders: 400, flipped: 12 },
      ...{ identical: 41, no_output: 6, examination: passedExamination() },
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
      pairFigures("trial-y-flash", { n_paired: n, cost_ratio: { ratio: 0.14, low: 0.1, high: 0.2, level: 0.0025 } }),
      pairFigures("up", { n_paired: n, cost_ratio: { ratio: 1.27, low: 1.1, high: 1.45, level: 0.0025 } }),
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
                      calls  conform 95%       $/1K conformant       cost vs default
      default (live)    260  98.1 [95.6,99.2]  $3.06 [2.71,3.46]
      cheap             260  98.1 [95.6,99.2]  $0.610 [0.550,0.680]  x0.20 [0.18,0.22]
      trial-y-flash     260  98.1 [95.6,99.2]  $0.440 [0.310,0.620]  x0.14 [0.10,0.20]
      up                260  98.1 [95.6,99.2]  $3.90 [3.60,4.20]     x1.27 [1.10,1.45]
      openai/gpt-5.…    260  98.1 [95.6,99.2]  $9.10 [8.80,9.40]
                      pairs  regret pts          verdict     more, to decide
      default (live)    260  +0.4 [−3.0,+4.0]
      cheap             257  −0.4 [−4.9,+3.8]    EQUIVALENT
      trial-y-flash      38  0.0 [−15.5,+15.5]   UNDECIDED   119+ items (64%), ~$1.53+
      up                260  −15.4 [−22.8,−8.7]  BETTER
      measured 2026-11-29 on the newest captures; route version aaaaaaaaaaaa
      cheap: 3 of 260 pairs have no score; were every one a loss, its regret would be
        at most +5.3 pts
      trial-y-flash: 222 of 260 pairs have no score; were every one a loss, its regret
        would be at most +90.4 pts
      judge mistral/mistral-large: asked about 818 pairs, 310 of them tied, $0.412; 12
        of 400 flipped with the order, counted as ties; 41 pairs of equal outputs tie
        unasked and pass nothing; 6 pairs lack an output on a side, which loses;
        answers that could not be used, so no sample: content_invalid/schema_violation
        3
      judge examined 2026-11-28 on planted pairs, right verdicts: identical answers 50
        of 50, damaged answers 50 of 50, answers to another input 50 of 50, padded
        answers 50 of 50, swapped order 50 of 50, the judge's own wording 50 of 50,
        another model's wording 50 of 50; 0 of 50 flipped with the order
      judge not checked against people: 0 outputs graded by both, 30 needed
      260 inputs of 130 customers, runs or lone questions, the largest with 0.8% of
        the traffic
      312 calls asked 260 different inputs: each is sent once and weighs as often as
        it came
      default: calls sent 260, graded 258, conformant 255
      cheap: calls sent 260, graded 258, conformant 255
      trial-y-flash: calls sent 260, graded 258, conformant 255
      up: calls sent 260, graded 258, conformant 255
      openai/gpt-5.4: calls sent 260, graded 258, conformant 255
      regret vs openai/gpt-5.4 by judge, positive = worse; 99.49% intervals, corrected
        for 3 challengers; limit 4.0
      38 pairs confirm a limit of 13.4; a limit of 4.0 takes about 639 (80% power,
        arms without regret)
      cheap: the bound that decides is +3.8 pts against openai/gpt-5.4 by judge
        (one-sided 0.253%; 257 pairs in all, 257 of them of fresh questions);
        descriptive 95% interval [−2.8,+1.7]
      trial-y-flash: the bound that decides is +15.5 pts against openai/gpt-5.4 by
        judge (one-sided 0.76%; 38 pairs in all, 38 of them of fresh questions);
        descriptive 95% interval [−11.3,+11.3]
      up: the bound that decides is +1.0 pts against default by judge (one-sided
        0.253%; 260 pairs in all, 260 of them of fresh questions); descriptive 95%
        interval [−6.7,−0.8]
      cheap clears; effective cost lower by 80.0% [78.0,82.0]
      trial-y-flash does not clear: regret: upper bound 15.5 pts against the reference
        (one-sided 0.76%) is beyond 4.0 pts
      up does not clear: improvement: not shown to be better than the incumbent on
        regret, nor on cost: $3.90 per 1K conformant against the incumbent's $3.06:
        the ratio's upper bound 1.450 is not below 1
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
    expect(rows[0]?.slice(5)).toEqual(["pairs", "regret pts", "verdict", "more, to decide"]);
  });

  it("shows the bounds that decided, and uses no superlative", () => {
    const report = regretReport();
    const text = printed(report, { tty: false });
    expect(text).not.toMatch(/\b(best|winner|wins|proven|guarantee|significant)/i);
    for (const verdict of report.gate.verdicts) expect(text).toContain(VERDICT_WORDS[verdict.verdict ?? "continue"]);
  });

  it("tells a later look, and what it rests on", () => {
    const report = regretReport();
    const later = { look: "later", number: 4, items: 900, fresh: 120 } as const;
    const regrets = report.regrets.map((regret) =>
      regret.arm === "cheap" && regret.evidence ? { ...regret, evidence: { ...regret.evidence, ...later } } : regret,
    );
    expect(printed({ ...report, regrets }, { tty: false })).toContain(
      "look 4: bounds by bets on 900 items that were new when seen, 120 of the questions new now",
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
