import { describe, expect, it } from "vitest";
import type { ArmReport, PairReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import type { PairedInput } from "../../../src/bakeoff/analysis/scores.ts";
import type { GateFigures } from "../../../src/bakeoff/gate/contest.ts";
import { decideGate } from "../../../src/bakeoff/gate/decide-gate.ts";
import { gateReport } from "../../../src/bakeoff/gate/gate-report.ts";
import {
  armFigures,
  gateFigures,
  pairFigures,
  pairsWith,
  regretFigures,
} from "../../support/bakeoff/bakeoff-figures.ts";

const dear = armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } });

function verdictOn(
  challenger: Partial<ArmReport>,
  options: { pair?: Partial<PairReport>; incumbent?: Partial<ArmReport>; terms?: Partial<GateFigures> } = {},
) {
  const arms = [{ ...dear, ...options.incumbent }, armFigures("cheap", challenger)];
  const gate = decideGate(gateFigures({ arms, pairs: [pairFigures("cheap", options.pair)], ...options.terms }));
  const [verdict] = gate.verdicts;
  const unmet = verdict?.clauses.filter(({ met }) => !met).map(({ clause }) => clause);
  return { gate, verdict: verdict!, unmet };
}

const drop = (pairs: readonly PairedInput[]) =>
  regretFigures([{ arm: "cheap", against: "default", pairs, limit: 0.05 }]);
const judgedDrop = (pairs: readonly PairedInput[]) =>
  regretFigures([{ arm: "cheap", against: "default", metric: "golden", pairs, limit: 0.05 }]);

describe("the cost-first gate", () => {
  it("gives reasons that a report can hold, however long the names and notes are", () => {
    const long = { effective: undefined, effective_note: "x".repeat(200), cost_unknown: 3 };
    const arms = [
      armFigures("d".repeat(128), { role: "incumbent", ...long }),
      armFigures("c".repeat(128), { ...long, complete: false, stopped: "budget" }),
    ];
    const gate = decideGate(gateFigures({ arms, pairs: [pairFigures("c".repeat(128))] }));
    expect(gateReport.parse(gate)).toEqual(gate);
  });

  it("decides whatever a report may say of costs, however absurd", () => {
    const absurd = { ...armFigures("cheap"), effective: { usd_per_1k: 1e12 } };
    const ratio = { ratio: 2e11, low: 1e11, high: 3e11, level: 0.0076 };
    const figures = gateFigures({ arms: [dear, absurd], pairs: [pairFigures("cheap", { cost_ratio: ratio })] });
    for (const mode of ["cost-first", "quality-first", "balanced"] as const) {
      const gate = decideGate({ ...figures, objective: { mode, max_conformance_drop: 0.05, usd_per_1k: 1e11 } });
      expect(gate.proposes).toBeUndefined();
      expect(gateReport.parse(gate)).toEqual(gate);
    }
  });

  it("proposes nothing of a report in which any arm was cut short", () => {
    const { gate, unmet } = verdictOn({}, { terms: {} });
    expect(unmet).toEqual([]);
    const cut = armFigures("other", { complete: false, stopped: "interrupted" });
    const whole = gateFigures({ arms: [dear, armFigures("cheap", {})], pairs: [pairFigures("cheap")] });
    expect(gate.proposes).toBe("cheap");
    expect(decideGate({ ...whole, arms: [...whole.arms, cut] }).proposes).toBeUndefined();
  });

  it("is cleared by an arm that conforms no less and costs strictly less", () => {
    const { gate, verdict } = verdictOn({});
    expect(verdict).toMatchObject({ clears: true, cost_separated: true });
    expect(verdict.saving).toEqual({ fraction: 0.8, low: expect.closeTo(0.78), high: expect.closeTo(0.82) });
    expect(gate).toMatchObject({ kind: "cost-first", proposes: "cheap" });
    expect(verdict.clauses.map(({ clause }) => clause)).toEqual([
      "complete",
      "sampling",
      "evidence",
      "schema",
      "pairs",
      "clusters",
      "agreement",
      "priced",
      "conformance",
      "conformance_drop",
      "effective_cost",
    ]);
  });

  for (const [kind, challenger, options, clause] of [
    ["its conformance is lower by its bound", { conformance: { rate: 0.98, low: 0.9299, high: 1 } }, {}, "conformance"],
    ["its conformance was not measured", { conformance: undefined }, {}, "conformance"],
    [
      "its cost is not separated",
      {},
      { pair: { cost_ratio: { ratio: 0.98, low: 0.8, high: 1, level: 0.0076 } } },
      "effective_cost",
    ],
    ["its cost has no interval", {}, { pair: { cost_ratio: { ratio: 0.2, level: 0.0076 } } }, "effective_cost"],
    [
      "it costs more",
      {},
      { pair: { cost_ratio: { ratio: 1.2, low: 1.1, high: 1.3, level: 0.0076 } } },
      "effective_cost",
    ],
    [
      "its inputs were picked for their outcome",
      {},
      { terms: { sampling: { representative: false, text: "failed ones first" } } },
      "sampling",
    ],
    ["its evidence was not kept", {}, { terms: { evidence_store: { kept: false, note: "no room" } } }, "evidence"],
    [
      "its conformance may have dropped by more than the margin",
      {},
      { terms: { regrets: drop(pairsWith(400, 12, 0)) } },
      "conformance_drop",
    ],
    [
      "its questions come from 15 customers",
      {},
      { terms: { regrets: drop(pairsWith(400, 0, 0).map((pair, i) => ({ ...pair, cluster: `c${i % 15}` }))) } },
      "clusters",
    ],
    [
      "what judged the answers shows a regret against what serves",
      {},
      { terms: { metric: "golden", regrets: [...drop(pairsWith(400, 0, 0)), ...judgedDrop(pairsWith(400, 40, 0))] } },
      "incumbent_regret",
    ],
    [
      "it has no effective cost",
      { effective: undefined, effective_note: "no conformant output for $0.84" },
      {},
      "effective_cost",
    ],
    ["it is partial", { complete: false, stopped: "budget" }, {}, "complete"],
    ["the incumbent is partial", {}, { incumbent: { complete: false, stopped: "interrupted" } }, "complete"],
    ["some of its costs are unknown", { cost_unknown: 1 }, {}, "priced"],
    ["some of the incumbent's costs are unknown", {}, { incumbent: { cost_unknown: 3 } }, "priced"],
    ["there are fewer than 10 pairs", {}, { pair: { n_paired: 9 } }, "pairs"],
    ["the route declares no schema", {}, { terms: { schema_declared: false } }, "schema"],
  ] as const) {
    it(`is not cleared when ${kind}, and says which clause and why`, () => {
      const { gate, verdict, unmet } = verdictOn(challenger as Partial<ArmReport>, options as object);
      expect(verdict.clears).toBe(false);
      expect(unmet).toContain(clause);
      expect(verdict.clauses.every(({ reason }) => reason !== "")).toBe(true);
      expect(verdict.saving).toBeUndefined();
      expect(gate.proposes).toBeUndefined();
    });
  }

  it("is cleared on equal bounds: not below is enough", () => {
    expect(verdictOn({ conformance: { ...dear.conformance! } }).verdict.clears).toBe(true);
  });

  for (const [kind, pair, challenger] of [
    ["there are fewer than 30 pairs", { n_paired: 29 }, {}],
    ["fewer than 10 outputs conform", {}, { conformant: 9 }],
  ] as const) {
    it(`claims no saving when ${kind}`, () => {
      const { verdict } = verdictOn(challenger, { pair });
      expect(verdict).toMatchObject({ clears: true, cost_separated: false });
      expect(verdict.saving).toBeUndefined();
    });
  }

  it("proposes one arm of several that clear: the one with the lower effective cost", () => {
    const arms = [
      dear,
      armFigures("a", { effective: { usd_per_1k: 2 } }),
      armFigures("b", { effective: { usd_per_1k: 1 } }),
    ];
    const regrets = regretFigures(
      ["a", "b"].map((arm) => ({ arm, against: "default", pairs: pairsWith(400, 0, 0), limit: 0.05 })),
    );
    const gate = decideGate(gateFigures({ arms, regrets, pairs: [pairFigures("a"), pairFigures("b")] }));
    expect(gate.verdicts.map(({ clears }) => clears)).toEqual([true, true]);
    expect(gate.proposes).toBe("b");
  });

  it("proposes nothing without a challenger", () => {
    expect(decideGate(gateFigures({ arms: [dear], pairs: [] }))).toMatchObject({ proposes: undefined, verdicts: [] });
  });
});

