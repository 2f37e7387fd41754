/** The report of a finished or interrupted run. */
import { addUsd, nanoToUsdText, ZERO_USD } from "../../money/nano-usd.ts";
import {
  type Comparison,
  type EvidenceState,
  type EvidenceStore,
  evidenceKey,
  takeLook,
} from "../analysis/evidence-process.ts";
import { countRegret, withBounds } from "../analysis/regret-bounds.ts";
import { Scores } from "../analysis/scores.ts";
import { compare, type Measured, summarise } from "../analysis/summary.ts";
import type { BakeoffRun } from "../execution/bakeoff-run.ts";
import type { QualityMetric, Sample } from "../execution/sample.ts";
import { decideGate } from "../gate/decide-gate.ts";
import { tallyOf } from "../judge/judge-verdict.ts";
import type { Arm } from "../plan/arm.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { objectiveOf } from "../plan/objective.ts";
import { BAKEOFF_SCHEMA, type BakeoffReport, type JudgeReport, type ReferenceReport } from "./bakeoff-report.ts";

export interface ReportFacts {
  /** Inputs asked for; fewer may have been there. */
  readonly asked: number;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** The report as the first look at each of its comparisons, with nothing remembered. */
export function reportOf(plan: BakeoffPlan, run: BakeoffRun, facts: ReportFacts): BakeoffReport {
  return assemble(plan, run, facts, new Map());
}

/**
 * The report with the evidence of earlier bake-offs, which it adds to. Of the same bake-off again it is the same report:
 * what was counted is not counted twice.
 */
export async function reportWithEvidence(
  plan: BakeoffPlan,
  run: BakeoffRun,
  facts: ReportFacts,
  evidence: EvidenceStore,
): Promise<BakeoffReport> {
  const keys = new Map<string, string>();
  const known = new Map<string, EvidenceState>();
  for (const comparison of comparisonsOf(plan)) {
    const key = await evidenceKey(comparison);
    const state = await evidence.load(key);
    keys.set(nameOf(comparison), key);
    if (state) known.set(nameOf(comparison), state);
  }
  const after = new Map<string, EvidenceState>();
  const report = assemble(plan, run, facts, known, (comparison, state) => after.set(nameOf(comparison), state));
  for (const [name, state] of after) {
    const key = keys.get(name);
    if (key !== undefined) await evidence.save(key, state, facts.finishedAt);
  }
  return report;
}

function assemble(
  plan: BakeoffPlan,
  run: BakeoffRun,
  facts: ReportFacts,
  known: ReadonlyMap<string, EvidenceState>,
  onEvidence: (comparison: Comparison, state: EvidenceState) => void = () => undefined,
): BakeoffReport {
  const metric = metricOf(plan);
  const samples = byArm(plan.arms, run.samples);
  const scores = new Scores(metric, samples, run.verdicts);
  const measured = ({ name }: Arm): Measured => ({ samples: samples.get(name) ?? [], scores: scores.of(name) });
  const objective = objectiveOf(plan.route);
  const terms = {
    schemaDeclared: plan.route.output !== undefined,
    metric,
    minScore: objective.quality_gate?.min_score,
  };
  const incumbent = incumbentOf(plan.arms);
  const challengers = plan.arms.filter(({ role }) => role === "challenger");
  const counted = comparisonsOf(plan).map((comparison) => {
    const [arm, against] = [comparison.arm.name, comparison.against.name];
    const pairs = scores.differences(arm, against, plan.inputs);
    const family = comparison.arm.role === "challenger" ? challengers.length : 1;
    const before = known.get(nameOf(comparison));
    const { look, state } = takeLook(before, plan.id, pairs, { epsilon: comparison.epsilon, family });
    onEvidence(comparison, state);
    return countRegret({ arm, against }, pairs, plan.inputs.length, look);
  });
  const arms = plan.arms.map((arm) => summarise(arm, measured(arm), run.stopped.get(arm.name), terms));
  const figures = {
    schema_declared: terms.schemaDeclared,
    objective,
    reference: referenceOf(plan),
    judge: judgeOf(plan, run),
    arms,
    pairs: plan.arms
      .filter((arm) => arm !== incumbent)
      .map((arm) => compare(arm.name, measured(arm), measured(incumbent), terms)),
    regrets: withBounds(counted, {
      epsilon: objective.max_regret,
      reference: plan.arms.find(({ role }) => role === "reference")?.name,
      challengers: challengers.map(({ name }) => name),
    }),
  };
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
    inputs: inputsOf(plan, facts.asked),
    metric,
    incumbent: incumbent.name,
    ...figures,
    gate: decideGate(figures),
  };
}

