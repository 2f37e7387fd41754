/** What a number of pairs can show, before it is paid for. */
import { normalQuantile } from "./normal.ts";

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
