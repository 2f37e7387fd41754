/** From samples to the figures of each arm. Every sent sample is in a denominator, whatever became of it. */
import { formatUsd } from "../../money/format.ts";
import { addUsd, type NanoUsd, nanoToUsdText, ZERO_USD } from "../../money/nano-usd.ts";
import { type CostSample, effectiveCost, LEAST_CONFORMANT, LEAST_SAMPLES, pairedCostRatio } from "../../stats/cost.ts";
import { percentile, percentileInterval } from "../../stats/percentile.ts";
import { wilson, wilsonRate } from "../../stats/wilson.ts";
import { MIN_PAIRS } from "../evidence/decide-regrets.ts";
import type { StopReason } from "../execution/bakeoff-run.ts";
import { failureKey, type QualityMetric, type Sample } from "../execution/sample.ts";
import { GOOD } from "../judge/human-grades.ts";
import type { Arm } from "../plan/arm.ts";
import type { ArmReport, PairReport } from "./arm-report.ts";
import { type CacheBasis, metCaches } from "./priced-samples.ts";

/** What an arm's samples are summarised by. */
interface SummaryTerms {
  readonly schemaDeclared: boolean;
  readonly metric: QualityMetric;
  /** Of the route's quality gate. */
  readonly minScore?: number | undefined;
  /** Question of each input. */
  readonly questions: ReadonlyMap<string, string>;
}

/** An arm's samples, and the score of each input that the metric could score. */
export interface MeasuredArm {
  /** As billed. */
  readonly samples: readonly Sample[];
  /** The same, with their costs by one price book. */
  readonly priced: Readonly<Record<CacheBasis, readonly Sample[]>>;
  readonly scores: ReadonlyMap<string, number>;
}

export function summarise(
  arm: Arm,
  { samples, scores, priced }: MeasuredArm,
  stopped: StopReason | undefined,
  terms: SummaryTerms,
): ArmReport {
  const sent = samples.filter(wasSent);
  const graded = sent.filter(({ outcome }) => outcome === "conformant" || outcome === "nonconformant");
  const conformant = sent.filter(isConformant).length;
  const interval = terms.schemaDeclared ? wilson(conformant, sent.length) : undefined;
  return {
    arm: arm.name,
    role: arm.role,
    candidates: arm.narrowed.candidates.map(({ key }) => key),
    complete: stopped === undefined,
    stopped,
    sent: sent.length,
    graded: graded.length,
    conformant,
    conformance: interval && { rate: conformant / sent.length, low: interval.low, high: interval.high },
    quality: qualityOf(scores, terms.metric),
    passing: passingOf(sent, scores, terms.minScore),
    judged: judgedOf(scores, terms),
    repair: repairOf(samples, sent),
    rungs: rungCounts(sent),
    latency_ms: latencyOf(samples),
    steadiness: steadinessOf(scores, terms.questions),
    spend_usd: nanoToUsdText(totalOf(samples, ({ cost }) => cost)),
    priced_usd: nanoToUsdText(totalOf(priced.as_billed, ({ cost }) => cost)),
    cost_unknown: sent.filter(({ cost }) => cost === undefined).length,
    cost_estimated: sent.filter(({ costEstimated }) => costEstimated).length,
    ...effectiveOf(priced.as_billed, terms.schemaDeclared),
    ...(metCaches(samples) && {
      uncached_usd: nanoToUsdText(totalOf(priced.uncached, ({ cost }) => cost)),
      effective_uncached: effectiveOf(priced.uncached, terms.schemaDeclared).effective,
    }),
    ...effectivePassing(priced.as_billed, scores, terms.minScore),
    failures: failureCounts(samples),
    value_checks: checksOf(samples),
  };
}

interface CompareTerms extends Pick<SummaryTerms, "minScore"> {
  /** One-sided level of the bounds of the cost ratio. */
  readonly level: number;
  /** Cluster of each input. */
  readonly clusters: ReadonlyMap<string, string>;
}

