/** Tests whether the newest looks still agree with the older ones. Evidence must describe the present, not the past. */

import { regretInterval } from "./paired-regret.ts";
import { type Moments, momentsOf } from "./pseudo-pair.ts";
import { tQuantile } from "./student-t.ts";

/** One-sided level at which the newest looks are tested against the older ones. */
const WORSENED_LEVEL = 0.025;

/** One-sided level at which the newest pairs must themselves be compatible with the limit. */
const COMPATIBLE_LEVEL = 0.2;

export type Agreement =
  | { readonly status: "agree" }
  /**
   * The pairs from look `since` (0-based) on are beyond the limit by their own lower bound: earlier evidence is void.
   */
  | { readonly status: "void"; readonly since: number }
  /**
   * No conclusion yet: the pairs from look `since` on are worse than those before, or do not support the limit alone.
   */
  | { readonly status: "open"; readonly since: number; readonly why: "worsened" | "unsupported" };

/** Independent items of one look, in the form that its tests need. */
export interface LookMoments extends Moments {
  /** Every difference is −1, 0 or 1. */
  readonly binary: boolean;
}

/** Throws `RangeError` on a difference outside [-1, 1]. */
export function lookMoments(items: readonly number[]): LookMoments {
  return { ...momentsOf(items), binary: items.every((d) => Number.isInteger(d)) };
}

/**
 * The look from which on the pairs are beyond `limit` by their own lower bound, one-sided at `level`, while those before
 * were within it: the newest such run. Undefined where none is: one look alone contradicts nothing, and neither do looks
 * that were beyond the limit all along.
 */
export function voidedSince(looks: readonly LookMoments[], limit: number, level: number): number | undefined {
  return runs(looks).find(
    ({ run, before }) => before.mean <= limit && run.mean > limit && intervalOf(run, level).low > limit,
  )?.since;
}

/** Tests every run of newest looks against `limit` and against the looks before it; levels as for `voidedSince`. */
export function agreementOf(looks: readonly LookMoments[], limit: number, level: number): Agreement {
  const voided = voidedSince(looks, limit, level);
  if (voided !== undefined) return { status: "void", since: voided };
  const worsened = runs(looks).find(({ run, before }) => hasWorsened(run, before, limit));
  if (worsened) return { status: "open", since: worsened.since, why: "worsened" };
  const newest = runs(looks)[0];
  if (newest && !supports(newest.run, limit)) return { status: "open", since: newest.since, why: "unsupported" };
  return { status: "agree" };
}

/** Every run of newest looks that has looks before it, the shortest first. */
function runs(looks: readonly LookMoments[]) {
  const found: { since: number; run: LookMoments; before: LookMoments }[] = [];
  let run: LookMoments | undefined;
  for (let since = looks.length - 1; since > 0; since--) {
    run = joined(looks.slice(since, since + 1).concat(run ?? []));
    found.push({ since, run, before: joined(looks.slice(0, since)) });
  }
  return found;
}

function joined(looks: readonly LookMoments[]): LookMoments {
  const n = looks.reduce((sum, look) => sum + look.n, 0);
  const mean = (of: (look: LookMoments) => number): number =>
    n === 0 ? 0 : looks.reduce((sum, look) => sum + look.n * of(look), 0) / n;
  return {
    n,
    mean: mean((look) => look.mean),
    meanSquare: mean((look) => look.meanSquare),
    binary: looks.every(({ binary }) => binary),
  };
}

/** Significantly worse than what came before (Welch 1947, Biometrika 34:28), and not within the limit by itself. */
function hasWorsened(run: LookMoments, before: LookMoments, limit: number): boolean {
  const between = run.mean - before.mean;
  if (between <= 0 || run.n < 2 || before.n < 2) return false;
  const [a, b] = [run, before].map(({ n, mean, meanSquare }) => Math.max(0, meanSquare - mean ** 2) / (n - 1));
  if (a === undefined || b === undefined) return false;
  const degrees = (a + b) ** 2 / (a ** 2 / (run.n - 1) + b ** 2 / (before.n - 1));
  const isWorse = a + b === 0 || between > tQuantile(1 - WORSENED_LEVEL, degrees) * Math.sqrt(a + b);
  return isWorse && intervalOf(run, WORSENED_LEVEL).high > limit;
}

/** True when the pairs' own weak upper bound keeps the limit, or is as low as that many pairs can make it. */
function supports(run: LookMoments, limit: number): boolean {
  const silent = { ...run, mean: 0, meanSquare: 0 };
  return intervalOf(run, COMPATIBLE_LEVEL).high <= Math.max(limit, intervalOf(silent, COMPATIBLE_LEVEL).high);
}

function intervalOf(run: LookMoments, level: number) {
  if (run.n === 0) return { low: -1, high: 1 };
  return run.binary
    ? regretInterval("tango_bonett_price", run, undefined, 1 - 2 * level)
    : regretInterval("pseudo_pair_t", run, run.n - 1, 1 - 2 * level);
}
