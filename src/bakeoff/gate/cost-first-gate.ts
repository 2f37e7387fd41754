/**
 * The cost-first gate: a challenger clears it when its conformance is not below the incumbent's (lower bounds of Wilson
 * 95% on the same inputs), the upper bound of the drop in conformance, and of the regret by whatever judged the answers,
 * keeps the limit, and the upper bound of the paired cost ratio is below 1. Where the route declares a quality gate, the
 * lower bound of its passing outputs must not be below either, and the cost is that of 1K passing ones.
 */
import {
  agreementClause,
  boundClause,
  boundedClause,
  clustersClause,
  completeClause,
  effectiveCostClause,
  evidenceClause,
  judgeClause,
  latencyClause,
  pairsClause,
  pricedClause,
  qualityClauses,
  samplingClause,
} from "./clauses.ts";
import { type Contest, costOf, type GateFigures } from "./contest.ts";
import type { ArmVerdict, GateClause } from "./gate-report.ts";

export function costFirstClauses(contest: Contest): GateClause[] {
  const { challenger, incumbent, pair, conformanceDrop, againstIncumbent, figures } = contest;
  const regrets = [conformanceDrop, againstIncumbent];
  return [
    completeClause(figures.arms),
    samplingClause(figures),
    evidenceClause(figures),
    ...judgeClause(figures),
    schemaClause(figures.schema_declared),
    pairsClause(pair?.n_paired ?? 0, "paired inputs"),
    clustersClause(regrets),
    agreementClause(regrets),
    pricedClause(contest),
    boundClause("conformance", challenger.conformance?.low, incumbent.conformance?.low),
    boundedClause("conformance_drop", conformanceDrop),
    // By conformance alone it is the clause above.
    ...(figures.metric === "conformance" ? [] : [boundedClause("incumbent_regret", againstIncumbent)]),
    ...qualityClauses(contest),
    effectiveCostClause(contest),
    ...latencyClause(contest),
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
