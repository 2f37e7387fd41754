/** The report of a finished or interrupted run. */
import { addUsd, type NanoUsd, nanoToUsdText, nanoUsd, ZERO_USD } from "../../money/nano-usd.ts";
import { comparisonsOf, incumbentOf } from "../analysis/comparisons.ts";
import { type ArmOutput, fieldAgreements } from "../analysis/field-agreement.ts";
import { type CacheBasis, type DatedPrices, pricedSamples } from "../analysis/priced-samples.ts";
import { Scores } from "../analysis/scores.ts";
import { compare, type MeasuredArm, summarise } from "../analysis/summary.ts";
import { costLevel } from "../evidence/cost-level.ts";
import { type CountedRegret, decideRegrets, type RegretDetail } from "../evidence/decide-regrets.ts";
import type { EvidenceStore } from "../evidence/evidence-store.ts";
import type { LookRecord } from "../evidence/look-record.ts";
import { type Comparison, makeLook } from "../evidence/make-look.ts";
import { gradingDigest, servedDigest } from "../evidence/served-payload.ts";
import type { BakeoffRun } from "../execution/bakeoff-run.ts";
import type { QualityMetric, Sample } from "../execution/sample.ts";
import { decideGate } from "../gate/decide-gate.ts";
import type { JudgeVerdict } from "../judge/judge-verdict.ts";
import type { PeopleTable } from "../judge/people-table.ts";
import type { Arm } from "../plan/arm.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { objectiveOf } from "../plan/objective.ts";
import { answersOf } from "./answers.ts";
import { BAKEOFF_SCHEMA, type BakeoffReport, type ReferenceReport } from "./bakeoff-report.ts";
import { judgeReportOf } from "./judge-report.ts";
import { withPeople } from "./with-people.ts";

export interface ReportFacts {
  /** Inputs asked for; fewer may have been there. */
  readonly asked: number;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** What the budgets booked in all, unknown bills at their bound; `undefined` where nobody counts it. */
  readonly booked?: NanoUsd | undefined;
  /** What all samples are priced by, and as of when. Absent = each keeps its own bill. */
  readonly prices?: DatedPrices | undefined;
  /** What the arms answered, where that was kept. */
  readonly outputs?: readonly ArmOutput[] | undefined;
  /** What people said of outputs that the same judge judged, in earlier bake-offs of the route. */
  readonly people?: PeopleTable | undefined;
}

/** The report as a first look, with nothing remembered and nothing kept. */
export function reportOf(plan: BakeoffPlan, run: BakeoffRun, facts: ReportFacts): Promise<BakeoffReport> {
  return reportWithEvidence(plan, run, facts, {
    salt: async () => "",
    record: async (look) => [look],
  });
}

/**
 * The report with the evidence of earlier bake-offs, to which this one's look is added first. Of the same bake-off again
 * it is the same report. Where the look cannot be kept, the report stands on it alone and says so: it proposes nothing.
 */
export async function reportWithEvidence(
  plan: BakeoffPlan,
  run: BakeoffRun,
  facts: ReportFacts,
  evidence: EvidenceStore,
  detail?: RegretDetail,
): Promise<BakeoffReport> {
  const samples = byArm(plan.arms, run.samples);
  const compared = await comparedOf(plan, samples, run);
  const { looks, store } = await lookedAt(plan, facts, compared, evidence);
  const counted = compared.map(({ counted: one }) => one);
  return assemble(plan, run, { ...facts, samples, store }, decideRegrets(counted, looks, detail));
}

interface Compared {
  readonly counted: CountedRegret;
  readonly comparison: Comparison;
}

async function comparedOf(
  plan: BakeoffPlan,
  samples: ReadonlyMap<string, readonly Sample[]>,
  run: BakeoffRun,
): Promise<Compared[]> {
  const judge = plan.judge?.type === "judge" ? plan.judge.candidate.key : undefined;
  return Promise.all(
    comparisonsOf(plan).map(async ({ arm, against, metric, limit }) => {
      const pairs = new Scores(metric, samples, usableVerdicts(run)).differences(arm.name, against.name, plan.inputs);
      const [own, other, grading] = await Promise.all([
        servedDigest(arm.narrowed),
        servedDigest(against.narrowed),
        gradingDigest(plan.route, metric, judge),
      ]);
      const key = { arm: own, against: other, grading };
      const counted: CountedRegret = {
        ...{ arm: arm.name, against: against.name, metric, key, limit },
        n_paired: pairs.length,
        missing: plan.inputs.length - pairs.length,
        losses: pairs.filter(({ d }) => d > 0).length,
        wins: pairs.filter(({ d }) => d < 0).length,
      };
      return { counted, comparison: { key, challenger: arm.role === "challenger", pairs } };
    }),
  );
}