describe("the cost-first gate of a route with a quality gate", () => {
  const passing = (count: number, low: number) => ({ min_score: 0.8, count, rate: count / 100, low, high: 1 });
  const terms = {
    objective: { mode: "cost-first", max_conformance_drop: 0.05, quality_gate: { min_score: 0.8 } },
  } as const;
  const incumbent = { passing: passing(90, 0.82), effective_passing: { usd_per_1k: 5.5 } };
  const good = { passing: passing(92, 0.85), effective_passing: { usd_per_1k: 1.1 } };
  const pair = { cost_ratio_passing: { ratio: 0.2, low: 0.15, high: 0.25, level: 0.0076 } };

  it("is cleared by an arm that also passes no less, at a lower cost per passing output", () => {
    const { verdict } = verdictOn(good, { pair, incumbent, terms });
    expect(verdict).toMatchObject({ clears: true, saving: { fraction: 0.8, low: 0.75, high: 0.85 } });
    expect(verdict.clauses.at(-1)?.reason).toBe(
      "$1.10 per 1K passing against the incumbent's $5.50: the ratio's upper bound 0.2500 is below 1",
    );
  });

  for (const [kind, challenger, clause] of [
    ["its passing share is lower by its bound", { ...good, passing: passing(90, 0.81) }, "quality"],
    ["nothing could be scored", { ...good, passing: undefined }, "quality"],
    ["nothing passed", { ...good, effective_passing: undefined }, "effective_cost"],
  ] as const) {
    it(`is not cleared when ${kind}`, () => {
      expect(verdictOn(challenger, { pair, incumbent, terms }).unmet).toEqual([clause]);
    });
  }

  it("goes by the cost of passing outputs, not of conformant ones", () => {
    const dearer = { cost_ratio_passing: { ratio: 0.98, low: 0.9, high: 1.05, level: 0.0076 } };
    expect(verdictOn(good, { pair: dearer, incumbent, terms }).unmet).toEqual(["effective_cost"]);
    expect(verdictOn(good, { incumbent, terms }).unmet).toEqual(["effective_cost"]);
  });
});
