/** Which pairs the judge is to see, and what is known of them so far. */

import type { ReplayInput } from "../../replay/replay-input.ts";
import { canonicalJson } from "../../route/canonical.ts";
import type { Sample } from "../execution/sample.ts";
import type { JudgedOutputs } from "./judge-call.ts";
import type { JudgeChoice } from "./judge-choice.ts";
import { isSettled, type JudgeVerdict, judgedPairs } from "./judge-verdict.ts";

export type Judge = Extract<JudgeChoice, { type: "judge" }>;

/** A pair whose outputs are both there. */
export interface JudgePair {
  readonly input: ReplayInput;
  readonly arm: string;
  readonly against: string;
  readonly outputs: { readonly arm: unknown; readonly against: unknown };
  /** The order drawn for it comes first, the other one after it. */
  readonly orders: readonly JudgeVerdict["first"][];
}

interface Side {
  /** `undefined` = no output worth judging came. */
  readonly output: unknown;
}

/** Inputs in a drawn order; the first ones are judged, on every arm that may be, until `maxPairs` are planned. */
export class JudgeScheduler {
  readonly judge: Judge;
  readonly #planned = new Map<string, { readonly arms: Set<string>; readonly first: JudgeVerdict["first"] }>();
  /** What came back for inputs whose pairs are not complete yet. */
  readonly #sides = new Map<string, Map<string, Side>>();
  readonly #settled: Set<string>;

  constructor(judge: Judge, inputs: readonly ReplayInput[], random: () => number, done: readonly JudgeVerdict[]) {
    this.judge = judge;
    let pairs = 0;
    for (const { id } of inputs) {
      const arms = judge.arms.slice(0, judge.maxPairs - pairs);
      if (arms.length === 0) break;
      pairs += arms.length;
      this.#planned.set(id, { arms: new Set(arms), first: random() < 0.5 ? "arm" : "against" });
    }
    // What needed no judge holds for both orders.
    this.#settled = new Set(
      done.filter(isSettled).flatMap((verdict) => {
        const orders = verdict.by === "asked" ? [verdict.first] : (["arm", "against"] as const);
        return orders.map((first) => orderKey({ ...verdict, first }));
      }),
    );
  }

  /** Whether the output of this sample is needed. */
  concerns({ input, arm }: Pick<Sample, "input" | "arm">): boolean {
    const planned = this.#planned.get(input);
    return planned !== undefined && (arm === this.judge.against || planned.arms.has(arm));
  }

  /** Takes what came back on one arm; returns the pairs that are complete with it and still to be judged. */
  take(input: ReplayInput, sample: Sample, output: unknown): JudgePair[] {
    const planned = this.#planned.get(input.id);
    if (!planned || !this.concerns(sample)) return [];
    const sides = this.#sides.get(input.id) ?? new Map<string, Side>();
    this.#sides.set(input.id, sides);
    sides.set(sample.arm, { output: sample.outcome === "nonconformant" ? undefined : output });
    const { against } = this.judge;
    const other = sides.get(against);
    if (!other) return [];
    const ready = sample.arm === against ? [...planned.arms].filter((arm) => sides.has(arm)) : [sample.arm];
    const pairs = ready.flatMap((arm) => this.#pair(input, arm, sides.get(arm)?.output, other.output, planned.first));
    if (sides.size > planned.arms.size) this.#sides.delete(input.id);
    return pairs;
  }

  #pair(input: ReplayInput, arm: string, own: unknown, other: unknown, first: JudgeVerdict["first"]): JudgePair[] {
    const { against } = this.judge;
    const orders = ([first, first === "arm" ? "against" : "arm"] as const).filter(
      (order) => !this.#settled.has(orderKey({ input: input.id, arm, first: order })),
    );
    return orders.length === 0 ? [] : [{ input, arm, against, outputs: { arm: own, against: other }, orders }];
  }
}

/** The verdict on a pair that needs no judge: equal outputs tie, and one that is missing loses. */
export function foregone({ input, arm, against, outputs }: JudgePair): JudgeVerdict | undefined {
  const base = { input: input.id, arm, against, first: "arm", costEstimated: false, attempts: 0 } as const;
  if (outputs.arm === undefined || outputs.against === undefined) {
    const scores = { arm: outputs.arm === undefined ? 0 : 1, against: outputs.against === undefined ? 0 : 1 };
    return { ...base, by: "no_output", scores };
  }
  if (canonicalJson(outputs.arm) !== canonicalJson(outputs.against)) return undefined;
  return { ...base, by: "identical", scores: { arm: 1, against: 1 } };
}

/** The outputs as the judge is to see them. */
export function inOrder({ outputs }: JudgePair, first: JudgeVerdict["first"]): JudgedOutputs {
  return first === "arm"
    ? { first: outputs.arm, second: outputs.against }
    : { first: outputs.against, second: outputs.arm };
}

/**
 * Lays what the judge said over the samples: an arm's score of its pair, for the other side the mean of all its pairs.
 * Equal outputs were not judged: they tie, and neither passes by it.
 */
export function withJudgement(samples: readonly Sample[], verdicts: readonly JudgeVerdict[]): Sample[] {
  const scores = new Map<string, number[]>();
  const add = (input: string, arm: string, score: number): void => {
    const key = sampleKey({ input, arm });
    const known = scores.get(key);
    if (known) known.push(score);
    else scores.set(key, [score]);
  };
  for (const { input, arm, against, by, scores: both } of judgedPairs(verdicts)) {
    if (by === "identical") continue;
    add(input, arm, both.arm);
    add(input, against, both.against);
  }
  return samples.map((sample) => {
    const given = sample.outcome === "refused" ? undefined : scores.get(sampleKey(sample));
    if (!given) return sample;
    const score = given.reduce((sum, one) => sum + one, 0) / given.length;
    return { ...sample, quality: { metric: "judge", score } };
  });
}

function sampleKey({ input, arm }: Pick<Sample, "input" | "arm">): string {
  return JSON.stringify([input, arm]);
}

function orderKey({ input, arm, first }: Pick<JudgeVerdict, "input" | "arm" | "first">): string {
  return JSON.stringify([input, arm, first]);
}
