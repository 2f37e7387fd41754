/** Whether a bake-off judged answers, or only their shape. */
import { compileSchema } from "../../json/schema/validate.ts";
import type { Route } from "../../route/route.ts";
import type { QualityMetric } from "../execution/sample.ts";
import type { AnswersReport } from "./bakeoff-report.ts";
import type { JudgeReport } from "./judge-report.ts";

/**
 * `checked` where goldens, value checks or a usable judge scored the answers. A schema that accepts an empty object says
 * nothing even about shape, and value checks are then what makes the difference.
 */
export function answersOf(route: Route, metric: QualityMetric, judge: JudgeReport | undefined): AnswersReport {
  const accepted = route.bakeoff?.evidence === "shape";
  const gating = route.valueChecks.some(({ gate }) => gate);
  const unjudged = metric === "judge" && (judge?.unusable_because !== undefined || (judge?.pairs ?? 0) === 0);
  const scored = metric !== "conformance" && !unjudged;
  if (scored || gating) {
    const by = scored ? METRIC_WORDS[metric] : "value checks";
    return { evidence: "checked", accepted, reason: `answers were judged by ${by}` };
  }
  const reason = acceptsEmpty(route)
    ? "only the shape of the answers was tested, by a schema that an empty object passes"
    : "only the shape of the answers was tested, by the route's schema";
  return { evidence: "shape", accepted, reason };
}

const METRIC_WORDS = {
  golden: "expected outputs",
  value_accuracy: "value checks",
  judge: "a judge",
} as const satisfies Record<Exclude<QualityMetric, "conformance">, string>;

function acceptsEmpty({ output }: Route): boolean {
  const validate = output && compileSchema(output.schema);
  return validate?.ok === true && validate.value({}).valid;
}