/** Challenger against incumbent on the inputs both were sent. */
export function compare(
  challenger: string,
  mine: MeasuredArm,
  theirs: MeasuredArm,
  { minScore, level, clusters }: CompareTerms,
): PairReport {
  const pairsOn = (caches: CacheBasis): readonly { readonly challenger: Sample; readonly incumbent: Sample }[] => {
    const incumbentByInput = new Map(theirs.priced[caches].filter(wasSent).map((sample) => [sample.input, sample]));
    return mine.priced[caches].filter(wasSent).flatMap((sample) => {
      const other = incumbentByInput.get(sample.input);
      return other ? [{ challenger: sample, incumbent: other }] : [];
    });
  };
  const cached = metCaches([...mine.samples, ...theirs.samples]);
  const ratioOn = (
    caches: CacheBasis,
    counts: (sample: Sample, of: MeasuredArm) => boolean,
  ): PairReport["cost_ratio"] => {
    const pairs = pairsOn(caches);
    if (pairs.length < MIN_PAIRS) return undefined;
    const ofCluster = (sample: Sample, counted: boolean): CostSample => {
      return { ...costSample(sample, counted), cluster: clusters.get(sample.input) };
    };
    const ratio = pairedCostRatio(
      pairs.map((pair) => ofCluster(pair.challenger, counts(pair.challenger, mine))),
      pairs.map((pair) => ofCluster(pair.incumbent, counts(pair.incumbent, theirs))),
      level,
    );
    return (
      ratio && {
        ratio: ratio.ratio,
        low: ratio.interval?.low,
        high: ratio.interval?.high,
        level,
        ...(cached && { caches }),
      }
    );
  };
  const ratiosOf = (counts: (sample: Sample, of: MeasuredArm) => boolean): PairReport["cost_ratio"][] => {
    const billed = ratioOn("as_billed", counts);
    return cached ? lessFavourableFirst(billed, ratioOn("uncached", counts)) : [billed];
  };
  const [ratio, beside] = ratiosOf(isConformant);
  return {
    arm: challenger,
    n_paired: pairsOn("as_billed").length,
    cost_ratio: ratio,
    ...(beside && { cost_ratio_beside: beside }),
    cost_ratio_passing:
      minScore === undefined ? undefined : ratiosOf(({ input }, { scores }) => passes(scores, input, minScore))[0],
  };
}

/** How much of the live traffic meets a cache is not known: what decides is the basis on which the challenger costs more. */
function lessFavourableFirst(
  one: PairReport["cost_ratio"],
  other: PairReport["cost_ratio"],
): PairReport["cost_ratio"][] {
  const worst = (ratio: PairReport["cost_ratio"]): number => ratio?.high ?? ratio?.ratio ?? Number.POSITIVE_INFINITY;
  return worst(other) > worst(one) ? [other, one] : [one, other];
}

/** Undefined where no question was asked more than once. */
function steadinessOf(
  scores: ReadonlyMap<string, number>,
  questions: ReadonlyMap<string, string>,
): ArmReport["steadiness"] {
  const byQuestion = new Map<string, number[]>();
  for (const [input, score] of scores) {
    const question = questions.get(input) ?? input;
    byQuestion.set(question, [...(byQuestion.get(question) ?? []), score]);
  }
  const repeated = [...byQuestion.values()].filter((of) => of.length > 1);
  const steady = repeated.filter((of) => new Set(of).size === 1).length;
  const interval = wilson(steady, repeated.length);
  return (
    interval && {
      ...{ questions: repeated.length, steady, rate: steady / repeated.length },
      ...{ low: interval.low, high: interval.high },
    }
  );
}

function qualityOf(scores: ReadonlyMap<string, number>, metric: QualityMetric): ArmReport["quality"] {
  const n = scores.size;
  if (n === 0) return undefined;
  let sum = 0;
  for (const score of scores.values()) sum += score;
  const mean = Math.min(1, sum / n);
  const interval = wilsonRate(mean, n);
  return { metric, n, mean, low: interval.low, high: interval.high };
}

/** Of all sent: a sample that nothing could score does not pass. */
function passingOf(
  sent: readonly Sample[],
  scores: ReadonlyMap<string, number>,
  minScore: number | undefined,
): ArmReport["passing"] {
  if (minScore === undefined) return undefined;
  const count = sent.filter(({ input }) => passes(scores, input, minScore)).length;
  const interval = wilson(count, sent.length);
  return interval && { min_score: minScore, count, rate: count / sent.length, low: interval.low, high: interval.high };
}

/** What a person's grade calls good is called good here, unless the route says otherwise. */
function judgedOf(scores: ReadonlyMap<string, number>, { metric, minScore = GOOD }: SummaryTerms): ArmReport["judged"] {
  if (metric !== "judge" || scores.size === 0) return undefined;
  return { passed: [...scores.values()].filter((score) => score >= minScore).length, of: scores.size };
}

