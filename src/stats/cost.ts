/**
 * Cost per thousand conformant outputs, with intervals by the delta method on the logarithm of the ratio
 * (R = 1000·Σcost/Σconformant; ψ_i = c_i/c̄ − y_i/ȳ; se = sd(ψ)/√n; R·exp(±t·se)). Costs of failed, retried and
 * repaired calls are in the numerator.
 */
import { type NanoUsd, nanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { Interval } from "./interval.ts";
import { tQuantile } from "./student-t.ts";

export interface CostSample {
  /** Everything spent on the sample; undefined = unknown. */
  readonly cost: NanoUsd | undefined;
  readonly conformant: boolean;
}

/** Below these an interval would promise more than it holds, and none is given. */
export const LEAST_SAMPLES = 30;
export const LEAST_CONFORMANT = 10;

export type EffectiveCost =
  /** Amounts in nano-dollars per thousand conformant outputs. */
  | { readonly status: "measured"; readonly per1k: number; readonly interval: Interval | undefined }
  /** Nothing conformed: the ratio has no value. */
  | { readonly status: "none_conformant"; readonly spent: NanoUsd }
  /** Some cost is unknown, so no complete figure exists. */
  | { readonly status: "unpriced"; readonly missing: number };

export function effectiveCost(samples: readonly CostSample[]): EffectiveCost {
  const missing = samples.filter(({ cost }) => cost === undefined).length;
  if (missing > 0) return { status: "unpriced", missing };
  const spent = samples.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const conformant = samples.filter((sample) => sample.conformant).length;
  if (conformant === 0) return { status: "none_conformant", spent: nanoUsd(spent) };
  const per1k = (1000 * spent) / conformant;
  return { status: "measured", per1k, interval: logInterval(per1k, influences(samples), conformant) };
}

/**
 * Ratio of two arms' cost per conformant output on the same inputs, `samples[i]` against `baseline[i]`.
 * Undefined where either arm has an unknown cost, nothing conformant, or a baseline that cost nothing.
 */
export function pairedCostRatio(
  samples: readonly CostSample[],
  baseline: readonly CostSample[],
): { readonly ratio: number; readonly interval: Interval | undefined } | undefined {
  if (samples.length !== baseline.length) throw new RangeError("paired arms have the same inputs");
  const [own, other] = [effectiveCost(samples), effectiveCost(baseline)];
  if (own.status !== "measured" || other.status !== "measured" || other.per1k === 0) return undefined;
  const ratio = own.per1k / other.per1k;
  const theirs = influences(baseline);
  const differences = influences(samples).map((value, i) => value - (theirs[i] ?? 0));
  const conformant = Math.min(...[samples, baseline].map((arm) => arm.filter((sample) => sample.conformant).length));
  return { ratio, interval: logInterval(ratio, differences, conformant) };
}

/** ψ of each sample. Free arms have no relative cost: their ratio is 0 without spread. */
function influences(samples: readonly CostSample[]): number[] {
  const n = samples.length;
  const meanCost = samples.reduce((sum, { cost }) => sum + (cost ?? ZERO_USD), 0) / n;
  const meanConformant = samples.filter((sample) => sample.conformant).length / n;
  return samples.map(
    ({ cost, conformant }) => (meanCost === 0 ? 1 : (cost ?? 0) / meanCost) - (conformant ? 1 / meanConformant : 0),
  );
}

function logInterval(estimate: number, psi: readonly number[], conformant: number): Interval | undefined {
  const n = psi.length;
  if (n < LEAST_SAMPLES || conformant < LEAST_CONFORMANT) return undefined;
  const error = logStandardError(psi);
  const reach = Math.exp(tQuantile(0.975, n - 1) * error);
  return { low: estimate / reach, high: estimate * reach };
}

/** Standard error of the logarithm of a ratio; exported for its published vectors, which are smaller than our floor. */
export function logStandardError(psi: readonly number[]): number {
  const n = psi.length;
  const mean = psi.reduce((sum, value) => sum + value, 0) / n;
  const variance = psi.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return Math.sqrt(variance / n);
}
