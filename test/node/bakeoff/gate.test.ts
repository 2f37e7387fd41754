import { describe, expect, it } from "vitest";
import { costFirstGate, type RouteTerms } from "../../../src/bakeoff/gate.ts";
import type { ArmReport, PairReport } from "../../../src/bakeoff/report.ts";
import { armFigures, pairFigures } from "../../support/bakeoff-figures.ts";

const TERMS: RouteTerms = { schema_declared: true, objective: { mode: "cost-first", quality_gate: false } };

const dear = armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } });

function verdictOn(
  challenger: Partial<ArmReport>,
  options: { pair?: Partial<PairReport>; incumbent?: Partial<ArmReport>; terms?: Partial<RouteTerms> } = {},
) {
  const arms = [{ ...dear, ...options.incumbent }, armFigures("cheap", challenger)];
  const gate = costFirstGate(arms, [pairFigures("cheap", options.pair)], { ...TERMS, ...options.terms });
  const [verdict] = gate.verdicts;
  const unmet = verdict?.clauses.filter(({ met }) => !met).map(({ clause }) => clause);
  return { gate, verdict: verdict!, unmet };
}

describe("the cost-first gate", () => {
  it("is cleared by an arm that conforms no less and costs strictly less", () => {
    const { gate, verdict } = verdictOn({});
    expect(verdict).toMatchObject({ clears: true, cost_separated: true });
    expect(verdict.saving).toEqual({ fraction: 0.8, low: expect.closeTo(0.78), high: expect.closeTo(0.82) });
    expect(gate.proposes).toBe("cheap");
  });

  for (const [kind, challenger, options, clause] of [
    ["its conformance is lower by its bound", { conformance: { rate: 0.98, low: 0.9299, high: 1 } }, {}, "conformance"],
    ["its conformance was not measured", { conformance: undefined }, {}, "conformance"],
    ["it costs the same", { effective: { usd_per_1k: 5 } }, {}, "effective_cost"],
    ["it costs more", { effective: { usd_per_1k: 6 } }, {}, "effective_cost"],
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
    [
      "the route asks for quality first",
      {},
      { terms: { objective: { mode: "quality-first", quality_gate: false } } },
      "objective",
    ],
    ["the route is balanced", {}, { terms: { objective: { mode: "balanced", quality_gate: false } } }, "objective"],
    [
      "the route declares a quality gate",
      {},
      { terms: { objective: { mode: "cost-first", quality_gate: true } } },
      "objective",
    ],
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
    ["the ratio's interval reaches 1", { cost_ratio: { ratio: 0.7, low: 0.4, high: 1 } }, {}],
    ["the ratio has no interval", { cost_ratio: { ratio: 0.2 } }, {}],
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
    const gate = costFirstGate(arms, [pairFigures("a"), pairFigures("b")], TERMS);
    expect(gate.verdicts.map(({ clears }) => clears)).toEqual([true, true]);
    expect(gate.proposes).toBe("b");
  });

  it("proposes nothing without a challenger", () => {
    expect(costFirstGate([dear], [], TERMS)).toMatchObject({ proposes: undefined, verdicts: [] });
  });
});
