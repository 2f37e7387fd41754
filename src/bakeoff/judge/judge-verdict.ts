/**
 * What a judge says of two outputs for the same input. It sees them as "first" and "second" and scores both; which arm
 * stood first is drawn, and the other order is asked as well where its envelope has room.
 */
import type { NanoUsd } from "../../money/nano-usd.ts";
import { failureKey, type Sample } from "../execution/sample.ts";

/** One answer of the judge, or a pair that needed none. Figures only. */
export interface JudgeVerdict {
  readonly input: string;
  readonly arm: string;
  /** The arm it was held against: the reference, or the incumbent where there is none. */
  readonly against: string;
  /** Whose output stood first. */
  readonly first: "arm" | "against";
  /** `identical` outputs tie, and one without an output loses to one with: neither is asked, and both are free. */
  readonly by: "asked" | "identical" | "no_output";
  /** 0 to 1 each, in steps of a quarter. Absent = unusable: no sample, and counted. */
  readonly scores?: { readonly arm: number; readonly against: number } | undefined;
  /** Why it is unusable. `budget_exhausted` = refused by its envelope: whatever it cost, it may be asked again. */
  readonly failure?: Sample["failure"] | undefined;
  /** Absent = unknown. */
  readonly cost?: NanoUsd | undefined;
  readonly costEstimated: boolean;
  /** Requests that went upstream. */
  readonly attempts: number;
}

/** Both orders of one pair put together. */
export interface JudgedPair {
  readonly input: string;
  readonly arm: string;
  readonly against: string;
  readonly by: JudgeVerdict["by"];
  readonly scores: { readonly arm: number; readonly against: number };
  /** Usable verdicts behind it, 1 or 2. */
  readonly orders: number;
  /** The two orders named opposite winners: the judge follows the position, and the pair is a tie. */
  readonly flipped: boolean;
}

/** Whether the verdict says something, or never will: what is not settled may be asked again. */
export function isSettled({ failure }: JudgeVerdict): boolean {
  return failure?.class !== "budget_exhausted";
}

/** The usable pairs, each once, in the order of their first verdict. */
export function judgedPairs(verdicts: readonly JudgeVerdict[]): JudgedPair[] {
  const byPair = new Map<string, JudgeVerdict[]>();
  for (const verdict of verdicts) {
    if (!verdict.scores) continue;
    const key = JSON.stringify([verdict.input, verdict.arm]);
    const known = byPair.get(key);
    if (known) known.push(verdict);
    else byPair.set(key, [verdict]);
  }
  return [...byPair.values()].flatMap((of) => pairOf(of) ?? []);
}

function pairOf(verdicts: readonly JudgeVerdict[]): JudgedPair | undefined {
  const [one] = verdicts;
  const scores = verdicts.flatMap((verdict) => verdict.scores ?? []);
  if (!one || scores.length === 0) return undefined;
  const signs = new Set(scores.map(({ arm, against }) => Math.sign(arm - against)));
  const flipped = signs.has(1) && signs.has(-1);
  const arm = mean(scores.map((score) => score.arm));
  const against = mean(scores.map((score) => score.against));
  const tie = (arm + against) / 2;
  return {
    input: one.input,
    arm: one.arm,
    against: one.against,
    by: one.by,
    scores: flipped ? { arm: tie, against: tie } : { arm, against },
    orders: scores.length,
    flipped,
  };
}

interface JudgeTally {
  /** Pairs that the judge gave a usable verdict on. */
  readonly pairs: number;
  /** Of `pairs`, those whose two outputs came out equal, flipped ones included. */
  readonly tied: number;
  readonly flipped: number;
  /** Of `pairs`, those judged in both orders. */
  readonly bothOrders: number;
  /** Pairs that needed no judge: equal outputs tie, and an output beats none. */
  readonly identical: number;
  readonly noOutput: number;
  /** Answers of the judge that could not be used, by failure. */
  readonly unusable: Readonly<Record<string, number>>;
}

export function tallyOf(verdicts: readonly JudgeVerdict[]): JudgeTally {
  const all = judgedPairs(verdicts);
  const pairs = all.filter(({ by }) => by === "asked");
  const unusable: Record<string, number> = {};
  for (const { failure } of verdicts) {
    if (failure) unusable[failureKey(failure)] = (unusable[failureKey(failure)] ?? 0) + 1;
  }
  return {
    pairs: pairs.length,
    tied: pairs.filter(({ scores }) => scores.arm === scores.against).length,
    flipped: pairs.filter(({ flipped }) => flipped).length,
    bothOrders: pairs.filter(({ orders }) => orders > 1).length,
    identical: all.filter(({ by }) => by === "identical").length,
    noOutput: all.filter(({ by }) => by === "no_output").length,
    unusable,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
