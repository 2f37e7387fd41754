/** What a route asks its arms to be judged by, as a report tells it. */
import { nanoToUsdText } from "../../money/nano-usd.ts";
import { DEFAULT_CONFORMANCE_DROP, DEFAULT_LAMBDA } from "../../route/defaults.ts";
import type { Route } from "../../route/route.ts";
import type { BakeoffReport, ObjectiveReport } from "../report/bakeoff-report.ts";

/** Neither block declared: cost-first. A `bakeoff` block alone asks for quality first. */
export function objectiveOf({ objective, bakeoff }: Route): ObjectiveReport {
  const ceiling = objective?.priceCeiling;
  const gate = bakeoff?.qualityGate;
  return {
    mode: objective?.mode ?? (bakeoff ? "quality-first" : "cost-first"),
    max_regret: objective?.maxRegret,
    max_p95_ms: objective?.maxP95,
    max_conformance_drop: objective?.maxConformanceDrop ?? DEFAULT_CONFORMANCE_DROP,
    usd_per_1k: ceiling && "per1k" in ceiling ? Number(nanoToUsdText(ceiling.per1k)) : undefined,
    usd_per_run: ceiling && "perRun" in ceiling ? Number(nanoToUsdText(ceiling.perRun)) : undefined,
    lambda: objective?.mode === "balanced" ? objective.lambda : undefined,
    quality_gate: gate && { min_score: gate.minScore },
  };
}

/**
 * Whether a report was judged by the limits of the very route it names. The mode alone may be another one: whoever runs
 * a bake-off may ask for it.
 */
export function objectiveFault(report: BakeoffReport, route: Route): string | undefined {
  if (report.route_hash !== route.hash) return undefined;
  const declared = objectiveOf(route);
  const asked = report.objective;
  const lambda = asked.mode === "balanced" ? (route.objective?.lambda ?? DEFAULT_LAMBDA) : undefined;
  const same =
    asked.max_regret === declared.max_regret &&
    asked.max_conformance_drop === declared.max_conformance_drop &&
    asked.max_p95_ms === declared.max_p95_ms &&
    asked.usd_per_1k === declared.usd_per_1k &&
    asked.usd_per_run === declared.usd_per_run &&
    asked.lambda === lambda &&
    asked.quality_gate?.min_score === declared.quality_gate?.min_score &&
    report.schema_declared === (route.output !== undefined);
  return same ? undefined : "the limits of the report are not those of its route";
}
