/**
 * What is remembered of a comparison between bake-offs, so that running and looking again cannot wear a gate down.
 * The first bake-off of a comparison decides on a fixed-n bound, once all its inputs are measured: they were declared
 * before anything was seen. Every other bake-off decides on an e-process, which only inputs that it has not seen yet
 * advance; that holds however often it is looked at. Each of the two has half of the error.
 */
import { z } from "zod";
import { canonicalJson } from "../../route/canonical.ts";
import type { Route } from "../../route/route.ts";
import { advance, type EProcess, morePairsToPass, startEProcess, upperBound } from "../../stats/e-process.ts";
import type { QualityMetric } from "../execution/sample.ts";
import type { Arm } from "../plan/arm.ts";
import { LOOK_ALPHA } from "./alpha-spending.ts";
import type { RegretBounds, RegretLook } from "./regret-report.ts";
import type { PairedInput } from "./scores.ts";
import { SeenQuestions } from "./seen-questions.ts";

/** Evidence of one org, by `evidenceKey`. */
export interface EvidenceStore {
  load(key: string): Promise<EvidenceState | undefined>;
  /** `at` in epoch milliseconds. */
  save(key: string, state: EvidenceState, at: number): Promise<void>;
}

const eProcess = z.strictObject({
  epsilon: z.number(),
  alpha: z.number(),
  k: z.number(),
  count: z.int().nonnegative(),
  sum: z.number(),
  deviations: z.number(),
  wealth: z.array(z.strictObject({ margin: z.number(), lnW: z.number(), maxLnW: z.number() })).readonly(),
});

export const evidenceState = z.strictObject({
  version: z.literal(1),
  /** The bake-off that the fixed-n look belongs to, and the newest one. */
  first: z.string(),
  last: z.string(),
  looks: z.int().positive(),
  family: z.int().positive(),
  /** Bets that the regret is below the limit, and that it is above. */
  below: eProcess,
  above: eProcess,
  seen: z.string(),
});

export type EvidenceState = z.infer<typeof evidenceState>;

/** What a comparison is about. Another prompt, model, parameter, schema or way to grade is another comparison. */
export interface Comparison {
  readonly route: Route;
  readonly arm: Arm;
  readonly against: Arm;
  readonly metric: QualityMetric;
  /** The limit of the regret. */
  readonly epsilon: number;
}

/** `route/variant/reference/metric/epsilon/alpha`, arms with the version of what they ask. */
export async function evidenceKey({ route, arm, against, metric, epsilon }: Comparison): Promise<string> {
  const grading = { metric, checks: route.valueChecks, judge: route.bakeoff?.judge?.model };
  const version = async ({ name, narrowed }: Arm): Promise<string> => {
    const { candidates, template, output } = narrowed;
    return `${name}@${await shortHash(canonicalJson({ candidates, template, output, grading }))}`;
  };
  return [route.name, await version(arm), await version(against), metric, epsilon, LOOK_ALPHA].join("/");
}

/** The look that a bake-off is at this comparison, and the evidence after it. The same bake-off again changes nothing. */
export function takeLook(
  known: EvidenceState | undefined,
  bakeoff: string,
  pairs: readonly PairedInput[],
  terms: { readonly epsilon: number; readonly family: number },
): { readonly look: RegretLook; readonly state: EvidenceState } {
  const before = known ?? freshState(bakeoff, terms);
  const seen = SeenQuestions.from(before.seen);
  const fresh = pairs.filter((pair) => !seen.has(pair.question));
  for (const pair of fresh) seen.add(pair.question);
  let { below, above } = before;
  for (const d of itemsOf(fresh)) {
    below = advance(below, d);
    above = advance(above, -d);
  }
  const state = {
    ...before,
    last: bakeoff,
    looks: before.looks + (before.last === bakeoff ? 0 : 1),
    family: Math.max(before.family, terms.family),
    below,
    above,
    seen: seen.text(),
  };
  return { look: lookOf(state, bakeoff, below.count - before.below.count), state };
}

function freshState(bakeoff: string, { epsilon, family }: { epsilon: number; family: number }): EvidenceState {
  // No margin of a difference of scores is 1: that limit allows everything.
  const margin = Math.min(epsilon, 0.999);
  return {
    ...{ version: 1, first: bakeoff, last: bakeoff, looks: 1, family },
    below: startEProcess({ epsilon: margin, alpha: LOOK_ALPHA }),
    above: startEProcess({ epsilon: -margin, alpha: LOOK_ALPHA }),
    seen: "",
  };
}

/**
 * One difference per independent item: the mean over the repeats of a question, or over the inputs of a run or customer.
 * In an order that depends on their names only, never on outcomes.
 */
function itemsOf(pairs: readonly PairedInput[]): number[] {
  const items = new Map<string, { sum: number; weight: number }>();
  for (const pair of pairs) {
    const { d, cluster, weight = 1 } = pair;
    const key = cluster === undefined ? `q:${pair.question}` : `c:${cluster}`;
    const item = items.get(key) ?? { sum: 0, weight: 0 };
    items.set(key, { sum: item.sum + d * weight, weight: item.weight + weight });
  }
  return [...items]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { sum, weight }]) => Math.max(-1, Math.min(1, sum / weight)));
}

/** Beyond so many further pairs a number is no help. */
const MOST_PAIRS = 50_000;

function lookOf({ first, looks, family, below, above }: EvidenceState, bakeoff: string, fresh: number): RegretLook {
  const isFirst = first === bakeoff;
  return {
    kind: isFirst ? "first" : "later",
    number: looks,
    items: below.count,
    fresh,
    family,
    bounds: isFirst ? undefined : Array.from({ length: family }, (_, index) => boundsOf(below, above, index + 1)),
    mean: isFirst || below.count === 0 ? undefined : meanOf(below),
    more: moreOf(below, LOOK_ALPHA / family),
  };
}

function moreOf(below: EProcess, level: number): number | undefined {
  const mean = below.count === 0 ? 0 : meanOf(below);
  // At these rates the wealth against the limit does not grow.
  return mean >= below.epsilon ? undefined : morePairsToPass(below, level, MOST_PAIRS);
}

/** The process counts (d + 1) / 2. */
function meanOf({ sum, count }: EProcess): number {
  return 2 * (sum / count) - 1;
}

function boundsOf(below: EProcess, above: EProcess, arms: number): RegretBounds {
  const level = LOOK_ALPHA / arms;
  const low = upperBound(above, level);
  return { low: low === undefined ? -1 : 0 - low, high: upperBound(below, level) ?? 1 };
}

async function shortHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest, 0, 6), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