/**
 * What regret is measured between: every other arm and the reference, then each challenger and the incumbent. A route
 * that declares neither an objective nor a `bakeoff` block asks for none.
 */
function comparisonsOf(plan: BakeoffPlan): Comparison[] {
  const { route, arms } = plan;
  if (!route.objective && !route.bakeoff) return [];
  const incumbent = incumbentOf(arms);
  const reference = arms.find(({ role }) => role === "reference");
  const common = { route, metric: metricOf(plan) };
  const epsilon = route.objective?.maxRegret ?? 0;
  const againstReference = reference
    ? arms.filter((arm) => arm !== reference).map((arm) => ({ ...common, arm, against: reference, epsilon }))
    : [];
  const challengers = arms.filter(({ role }) => role === "challenger");
  return [...againstReference, ...challengers.map((arm) => ({ ...common, arm, against: incumbent, epsilon: 0 }))];
}

function nameOf({ arm, against }: Comparison): string {
  return JSON.stringify([arm.name, against.name]);
}

function metricOf({ metric }: BakeoffPlan): QualityMetric {
  return metric ?? "conformance";
}

function referenceOf({ reference }: BakeoffPlan): ReferenceReport | undefined {
  if (!reference) return undefined;
  return reference.type === "arm"
    ? { arm: reference.arm.name, by: reference.by }
    : { note: reference.reason.slice(0, 300) };
}

function judgeOf({ judge }: BakeoffPlan, { verdicts }: BakeoffRun): JudgeReport | undefined {
  if (!judge) return undefined;
  const { pairs, bothOrders, flipped, unusable } = tallyOf(verdicts);
  const refused = judge.type === "judge" ? Object.values(judge.refused).join("; ") : judge.reason;
  return {
    model: judge.type === "judge" ? judge.candidate.key : undefined,
    note: refused === "" ? undefined : refused.slice(0, 600),
    pairs,
    both_orders: bothOrders,
    flipped,
    unusable: { ...unusable },
    spend_usd: nanoToUsdText(verdicts.reduce((sum, { cost }) => addUsd(sum, cost ?? ZERO_USD), ZERO_USD)),
    cost_unknown: verdicts.filter(({ cost, attempts }) => cost === undefined && attempts > 0).length,
  };
}

function inputsOf({ inputs }: BakeoffPlan, asked: number): BakeoffReport["inputs"] {
  const weight = inputs.reduce((sum, input) => sum + (input.weight ?? 1), 0);
  let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at } of inputs) [oldest, newest] = [Math.min(oldest, at), Math.max(newest, at)];
  return {
    asked,
    used: inputs.length,
    weight: weight === inputs.length ? undefined : weight,
    variables: inputs.filter(({ payload }) => payload.kind === "variables").length,
    messages: inputs.filter(({ payload }) => payload.kind === "messages").length,
    oldest: inputs.length === 0 ? undefined : iso(oldest),
    newest: inputs.length === 0 ? undefined : iso(newest),
  };
}

function incumbentOf(arms: readonly Arm[]): Arm {
  const incumbent = arms.find(({ role }) => role === "incumbent");
  if (!incumbent) throw new RangeError("a bake-off has an incumbent");
  return incumbent;
}

function byArm(arms: readonly Arm[], samples: readonly Sample[]): ReadonlyMap<string, readonly Sample[]> {
  const grouped = new Map<string, Sample[]>(arms.map(({ name }) => [name, []]));
  for (const sample of samples) grouped.get(sample.arm)?.push(sample);
  return grouped;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
