import type { ArmReport, PairReport } from "../../src/bakeoff/analysis/arm-report.ts";
import { countRegret, type RegretTerms, withBounds } from "../../src/bakeoff/analysis/regret-bounds.ts";
import type { RegretLook, RegretReport } from "../../src/bakeoff/analysis/regret-report.ts";
import type { PairedInput } from "../../src/bakeoff/analysis/scores.ts";
import type { GateFigures } from "../../src/bakeoff/gate/contest.ts";
import { nanoToUsdText, usdToNano } from "../../src/money/nano-usd.ts";
import type { ProposalEvidence } from "../../src/proposal/evidence.ts";

/** An arm that was sent 100 inputs, 98 conformant, at $1.00 per 1K; unless told otherwise. Its spend fits its cost. */
export function armFigures(arm: string, more: Partial<ArmReport> = {}): ArmReport {
  const { conformant = 98, effective = { usd_per_1k: 1, low: 0.9, high: 1.1 } } = more;
  return {
    arm,
    role: "challenger",
    candidates: [`sim/${arm}`],
    complete: true,
    sent: 100,
    graded: 100,
    conformant,
    conformance: { rate: 0.98, low: 0.93, high: 0.9945 },
    repair: { count: 0, rate: 0, cost_usd: "0.000000000" },
    rungs: { native_strict: 100 },
    spend_usd: nanoToUsdText(usdToNano((effective.usd_per_1k * conformant) / 1000)),
    cost_unknown: 0,
    cost_estimated: 0,
    effective,
    failures: {},
    ...more,
  };
}

export function pairFigures(arm: string, more: Partial<PairReport> = {}): PairReport {
  return { arm, n_paired: 100, cost_ratio: { ratio: 0.2, low: 0.18, high: 0.22 }, ...more };
}

export const REFERENCE = "reference:sim/atlas-large";

export const FIRST_LOOK: RegretLook = { kind: "first", number: 1, items: 0, fresh: 0, family: 1 };

/** Pairs of which so many are losses and wins; the rest are ties. */
export function pairsWith(n: number, losses: number, wins: number, more: Partial<PairedInput> = {}): PairedInput[] {
  return Array.from({ length: n }, (_, index) => ({
    input: `in_${index}`,
    question: `in_${index}`,
    d: index < losses ? 1 : index < losses + wins ? -1 : 0,
    ...more,
  }));
}

export interface RegretFigures {
  readonly arm: string;
  readonly against?: string;
  readonly pairs: readonly PairedInput[];
  readonly look?: Partial<RegretLook>;
  /** Inputs of the bake-off; as many as there are pairs unless told. */
  readonly inputs?: number;
}

/** Regrets with the bounds that follow from their pairs. */
export function regretFigures(regrets: readonly RegretFigures[], terms: Partial<RegretTerms> = {}): RegretReport[] {
  const counted = regrets.map(({ arm, against = REFERENCE, pairs, look, inputs = pairs.length }) =>
    countRegret({ arm, against }, pairs, inputs, { ...FIRST_LOOK, items: pairs.length, fresh: pairs.length, ...look }),
  );
  const challengers = [...new Set(regrets.map(({ arm }) => arm))].filter((arm) => arm !== "default");
  return withBounds(counted, { reference: REFERENCE, challengers, ...terms });
}

/** Two arms on a route that is judged cost-first: `cheap` at a fifth of the cost. */
export function gateFigures(more: Partial<GateFigures> = {}): GateFigures {
  return {
    arms: [
      armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } }),
      armFigures("cheap"),
    ],
    pairs: [pairFigures("cheap")],
    regrets: [],
    objective: { mode: "cost-first" },
    schema_declared: true,
    ...more,
  };
}

export function evidenceFigures(more: Partial<ProposalEvidence> = {}): ProposalEvidence {
  return {
    bakeoff: "bo_1",
    measured_at: "2026-11-29T12:00:00.000Z",
    route_hash: "a".repeat(64),
    metric: "conformance",
    simulated: false,
    objective: { mode: "cost-first" },
    schema_declared: true,
    variant: "cheap",
    incumbent: armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } }),
    challenger: armFigures("cheap"),
    pair: pairFigures("cheap"),
    verdict: {
      arm: "cheap",
      clears: true,
      clauses: [{ clause: "conformance", met: true, challenger: 0.93, incumbent: 0.93, reason: "not below" }],
      cost_separated: true,
      saving: { fraction: 0.8, low: 0.78, high: 0.82 },
    },
    swap_direction: "down",
    cost_delta_usd_per_1k: -4,
    ...more,
  };
}
