/**
 * The cost-first gate: a challenger clears it when its conformance is not below the incumbent's (lower bounds of Wilson
 * 95% on the same inputs) and its effective cost is strictly lower. Where the route declares a quality gate, the lower
 * bound of its passing outputs must not be below either, and the cost is that of 1K passing ones.
 */
import {
  boundClause,
  completeClause,
  effectiveCostClause,
  pairsClause,
  pricedClause,
  qualityClauses,
} from "./clauses.ts";
import { type Contest, costOf, type GateFigures } from "./contest.ts";
import type { ArmVerdict, GateClause } from "./gate-report.ts";

export function costFirstClauses(contest: Contest): GateClause[] {
  const { challenger, incumbent, pair, figures } = contest;
  return [
    completeClause(figures.arms),
    schemaClause(figures.schema_declared),
    pairsClause(pair?.n_paired ?? 0, "paired inputs"),
    pricedClause(contest),
    boundClause("conformance", challenger.conformance?.low, incumbent.conformance?.low),
    ...qualityClauses(contest),
    effectiveCostClause(contest),
  ];
}

/** Of the arms that clear, the one with the lower effective cost. */
export function cheapest(cleared: readonly ArmVerdict[], figures: GateFigures): string | undefined {
  const cost = (name: string): number => {
    const arm = figures.arms.find((one) => one.arm === name);
    return (arm && costOf(arm, figures)) ?? Number.POSITIVE_INFINITY;
  };
  return [...cleared].sort((a, b) => cost(a.arm) - cost(b.arm) || (a.arm < b.arm ? -1 : 1))[0]?.arm;
}

function schemaClause(schemaDeclared: boolean): GateClause {
  const reason = schemaDeclared
    ? "outputs are held against the route's schema"
    : "the route declares no output schema, so conformance is not measured";
  return { clause: "schema", met: schemaDeclared, reason };
}
