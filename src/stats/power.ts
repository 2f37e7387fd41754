/** What a number of pairs can show, before and after it is paid for. */
import { normalQuantile } from "./normal.ts";
import { type PairedRegret, regretInterval } from "./paired-regret.ts";

/** Most pairs considered; a plan that needs more is undefined. */
const MOST_PAIRS = 10_000_000;

interface Plan {
  /** Share of pairs in which the arms disagree. */
  readonly discordance: number;
  /** Chance of passing; default 0.8. */
  readonly power?: number | undefined;
  /** Two-sided confidence of the interval that decides; default 0.95. */
  readonly confidence?: number | undefined;
}

/**
 * Returns the pairs that an arm no worse than the reference needs so that its upper bound is at most `epsilon`: (z +
 * z_power)²·discordance / ε² (the normal approximation), and no fewer than `leastPairs`.
 */
export function pairsNeeded(plan: Plan & { readonly epsilon: number }): number {
  const { epsilon, confidence } = plan;
  positive(epsilon);
  return Math.max(
    Math.round((quantiles(plan) ** 2 * plan.discordance) / epsilon ** 2),
    leastPairs(epsilon, confidence),
  );
}

/** The smallest margin that `n` pairs can confirm for an arm no worse than the reference. */
export function detectable(n: number, plan: Plan): number {
  if (!(n > 0)) throw new RangeError(`nothing is seen in ${n} pairs`);
  const z2 = upperQuantile(plan.confidence) ** 2;
  return Math.min(1, Math.max(quantiles(plan) * Math.sqrt(plan.discordance / n), z2 / (n + z2)));
}

/** Pairs below which even an arm without one loss cannot pass: ⌈z²(1 − ε)/ε⌉ (Tango's bound at no discordance). */
export function leastPairs(epsilon: number, confidence?: number): number {
  positive(epsilon);
  return Math.ceil((upperQuantile(confidence) ** 2 * (1 - epsilon)) / epsilon);
}

/** The fewest pairs in which so many losses and wins still keep the upper bound at or below `epsilon`. */
export function pairsCarrying(
  table: { readonly losses: number; readonly wins: number },
  epsilon: number,
  confidence = 0.95,
): number | undefined {
  positive(epsilon);
  const { losses, wins } = table;
  return firstWhere(Math.max(1, losses + wins), (n) => {
    const moments = { n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n };
    return regretInterval("tango_bonett_price", moments, undefined, confidence).high <= epsilon;
  });
}

/**
 * Further pairs after which the upper bound would be at most `epsilon` if they disagreed as often as those measured;
 * 0 where it is already, undefined where no number would do because the measured regret itself is as large.
 */
export function morePairs(regret: PairedRegret, epsilon: number): number | undefined {
  positive(epsilon);
  if (regret.high <= epsilon) return 0;
  const { method, moments, degrees, confidence, n } = regret;
  if (moments.mean >= epsilon) return undefined;
  const total = firstWhere(n + 1, (size) => {
    const scale = size / n;
    // More pairs come from proportionally more clusters.
    const more = degrees === undefined ? undefined : Math.max(1, Math.floor((degrees + 1) * scale) - 1);
    return regretInterval(method, { ...moments, n: moments.n * scale }, more, confidence).high <= epsilon;
  });
  return total === undefined ? undefined : total - n;
}

/** Returns the smallest n from `least` on where `holds`, which once true stays true. */
function firstWhere(least: number, holds: (n: number) => boolean): number | undefined {
  let high = least;
  while (!holds(high)) {
    if (high >= MOST_PAIRS) return undefined;
    high *= 2;
  }
  if (high === least) return least;
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function quantiles({ discordance, power = 0.8, confidence }: Plan): number {
  if (!(discordance >= 0 && discordance <= 1)) throw new RangeError(`not a share: ${discordance}`);
  return upperQuantile(confidence) + normalQuantile(power);
}

function upperQuantile(confidence = 0.95): number {
  return normalQuantile((1 + confidence) / 2);
}

function positive(epsilon: number): void {
  if (!(epsilon > 0 && epsilon < 1)) throw new RangeError(`not a margin: ${epsilon}`);
}
