/** What the arms of a bake-off are compared by, and how large a regret each comparison tolerates. */
import type { QualityMetric } from "../execution/sample.ts";
import type { Arm } from "../plan/arm.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { objectiveOf } from "../plan/objective.ts";

interface PlannedComparison {
  readonly arm: Arm;
  readonly against: Arm;
  readonly metric: QualityMetric;
  /** Largest regret tolerated, as a fraction; undefined = none is declared. */
  readonly limit: number | undefined;
}

/**
 * Every other arm against the reference and every challenger against the incumbent, by what judged the answers; and
 * where that is more than their shape, every challenger against the incumbent by conformance too.
 */
export function comparisonsOf(plan: BakeoffPlan): PlannedComparison[] {
  const { arms, route } = plan;
  const { max_regret: maxRegret, max_conformance_drop: maxDrop } = objectiveOf(route);
  const metric = plan.metric ?? "conformance";
  const incumbent = incumbentOf(arms);
  const reference = arms.find(({ role }) => role === "reference");
  const challengers = arms.filter(({ role }) => role === "challenger");
  const againstReference = reference
    ? arms.filter((arm) => arm !== reference).map((arm) => ({ arm, against: reference, metric, limit: maxRegret }))
    : [];
  const againstIncumbent = challengers.map((arm) => {
    // By conformance alone the regret is the drop.
    const limit = metric === "conformance" ? maxDrop : (maxRegret ?? maxDrop);
    return { arm, against: incumbent, metric, limit };
  });
  const drops =
    metric === "conformance" || route.output === undefined
      ? []
      : challengers.map((arm) => ({ arm, against: incumbent, metric: "conformance" as const, limit: maxDrop }));
  return [...againstReference, ...againstIncumbent, ...drops];
}

export function incumbentOf(arms: readonly Arm[]): Arm {
  const incumbent = arms.find(({ role }) => role === "incumbent");
  if (!incumbent) throw new RangeError("a bake-off has an incumbent");
  return incumbent;
}
