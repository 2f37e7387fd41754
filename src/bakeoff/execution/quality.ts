/** How good one output is, by the best evidence there is: golden, value checks, judge, conformance. */

import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Route } from "../../route/route.ts";
import type { JudgeChoice } from "../judge/judge-choice.ts";
import { goldenScore } from "./golden-score.ts";
import { QUALITY_METRICS, type QualityMetric, type Sample } from "./sample.ts";

/** Share of the inputs that must carry a golden before goldens decide. */
const ENOUGH_GOLDENS = 0.5;

/**
 * The one metric of a report, fixed before anything is sent: goldens where at least half of the inputs carry one, else
 * value checks where the route declares them, else a judge that may judge, else conformance where there is a schema.
 * `undefined` = nothing can grade these outputs.
 */
export function metricOf(
  route: Route,
  inputs: readonly Pick<ReplayInput, "golden">[],
  judge: JudgeChoice | undefined,
): QualityMetric | undefined {
  const goldens = inputs.reduce((count, { golden }) => count + (golden === undefined ? 0 : 1), 0);
  if (goldens > 0 && goldens >= inputs.length * ENOUGH_GOLDENS) return "golden";
  if (route.valueChecks.length > 0) return "value_accuracy";
  if (judge?.type === "judge") return "judge";
  return route.output ? "conformance" : undefined;
}

/** What is known of an output when it is graded. */
interface Graded {
  readonly outcome: Sample["outcome"];
  /** JSON where the route has a schema, else the answer's text; absent where there is none. */
  readonly output?: unknown;
  readonly checks?: Sample["checks"];
}

/**
 * The score by the report's metric, else by the next one that applies to this input: it says which, and a report counts
 * only its own. A sent input without an output scores 0. What a judge says is laid over it later.
 */
export function qualityOf(
  metric: QualityMetric | undefined,
  route: Route,
  { golden }: Pick<ReplayInput, "golden">,
  graded: Graded,
): Sample["quality"] {
  if (metric === undefined || graded.outcome === "refused") return undefined;
  const answered = graded.output !== undefined;
  for (const named of QUALITY_METRICS.slice(QUALITY_METRICS.indexOf(metric))) {
    if (named === "golden" && golden !== undefined) {
      return { metric: named, score: answered ? goldenScore(golden, graded.output) : 0 };
    }
    if (named === "value_accuracy" && route.valueChecks.length > 0) {
      const passed = graded.checks?.passed ?? 0;
      return { metric: named, score: answered ? passed / route.valueChecks.length : 0 };
    }
    if (named === "conformance" && route.output) {
      return { metric: named, score: graded.outcome === "conformant" ? 1 : 0 };
    }
  }
  return undefined;
}
