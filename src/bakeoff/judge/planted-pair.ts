/** Pairs with a known right verdict, made of a route's own outputs: what its judge is examined on. */
import type { ReplayInput } from "../../replay/replay-input.ts";
import type { JudgeVerdict } from "./judge-verdict.ts";

/**
 * What stands beside the original. `identical`: itself. `damaged`: itself with values lost or changed. `other_input`: the
 * answer to another input. `padded`: itself with sentences that say nothing. `swapped`: another answer to the same input,
 * asked in both orders. `own_wording`, `other_wording`: itself reworded by the judge's own model, and by an arm's.
 */
export const PLANTED_KINDS = [
  "identical",
  "damaged",
  "other_input",
  "padded",
  "swapped",
  "own_wording",
  "other_wording",
] as const;
export type PlantedKind = (typeof PLANTED_KINDS)[number];

export interface PlantedPair {
  readonly kind: PlantedKind;
  readonly input: ReplayInput;
  /** Whose output the original is. */
  readonly arm: string;
  readonly original: unknown;
  readonly planted: unknown;
}

/** One answer of the judge on a planted pair. Figures only. */
export interface PlantedVerdict
  extends Pick<JudgeVerdict, "input" | "arm" | "failure" | "cost" | "costEstimated" | "attempts"> {
  readonly kind: PlantedKind;
  readonly first: "original" | "planted";
  /** No pair came of it: the rewording could not be used, and only its cost counts. */
  readonly notReworded?: boolean | undefined;
  /** Absent = the answer could not be used. */
  readonly scores?: { readonly original: number; readonly planted: number } | undefined;
}

/** A right answer in other words may lose one step of the scale, and no more. */
const ONE_STEP = 0.25;

/** Whether the scores of one answer are right for its kind; of `swapped` pairs both answers decide together. */
const RIGHT: Readonly<Record<PlantedKind, (original: number, planted: number) => boolean>> = {
  identical: (original, planted) => original === planted,
  damaged: (original, planted) => original > planted,
  other_input: (original, planted) => original > planted,
  padded: (original, planted) => planted <= original,
  swapped: () => true,
  own_wording: (original, planted) => planted <= original && original - planted <= ONE_STEP,
  other_wording: (original, planted) => Math.abs(original - planted) <= ONE_STEP,
};

interface KindTally {
  readonly kind: PlantedKind;
  /** Pairs with a verdict, and those of them with the right one. An answer that cannot be used is a wrong one. */
  readonly asked: number;
  readonly right: number;
  /** Pairs asked in both orders whose answers name opposite winners. */
  readonly flipped: number;
}

/** Failures that say nothing about the judge: such a pair is left out. */
const ON_THE_WAY = [
  "network",
  "capacity_shed",
  "server_error",
  "quota_exhausted",
  "auth",
  "breaker_open",
  "rate_limited",
];

/** Whether the judge had its say: neither refused by an envelope nor lost on the way. */
export function isAnswered({ failure, notReworded }: Pick<PlantedVerdict, "failure" | "notReworded">): boolean {
  if (notReworded === true) return false;
  return failure === undefined || (failure.class !== "budget_exhausted" && !ON_THE_WAY.includes(failure.class));
}

export function tallyOfKind(kind: PlantedKind, verdicts: readonly PlantedVerdict[]): KindTally {
  const pairs = new Map<string, PlantedVerdict[]>();
  for (const verdict of verdicts) {
    if (verdict.kind !== kind || !isAnswered(verdict)) continue;
    const key = plantedKey(verdict);
    pairs.set(key, [...(pairs.get(key) ?? []), verdict]);
  }
  const whole = [...pairs.values()].filter((answers) => answers.length >= ordersOf(kind));
  const flipped = whole.filter(isFlipped).length;
  const isRight = (answers: readonly PlantedVerdict[]): boolean =>
    !isFlipped(answers) &&
    answers.every(({ scores }) => scores !== undefined && RIGHT[kind](scores.original, scores.planted));
  return { kind, asked: whole.length, right: whole.filter(isRight).length, flipped };
}

/** In how many orders a pair of this kind is asked. */
export function ordersOf(kind: PlantedKind): 1 | 2 {
  return kind === "swapped" ? 2 : 1;
}

export function plantedKey({ kind, input, arm }: Pick<PlantedVerdict, "kind" | "input" | "arm">): string {
  return JSON.stringify([kind, input, arm]);
}

function isFlipped(answers: readonly PlantedVerdict[]): boolean {
  const signs = new Set(answers.map(({ scores }) => (scores ? Math.sign(scores.original - scores.planted) : 0)));
  return signs.has(1) && signs.has(-1);
}
