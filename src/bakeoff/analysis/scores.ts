/** The scores of a bake-off by the one metric of its report, and their differences between two arms. */

import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Pair } from "../../stats/paired-regret.ts";
import type { QualityMetric, Sample } from "../execution/sample.ts";
import { type JudgedPair, type JudgeVerdict, judgedPairs } from "../judge/judge-verdict.ts";

type ByInput = ReadonlyMap<string, number>;

export interface PairedInput extends Pair {
  readonly input: string;
  readonly question: string;
}

export class Scores {
  readonly #byArm: ReadonlyMap<string, ByInput>;
  /** By judged arm, then input: the two scores of a pair were given side by side and are not torn apart. */
  readonly #judged: ReadonlyMap<string, ReadonlyMap<string, JudgedPair>>;

  constructor(
    metric: QualityMetric,
    samplesByArm: ReadonlyMap<string, readonly Sample[]>,
    verdicts: readonly JudgeVerdict[],
  ) {
    this.#byArm = new Map([...samplesByArm].map(([arm, samples]) => [arm, scoresOf(samples, metric)]));
    this.#judged = byArmAndInput(metric === "judge" ? judgedPairs(verdicts) : []);
  }

  /** Score of each input that the metric could score on this arm. */
  of(arm: string): ByInput {
    return this.#byArm.get(arm) ?? new Map();
  }

  /** Score of `against` − score of `arm`, on every input that both have. */
  differences(arm: string, against: string, inputs: readonly ReplayInput[]): PairedInput[] {
    const [mine, theirs, judged] = [this.of(arm), this.of(against), this.#judged.get(arm)];
    const beside = this.#judged.get(against);
    return inputs.flatMap(({ id, cluster, weight, question }) => {
      const pair = judged?.get(id);
      const [own, other] =
        pair?.against === against
          ? [pair.scores.arm, pair.scores.against]
          : (throughBase(pair, beside?.get(id)) ?? [mine.get(id), theirs.get(id)]);
      return own === undefined || other === undefined ? [] : [{ input: id, d: other - own, cluster, weight, question }];
    });
  }
}

/**
 * Scores of two arms that were both held against a third, where an output equals the third's: it was not judged itself,
 * and is worth what the third was found to be beside the other arm. Undefined where each has a score of its own.
 */
function throughBase(
  own: JudgedPair | undefined,
  other: JudgedPair | undefined,
): readonly [own: number, other: number] | undefined {
  if (!own || !other || own.against !== other.against) return undefined;
  if (own.by === "identical" && other.by === "identical") return [own.scores.arm, own.scores.arm];
  if (own.by === "identical") return [other.scores.against, other.scores.arm];
  if (other.by === "identical") return [own.scores.arm, own.scores.against];
  return undefined;
}

function scoresOf(samples: readonly Sample[], metric: QualityMetric): ByInput {
  const scores = new Map<string, number>();
  for (const { input, outcome, quality } of samples) {
    if (outcome === "refused") continue;
    if (quality?.metric === metric) scores.set(input, quality.score);
    else if (metric === "conformance" && outcome !== "ungraded") scores.set(input, outcome === "conformant" ? 1 : 0);
  }
  return scores;
}

function byArmAndInput(pairs: readonly JudgedPair[]): ReadonlyMap<string, ReadonlyMap<string, JudgedPair>> {
  const byArm = new Map<string, Map<string, JudgedPair>>();
  for (const pair of pairs) {
    const known = byArm.get(pair.arm);
    if (known) known.set(pair.input, pair);
    else byArm.set(pair.arm, new Map([[pair.input, pair]]));
  }
  return byArm;
}