function passes(scores: ReadonlyMap<string, number>, input: string, minScore: number): boolean {
  return (scores.get(input) ?? -1) >= minScore;
}

function repairOf(samples: readonly Sample[], sent: readonly Sample[]): ArmReport["repair"] {
  const count = sent.filter(({ rung }) => rung === "syntax_repair" || rung === "model_repair").length;
  return {
    count,
    rate: sent.length === 0 ? undefined : count / sent.length,
    cost_usd: nanoToUsdText(totalOf(samples, ({ repairCost }) => repairCost)),
  };
}

function latencyOf(samples: readonly Sample[]): ArmReport["latency_ms"] {
  const latencies = samples
    .filter(({ outcome }) => outcome !== "failed" && outcome !== "refused")
    .map(({ latencyMs }) => latencyMs)
    .sort((a, b) => a - b);
  if (latencies.length === 0) return undefined;
  return {
    n: latencies.length,
    p50: percentile(latencies, 50),
    p95: percentile(latencies, 95),
    p50_bounds: percentileInterval(latencies, 50),
    p95_bounds: percentileInterval(latencies, 95),
  };
}

function checksOf(samples: readonly Sample[]): ArmReport["value_checks"] {
  const checks = samples.flatMap(({ checks: one }) => (one ? [one] : []));
  if (checks.length === 0) return undefined;
  return {
    passed: checks.reduce((sum, { passed }) => sum + passed, 0),
    failed: checks.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function effectiveOf(
  samples: readonly Sample[],
  schemaDeclared: boolean,
): Pick<ArmReport, "effective" | "effective_note"> {
  if (!schemaDeclared) return { effective_note: "no schema to conform to" };
  const paid = samples.filter(hasPaid);
  if (paid.length === 0) return { effective_note: "nothing was sent" };
  const cost = effectiveCost(paid.map((sample) => costSample(sample, isConformant(sample))));
  switch (cost.status) {
    case "unpriced":
      return { effective_note: `unpriced: ${cost.missing} calls` };
    case "none_conformant":
      return { effective_note: `no conformant output for ${formatUsd(cost.spent)}` };
    case "measured": {
      const needed = `an interval needs n ${LEAST_SAMPLES} and ${LEAST_CONFORMANT} conformant`;
      return { effective: inDollars(cost), ...(cost.interval ? {} : { effective_note: needed }) };
    }
  }
}

function effectivePassing(
  samples: readonly Sample[],
  scores: ReadonlyMap<string, number>,
  minScore: number | undefined,
): Pick<ArmReport, "effective_passing"> {
  if (minScore === undefined) return {};
  const paid = samples.filter(hasPaid);
  const cost = effectiveCost(paid.map((sample) => costSample(sample, passes(scores, sample.input, minScore))));
  return cost.status === "measured" ? { effective_passing: inDollars(cost) } : {};
}

function totalOf(samples: readonly Sample[], amount: (sample: Sample) => NanoUsd | undefined): NanoUsd {
  return samples.reduce((sum, sample) => addUsd(sum, amount(sample) ?? ZERO_USD), ZERO_USD);
}

const NANO = 1e9;

function inDollars({ per1k, interval }: Extract<ReturnType<typeof effectiveCost>, { status: "measured" }>) {
  if (!interval) return { usd_per_1k: per1k / NANO };
  return { usd_per_1k: per1k / NANO, low: interval.low / NANO, high: interval.high / NANO };
}

function costSample({ cost }: Sample, counts: boolean): CostSample {
  return { cost, conformant: counts };
}

function isConformant({ outcome }: Sample): boolean {
  return outcome === "conformant";
}

/** Refused before anything was sent: no sample of the arm, only the reason it stopped. */
function wasSent({ outcome }: Sample): boolean {
  return outcome !== "refused";
}

/** A call that was refused on its second attempt has paid for its first. */
function hasPaid(sample: Sample): boolean {
  return wasSent(sample) || sample.attempts > 0;
}

function rungCounts(samples: readonly Sample[]): ArmReport["rungs"] {
  const counts: ArmReport["rungs"] = {};
  for (const { rung } of samples) if (rung !== undefined) counts[rung] = (counts[rung] ?? 0) + 1;
  return counts;
}

function failureCounts(samples: readonly Sample[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { failure } of samples) {
    if (failure) counts[failureKey(failure)] = (counts[failureKey(failure)] ?? 0) + 1;
  }
  return counts;
}
