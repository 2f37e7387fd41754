/**
 * One look at a route's arms: what one bake-off found on each question, as figures under digests. Looks are kept, never
 * summed up, so that any limit, level and weight can be worked out again from them. No text of a call is in one.
 */
import { z } from "zod";

/** Questions of one look; a bake-off of more inputs is refused before it starts. */
const MOST_QUESTIONS = 20_000;

const digest = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/);
const difference = z.number().min(-1).max(1);

const comparisonLook = z.strictObject({
  /** Digests of what is served and how it is graded; names are not part of them. */
  arm: digest,
  against: digest,
  grading: digest,
  /** The arm may be proposed by this bake-off. */
  challenger: z.boolean(),
  /**
   * By question, in their order: score of `against` − score of `arm`; a list where the question was asked repeatedly;
   * null where either has no score.
   */
  differences: z.array(z.union([difference, z.array(difference).min(2).max(1000), z.null()])).max(MOST_QUESTIONS),
});

export const lookRecord = z
  .strictObject({
    version: z.literal(1),
    route: z.string().min(1).max(128),
    bakeoff: z.string().min(1).max(128),
    /** Epoch milliseconds at which the bake-off ended. */
    at: z.int().nonnegative(),
    questions: z.array(digest).max(MOST_QUESTIONS),
    /** Calls of the traffic that each question stands for. */
    weights: z.array(z.number().positive().max(1e9)),
    /** Index of each question's customer or run, -1 where it stands alone; indices of `clusters`. */
    members: z.array(z.int().min(-1)),
    clusters: z.array(digest).max(MOST_QUESTIONS),
    comparisons: z.array(comparisonLook).max(64),
  })
  .refine((look) => sameLengths(look), {
    error: "questions, weights, members and differences have one length",
    path: ["questions"],
  })
  .refine((look) => new Set(look.questions).size === look.questions.length, {
    error: "a question stands in a look once",
    path: ["questions"],
  })
  .refine((look) => look.members.every((member) => member < look.clusters.length), {
    error: "a member names no cluster",
    path: ["members"],
  });

export type LookRecord = z.infer<typeof lookRecord>;
export type ComparisonLook = z.infer<typeof comparisonLook>;

function sameLengths(look: {
  readonly questions: readonly string[];
  readonly weights: readonly number[];
  readonly members: readonly number[];
  readonly comparisons: readonly { readonly differences: readonly unknown[] }[];
}): boolean {
  const n = look.questions.length;
  const lengths = [look.weights, look.members, ...look.comparisons.map(({ differences }) => differences)];
  return lengths.every(({ length }) => length === n);
}

/**
 * Whether `later` is the same look with more of it done: what `earlier` says stands in it unchanged. A bake-off that was
 * stopped and resumed replaces its look by such a one, and by nothing else.
 */
export function continues(later: LookRecord, earlier: LookRecord): boolean {
  if (later.route !== earlier.route || later.bakeoff !== earlier.bakeoff) return false;
  const position = new Map(later.questions.map((question, i) => [question, i]));
  return earlier.comparisons.every((before) => {
    const after = later.comparisons.find((one) => sameComparison(one, before));
    return before.differences.every((difference, i) => {
      if (difference === null) return true;
      const at = position.get(earlier.questions[i] ?? "");
      return at !== undefined && startsWith(after?.differences[at] ?? null, difference);
    });
  });
}

/** Whether two looks found the same, whenever they were recorded. */
export function sameOutcomes(one: LookRecord, other: LookRecord): boolean {
  return JSON.stringify({ ...one, at: 0 }) === JSON.stringify({ ...other, at: 0 });
}

/** Repeats that were still to come may follow. */
function startsWith(after: ComparisonLook["differences"][number], before: number | readonly number[]): boolean {
  const [now, was] = [asList(after), asList(before)];
  return was.every((difference, i) => now[i] === difference);
}

function asList(difference: number | readonly number[] | null): readonly number[] {
  if (difference === null) return [];
  return typeof difference === "number" ? [difference] : difference;
}

export interface ComparisonKey {
  readonly arm: string;
  readonly against: string;
  readonly grading: string;
}

function sameComparison(one: ComparisonKey, other: ComparisonKey): boolean {
  return one.arm === other.arm && one.against === other.against && one.grading === other.grading;
}

export interface LookPair {
  readonly question: string;
  /** Of each time that it was asked; at least one. */
  readonly differences: readonly number[];
  readonly weight: number;
  readonly cluster: string | undefined;
}

/** What a look says of one comparison; `undefined` where it did not make it. */
export function pairsOf(look: LookRecord, key: ComparisonKey): LookPair[] | undefined {
  const found = look.comparisons.find((one) => sameComparison(one, key));
  return found?.differences.flatMap((difference, i) => {
    const [question, weight] = [look.questions[i], look.weights[i]];
    if (difference === null || question === undefined || weight === undefined) return [];
    return [{ question, weight, differences: asList(difference), cluster: look.clusters[look.members[i] ?? -1] }];
  });
}
