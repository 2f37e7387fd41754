import { nanoToUsdText } from "../money/nano-usd.ts";
import type { Route } from "../route/route.ts";
import type { Arm } from "./arm.ts";
import { costFirstGate } from "./gate.ts";
import { BAKEOFF_SCHEMA, type BakeoffReport } from "./report.ts";
import type { BakeoffPlan, BakeoffRun } from "./run.ts";
import { compare, summarise } from "./summary.ts";

export interface ReportFacts {
  /** Inputs asked for; fewer may have been there. */
  readonly asked: number;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** The report of a finished or interrupted run. */
export function reportOf(plan: BakeoffPlan, run: BakeoffRun, facts: ReportFacts): BakeoffReport {
  const schemaDeclared = plan.route.output !== undefined;
  const samplesOf = ({ name }: Arm) => run.samples.filter(({ arm }) => arm === name);
  const arms = plan.arms.map((arm) => summarise(arm, samplesOf(arm), run.stopped.get(arm.name), schemaDeclared));
  const incumbent = plan.arms.find(({ role }) => role === "incumbent");
  if (!incumbent) throw new RangeError("a bake-off has an incumbent");
  const pairs = plan.arms
    .filter((arm) => arm !== incumbent)
    .map((arm) => compare(arm.name, samplesOf(arm), samplesOf(incumbent)));
  const terms = { schema_declared: schemaDeclared, objective: objectiveOf(plan.route) };
  const times = plan.inputs.map(({ at }) => at);
  return {
    schema: BAKEOFF_SCHEMA,
    id: plan.id,
    route: plan.route.name,
    route_hash: plan.route.hash,
    started_at: iso(facts.startedAt),
    finished_at: iso(facts.finishedAt),
    seed: facts.seed,
    concurrency: plan.concurrency,
    budget_usd_per_arm: nanoToUsdText(plan.budgetPerArm),
    simulated: run.samples.some(({ simulated }) => simulated),
    partial: arms.some(({ complete }) => !complete),
    inputs: {
      asked: facts.asked,
      used: plan.inputs.length,
      variables: plan.inputs.filter(({ payload }) => payload.kind === "variables").length,
      messages: plan.inputs.filter(({ payload }) => payload.kind === "messages").length,
      oldest: times.length === 0 ? undefined : iso(Math.min(...times)),
      newest: times.length === 0 ? undefined : iso(Math.max(...times)),
    },
    metric: "conformance",
    ...terms,
    incumbent: incumbent.name,
    arms,
    pairs,
    gate: costFirstGate(arms, pairs, terms),
  };
}

/** Neither block declared: cost-first. A `bakeoff` block alone asks for quality first. */
function objectiveOf({ objective, bakeoff }: Route): BakeoffReport["objective"] {
  const mode = objective?.mode ?? (bakeoff ? "quality-first" : "cost-first");
  return { mode, quality_gate: bakeoff?.qualityGate !== undefined };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
