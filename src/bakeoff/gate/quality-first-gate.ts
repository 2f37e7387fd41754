/**
 * The quality-first gate: an arm clears it when the upper bounds of its regret against the reference and against the
 * incumbent keep their limits, its cost keeps the ceiling, and it is better than the incumbent on regret or cost. A
 * reference that is the arm's own model says nothing about it: then what serves is the only measure. Of several arms
 * the one with the lowest regret is proposed; arms within `max_regret` of that one count as equal, and the cheaper of
 * them is.
 */
import { modelOf } from "../report/arm-label.ts";
import {
  agreementClause,
  boundedClause,
  ceilingClause,
  clustersClause,
  completeClause,
  evidenceClause,
  improvementClause,
  judgeClause,
  latencyClause,
  pairsClause,
  pricedClause,
  samplingClause,
} from "./clauses.ts";
import type { Contest, GateFigures } from "./contest.ts";
import { cheapest } from "./cost-first-gate.ts";
import type { ArmVerdict, GateClause } from "./gate-report.ts";

export function qualityFirstClauses(contest: Contest): GateClause[] {
  const { regret, referenceIsOwn, againstIncumbent, figures } = contest;
  const regrets = referenceIsOwn ? [againstIncumbent] : [regret, againstIncumbent];
  const pairs = Math.min(...regrets.map((one) => one?.n_paired ?? 0));
  return [
    boundDeclaredClause(figures.objective),
    referenceClause(contest),
    completeClause(figures.arms),
    samplingClause(figures),
    evidenceClause(figures),
    ...judgeClause(figures),
    pairsClause(pairs, "inputs scored on all that is compared"),
    clustersClause(regrets),
    agreementClause(regrets),
    pricedClause(contest),
    ...(referenceIsOwn ? [] : [boundedClause("regret", regret)]),
    boundedClause("incumbent_regret", againstIncumbent),
    ceilingClause(contest),
    ...latencyClause(contest),
    improvementClause(contest),
  ];
}

/** The least regret within the limit; of those within `max_regret` of it, the cheapest. */
export function leastRegret(cleared: readonly ArmVerdict[], figures: GateFigures): string | undefined {
  // An arm that clears without a regret of its own is the reference's model: none against itself.
  const regret = ({ arm }: ArmVerdict): number => meanRegret(arm, figures) ?? 0;
  const least = Math.min(...cleared.map(regret));
  return cheapest(
    cleared.filter((verdict) => regret(verdict) - least <= (figures.objective.max_regret ?? 0)),
    figures,
  );
}

/** Against the reference, by the report's metric. */
export function meanRegret(arm: string, { regrets, arms, metric }: GateFigures): number | undefined {
  const reference = arms.find(({ role }) => role === "reference")?.arm;
  const found = regrets.find((one) => one.arm === arm && one.against === reference && one.metric === metric);
  return found?.estimate?.mean;
}

function boundDeclaredClause(objective: GateFigures["objective"]): GateClause {
  const { max_regret: regret, usd_per_1k: per1k, usd_per_run: perRun } = objective;
  const met = regret !== undefined || per1k !== undefined || perRun !== undefined;
  const reason = met
    ? "the route declares a bound"
    : "the route declares neither max_regret nor price_ceiling: reported, and nothing is proposed";
  return { clause: "bound", met, reason };
}

function referenceClause({ reference, referenceIsOwn, figures }: Contest): GateClause {
  const reason = !reference
    ? `there is no reference: ${figures.reference?.note ?? "the route names none"}`
    : referenceIsOwn
      ? `the reference ${modelOf(reference.arm)} is this arm's own model: held against the incumbent alone`
      : `regret is measured against ${modelOf(reference.arm)}`;
  return { clause: "reference", met: reference !== undefined, reason: reason.slice(0, 300) };
}