async function lookedAt(
  plan: BakeoffPlan,
  { finishedAt }: ReportFacts,
  compared: readonly Compared[],
  evidence: EvidenceStore,
): Promise<{ readonly looks: readonly LookRecord[]; readonly store: BakeoffReport["evidence_store"] }> {
  const facts = { route: plan.route.name, bakeoff: plan.id, at: finishedAt };
  const look = async (salt: string): Promise<LookRecord> =>
    makeLook(
      compared.map(({ comparison }) => comparison),
      { ...facts, salt },
    );
  // A diagnosis is no look at the traffic: it is told, and never remembered as evidence.
  if (!plan.sampling.representative) return { looks: [await look("")], store: { kept: true } };
  try {
    return { looks: await evidence.record(await look(await evidence.salt())), store: { kept: true } };
  } catch (cause) {
    const note = (cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
    return { looks: [await look("")], store: { kept: false, note } };
  }
}

interface Assembled extends ReportFacts {
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  readonly store: BakeoffReport["evidence_store"];
}

function assemble(
  plan: BakeoffPlan,
  run: BakeoffRun,
  facts: Assembled,
  regrets: BakeoffReport["regrets"],
): BakeoffReport {
  const metric = metricOf(plan);
  const scores = new Scores(metric, facts.samples, usableVerdicts(run));
  const measured = ({ name }: Arm): MeasuredArm => {
    const samples = facts.samples.get(name) ?? [];
    const on = (caches: CacheBasis): readonly Sample[] => pricedSamples(samples, facts.prices, caches);
    return { samples, priced: { as_billed: on("as_billed"), uncached: on("uncached") }, scores: scores.of(name) };
  };
  const objective = objectiveOf(plan.route);
  const terms = {
    schemaDeclared: plan.route.output !== undefined,
    metric,
    minScore: objective.quality_gate?.min_score,
    questions: new Map(plan.inputs.map(({ id, question }) => [id, question])),
  };
  const incumbent = incumbentOf(plan.arms);
  const arms = plan.arms.map((arm) => summarise(arm, measured(arm), run.stopped.get(arm.name), terms));
  const figures = {
    schema_declared: terms.schemaDeclared,
    objective,
    reference: referenceOf(plan),
    judge: judgeReportOf(plan, run),
    sampling: plan.sampling,
    evidence_store: facts.store,
    metric,
    arms,
    pairs: plan.arms
      .filter((arm) => arm !== incumbent)
      .map((arm) =>
        compare(arm.name, measured(arm), measured(incumbent), {
          minScore: terms.minScore,
          level: costLevel(arm.name, regrets),
          clusters: clustersOf(plan),
        }),
      ),
    regrets,
  };
  const report: BakeoffReport = {
    schema: BAKEOFF_SCHEMA,
    id: plan.id,
    route: plan.route.name,
    route_hash: plan.route.hash,
    started_at: iso(facts.startedAt),
    finished_at: iso(facts.finishedAt),
    seed: facts.seed,
    concurrency: plan.concurrency,
    budget_usd_per_arm: nanoToUsdText(plan.budgetPerArm),
    ...unknownOf(run, facts.booked),
    simulated: run.samples.some(({ simulated }) => simulated),
    partial: arms.some(({ complete }) => !complete),
    inputs: inputsOf(plan, facts.asked),
    answers: answersOf(plan.route, metric, figures.judge),
    incumbent: incumbent.name,
    ...(facts.prices && {
      prices: { version: facts.prices.book.version.slice(0, 128), at: facts.prices.at.toISOString() },
    }),
    ...fieldsOf(plan, facts.outputs),
    ...figures,
    gate: decideGate(figures),
  };
  return withPeople(report, facts.people);
}

function fieldsOf({ arms, route }: BakeoffPlan, outputs: ReportFacts["outputs"]): Pick<BakeoffReport, "fields"> {
  if (!outputs) return {};
  const challengers = arms.filter(({ role }) => role === "challenger").map(({ name }) => name);
  return { fields: fieldAgreements(route, outputs, incumbentOf(arms).name, challengers) };
}

/** What was booked beyond the bills that are known. */
function unknownOf({ samples, judged }: BakeoffRun, booked: NanoUsd | undefined): Pick<BakeoffReport, "unknown_usd"> {
  const { verdicts = [], planted = [] } = judged ?? {};
  const billed = [...samples, ...verdicts, ...planted].reduce(
    (sum, { cost }) => addUsd(sum, cost ?? ZERO_USD),
    ZERO_USD,
  );
  return booked !== undefined && booked > billed ? { unknown_usd: nanoToUsdText(nanoUsd(booked - billed)) } : {};
}

/** Cluster of each input: its customer or run, else its question. */
function clustersOf({ inputs }: BakeoffPlan): ReadonlyMap<string, string> {
  return new Map(inputs.map(({ id, cluster, question }) => [id, cluster ?? question]));
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

/** No score follows from a judge that may not be used. */
function usableVerdicts({ judged }: BakeoffRun): readonly JudgeVerdict[] {
  return judged && judged.unusable === undefined ? judged.verdicts : [];
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

function byArm(arms: readonly Arm[], samples: readonly Sample[]): ReadonlyMap<string, readonly Sample[]> {
  const grouped = new Map<string, Sample[]>(arms.map(({ name }) => [name, []]));
  for (const sample of samples) grouped.get(sample.arm)?.push(sample);
  return grouped;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
