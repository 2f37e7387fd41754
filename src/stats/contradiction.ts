/** Do the pairs of the newest looks still say what the older ones said? Evidence is about now, not about what once was. */
import { regretDifference } from "./drift.ts";
import { type Pair, pairedRegret } from "./paired-regret.ts";

/** Independent items of one look, oldest look first. */
export type Looks = readonly (readonly number[])[];

/** One-sided level at which the newest looks are held against the older ones. */
const WORSENED_LEVEL = 0.025;

/** One-sided level at which the newest pairs must themselves be compatible with the limit. */
const COMPATIBLE_LEVEL = 0.2;

export type Agreement =
  | { readonly status: "agree" }
  /** The pairs from look `since` (0-based) on are beyond the limit by their own lower bound: what came before is void. */
  | { readonly status: "void"; readonly since: number; readonly low: number }
  /** Nothing follows yet: the pairs from look `since` on are worse than those before, or do not support the limit alone. */
  | { readonly status: "open"; readonly since: number; readonly why: "worsened" | "unsupported" };

/**
 * Holds every run of newest looks against `limit` and against the looks before it. `level` is the one-sided level of the
 * bound that voids older evidence. One look alone agrees with itself.
 */
export function agreementOf(looks: Looks, limit: number, level: number): Agreement {
  const starts = Array.from({ length: Math.max(0, looks.length - 1) }, (_, i) => looks.length - 1 - i);
  for (const since of starts) {
    const low = pairedRegret(pairsFrom(looks, since), { confidence: 1 - 2 * level })?.low;
    if (low !== undefined && low > limit) return { status: "void", since, low };
  }
  for (const since of starts) if (hasWorsened(looks, since, limit)) return { status: "open", since, why: "worsened" };
  const newest = looks.length - 1;
  if (newest > 0 && !supports(pairsFrom(looks, newest), limit))
    return { status: "open", since: newest, why: "unsupported" };
  return { status: "agree" };
}

/** Significantly worse than what came before, and not within the limit by itself. */
function hasWorsened(looks: Looks, since: number, limit: number): boolean {
  const [before, after] = [looks.slice(0, since).flat().map(pairOf), pairsFrom(looks, since)];
  const confidence = 1 - 2 * WORSENED_LEVEL;
  const high = pairedRegret(after, { confidence })?.high;
  if (high === undefined || high <= limit) return false;
  return (regretDifference(after, before, "welch", confidence)?.low ?? 0) > 0;
}

/** Whether the pairs' own weak upper bound keeps the limit, or is as low as that many pairs can make it. */
function supports(pairs: readonly Pair[], limit: number): boolean {
  const upper = (of: readonly Pair[]) => pairedRegret(of, { confidence: 1 - 2 * COMPATIBLE_LEVEL })?.high ?? 1;
  return upper(pairs) <= Math.max(limit, upper(pairs.map(() => pairOf(0))));
}

function pairsFrom(looks: Looks, since: number): Pair[] {
  return looks.slice(since).flat().map(pairOf);
}

function pairOf(d: number): Pair {
  return { d };
}
