/**
 * The quality-first gate: an arm clears it when the upper bound of its regret against the reference keeps `max_regret`,
 * its cost keeps the ceiling, and it is better than the incumbent on regret or cost. Of several the one with the lowest
 * regret is proposed; arms within `max_regret` of that one count as equal, and the cheaper of them is.
 */
import { modelOf } from "../report/arm-label.ts";
import {
  ceilingClause,
  clustersClause,
  completeClause,
  improvementClause,
  pairsClause,
  pricedClause,
  regretClause,
} from "./clauses.ts";
import type { Contest, GateFigures } from "./contest.ts";
import { cheapest } from "./cost-first-gate.ts";
import type { ArmVerdict, GateClause } from "./gate-report.ts";

export function qualityFirstClauses(contest: Contest): GateClause[] {
  const { regret, figures } = contest;
  return [
    boundDeclaredClause(figures.objective),
    referenceClause(contest),
    completeClause(figures.arms),
    pairsClause(regret?.n_paired ?? 0, "inputs scored on both the arm and the reference"),
    clustersClause(contest),
    pricedClause(contest),
    regretClause(contest),
    ceilingClause(contest),
    improvementClause(contest),
  ];
}

/** The least regret within the limit; of those within `max_regret` of it, the cheapest. */
export function leastRegret(cleared: readonly ArmVerdict[], figures: GateFigures): string | undefined {
  const regret = ({ arm }: ArmVerdict): number => meanRegret(arm, figures) ?? Number.POSITIVE_INFINITY;
  const least = Math.min(...cleared.map(regret));
  return cheapest(
    cleared.filter((verdict) => regret(verdict) - least <= (figures.objective.max_regret ?? 0)),
    figures,
  );
}

/** Against the reference. */
export function meanRegret(arm: string, { regrets, arms }: GateFigures): number | undefined {
  const reference = arms.find(({ role }) => role === "reference")?.arm;
  return regrets.find((regret) => regret.arm === arm && regret.against === reference)?.estimate?.mean;
}

function boundDeclaredClause(objective: GateFigures["objective"]): GateClause {
  const { max_regret: regret, usd_per_1k: per1k, usd_per_run: perRun } = objective;
  const met = regret !== undefined || per1k !== undefined || perRun !== undefined;
  const reason = met
    ? "the route declares a bound"
    : "the route declares neither max_regret nor price_ceiling: reported, and nothing is proposed";
  return { clause: "bound", met, reason };
}

function referenceClause({ reference, figures }: Contest): GateClause {
  const reason = reference
    ? `regret is measured against ${modelOf(reference.arm)}`
    : `there is no reference: ${figures.reference?.note ?? "the route names none"}`;
  return { clause: "reference", met: reference !== undefined, reason: reason.slice(0, 300) };
}
