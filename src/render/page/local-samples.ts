/** What the machine that ran a bake-off knows beyond its report: the calls themselves. It never leaves that machine. */

import { Scores } from "../../bakeoff/analysis/scores.ts";
import type { Sample } from "../../bakeoff/execution/sample.ts";
import { withJudgement } from "../../bakeoff/judge/judge-scheduler.ts";
import type { JudgeVerdict } from "../../bakeoff/judge/judge-verdict.ts";
import type { SampleOutput } from "../../bakeoff/ports.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import { canonicalJson } from "../../route/canonical.ts";
import { percentile } from "../../stats/percentile.ts";
import { seededRandom } from "../../stats/random.ts";
import type { LatencyFigures } from "../plot/latency.ts";
import { changedPaths } from "./json-diff.ts";
import { baseOf } from "./model.ts";

interface LocalOutput extends Pick<SampleOutput, "input" | "arm" | "output"> {
  /** Id of the call, by which a grade names it; absent where an older version wrote the file. */
  readonly inferenceId?: string | undefined;
}

export interface LocalSamples {
  readonly inputs: readonly ReplayInput[];
  readonly samples: readonly Sample[];
  readonly verdicts: readonly JudgeVerdict[];
  readonly outputs: readonly LocalOutput[];
  /** Versions of the prices that the calls were billed by. */
  readonly priceBooks: readonly string[];
}

/** One output as it was measured. */
export interface Side {
  readonly arm: string;
  readonly sample: Sample | undefined;
  readonly answer: LocalOutput | undefined;
  /** By the report's metric; absent where it could not score the sample. */
  readonly score: number | undefined;
}

const PAIR_KINDS = ["regression", "improvement", "both_fail", "different"] as const;
export type PairKind = (typeof PAIR_KINDS)[number];

/** An arm's output beside the one it is held against, for the same input. */
export interface SidePair {
  readonly input: ReplayInput;
  readonly base: Side;
  readonly own: Side;
  /** Score of the base − score of the arm; absent where the metric could not score both. */
  readonly difference: number | undefined;
  readonly kinds: ReadonlySet<PairKind>;
  /** Shown with the arm on the left: drawn, so that a reader cannot tell the sides apart. */
  readonly flipped: boolean;
}

/** As the report counted them. */
export function scoresBy({ metric }: Pick<BakeoffReport, "metric">, { samples, verdicts }: LocalSamples): Scores {
  return new Scores(metric, byArm(withJudgement(samples, verdicts)), verdicts);
}

type Unshuffled = Omit<SidePair, "flipped">;

/** Every pair there is, those that differ most first. */
export function sidePairs(report: BakeoffReport, local: LocalSamples): SidePair[] {
  const judged = withJudgement(local.samples, local.verdicts);
  // Of a sample that a limit refused and that was asked again, the later one counts.
  const samples = new Map(judged.map((sample) => [sideKey(sample.input, sample.arm), sample]));
  const answers = new Map(local.outputs.map((output) => [sideKey(output.input, output.arm), output]));
  const scores = scoresBy(report, local);
  const base = baseOf(report);
  const side = (input: string, arm: string): Side => ({
    arm,
    sample: samples.get(sideKey(input, arm)),
    answer: answers.get(sideKey(input, arm)),
    score: scores.of(arm).get(input),
  });
  const pairs = report.arms
    .filter(({ arm }) => arm !== base)
    .flatMap(({ arm }) => {
      const differences = new Map(scores.differences(arm, base, local.inputs).map(({ input, d }) => [input, d]));
      return local.inputs.map((input) => {
        const [own, other] = [side(input.id, arm), side(input.id, base)];
        const difference = differences.get(input.id);
        const failed = own.score === 0 && other.score === 0;
        return { input, own, base: other, difference, kinds: kindsOf(own, other, difference, failed) };
      });
    })
    .filter(({ own, base: other }) => own.sample !== undefined && other.sample !== undefined);
  const random = seededRandom(report.seed);
  return byInput(pairs).map((pair) => ({ ...pair, flipped: random() < 0.5 }));
}

/** Pairs of one input stand together, for its names are shown together; inputs by the pair that differs most. */
function byInput(pairs: readonly Unshuffled[]): Unshuffled[] {
  const groups = new Map<string, Unshuffled[]>();
  for (const pair of pairs) {
    const known = groups.get(pair.input.id);
    if (known) known.push(pair);
    else groups.set(pair.input.id, [pair]);
  }
  const most = (group: readonly Unshuffled[]): number => Math.max(...group.map(rank));
  return [...groups.values()]
    .sort((a, b) => most(b) - most(a))
    .flatMap((group) => group.sort((a, b) => rank(b) - rank(a)));
}

function kindsOf(own: Side, base: Side, difference: number | undefined, failed: boolean): ReadonlySet<PairKind> {
  const kinds: PairKind[] = [];
  if (difference !== undefined && difference > 0) kinds.push("regression");
  if (difference !== undefined && difference < 0) kinds.push("improvement");
  if (failed || (!own.answer && !base.answer)) kinds.push("both_fail");
  if (canonicalJson(own.answer?.output) !== canonicalJson(base.answer?.output)) kinds.push("different");
  return new Set(kinds);
}

/** Regressions before improvements of the same size, then by how many values differ, then the rest. */
function rank({ difference = 0, own, base }: Unshuffled): number {
  return 4 * Math.abs(difference) + (difference > 0 ? 1 : 0) + changedShare(own.answer?.output, base.answer?.output);
}

/** Grows with the number of places that differ, and stays below 1. */
function changedShare(own: unknown, base: unknown): number {
  const changed = changedPaths(base, own).length;
  return changed / (changed + 1);
}

/** Of answered calls, as the report counts them, with the quartiles it does not carry. */
export function latencyByArm({ samples }: LocalSamples): ReadonlyMap<string, LatencyFigures> {
  const byName = new Map<string, LatencyFigures>();
  for (const [arm, own] of byArm(samples)) {
    const sorted = own
      .filter(({ outcome }) => outcome !== "failed" && outcome !== "refused")
      .map(({ latencyMs }) => latencyMs)
      .sort((a, b) => a - b);
    if (sorted.length === 0) continue;
    const at = (p: number): number => percentile(sorted, p);
    byName.set(arm, { n: sorted.length, p50: at(50), p95: at(95), quartiles: { p5: at(5), p25: at(25), p75: at(75) } });
  }
  return byName;
}

function byArm(samples: readonly Sample[]): ReadonlyMap<string, readonly Sample[]> {
  const arms = new Map<string, Sample[]>();
  for (const sample of samples) {
    const known = arms.get(sample.arm);
    if (known) known.push(sample);
    else arms.set(sample.arm, [sample]);
  }
  return arms;
}

export function sideKey(input: string, arm: string): string {
  return JSON.stringify([input, arm]);
}
