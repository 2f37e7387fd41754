/**
 * Cost per thousand conformant outputs, R = 1000·Σcost/Σconformant, and the ratio of two arms' R on the same inputs.
 * Costs of failed, retried and repaired calls are in the numerator. Intervals are of ln R by the delete-one jackknife
 * with Student's t, whose degrees of freedom follow from how much of the spread a few inputs make up
 * (df = 2n/(κ − 1), κ the kurtosis of the jackknife values: Satterthwaite 1946, Biometrics Bull 2:110). A long prompt is
 * long for both arms, and that shared factor makes the plain delta interval too short. One arm's own cost is also
 * corrected for skewness on the longer side (Johnson 1978, JASA 73:536).
 */
import { type NanoUsd, nanoUsd } from "../money/nano-usd.ts";
import type { Interval } from "./interval.ts";
import { normalQuantile } from "./normal.ts";
import { tQuantile } from "./student-t.ts";

export interface CostSample {
  /** Everything spent on the sample; undefined = unknown. */
  readonly cost: NanoUsd | undefined;
  readonly conformant: boolean;
  /**
   * Question, run or customer; samples that share one are left out together. Undefined = the sample is a cluster of its
   * own.
   */
  readonly cluster?: string | undefined;
}

/** Below these numbers an interval would not keep its confidence, and none is given. */
export const LEAST_SAMPLES = 30;
export const LEAST_CONFORMANT = 10;

type EffectiveCost =
  /** Amounts in nano-dollars per thousand conformant outputs. */
  | { readonly status: "measured"; readonly per1k: number; readonly interval: Interval | undefined }
  /** Nothing conformed: the ratio has no value. */
  | { readonly status: "none_conformant"; readonly spent: NanoUsd }
  /** Some cost is unknown, so no complete figure exists. */
  | { readonly status: "unpriced"; readonly missing: number };

/** The interval's two bounds are each one-sided at `level`. */
export function effectiveCost(samples: readonly CostSample[], level = 0.025): EffectiveCost {
  const missing = samples.filter(({ cost }) => cost === undefined).length;
  if (missing > 0) return { status: "unpriced", missing };
  const spent = samples.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const conformant = samples.filter((sample) => sample.conformant).length;
  if (conformant === 0) return { status: "none_conformant", spent: nanoUsd(spent) };
  const per1k = (1000 * spent) / conformant;
  const spread = spreadOf([samples]);
  return { status: "measured", per1k, interval: spread && scaled(per1k, spread, level, true) };
}

/**
 * Cost per conformant output of `samples` ÷ that of `baseline`, where `samples[i]` and `baseline[i]` are of one input.
 * Bounds are each one-sided at `level`, as tested for levels of 0.025 to 0.0005 and for costs with a shared factor.
 * Undefined where either arm has an unknown cost, nothing conformant, or a baseline that cost nothing; without an
 * interval where the samples are too few to hold one.
 */
export function pairedCostRatio(
  samples: readonly CostSample[],
  baseline: readonly CostSample[],
  level = 0.025,
): { readonly ratio: number; readonly interval: Interval | undefined } | undefined {
  if (samples.length !== baseline.length) throw new RangeError("paired arms have the same inputs");
  const [own, other] = [effectiveCost(samples), effectiveCost(baseline)];
  if (own.status !== "measured" || other.status !== "measured" || other.per1k === 0) return undefined;
  const ratio = own.per1k / other.per1k;
  // A free arm costs nothing whatever is left out.
  if (ratio === 0) return { ratio, interval: enough([samples, baseline]) ? { low: 0, high: 0 } : undefined };
  const spread = spreadOf([samples, baseline]);
  return { ratio, interval: spread && scaled(ratio, spread, level, false) };
}

/** Estimate of a logarithm: its standard error, degrees of freedom, and skewness. */
interface Spread {
  readonly error: number;
  readonly degrees: number;
  readonly units: number;
  readonly skewness: number;
}

/** With fewer degrees of freedom no interval is given. */
const LEAST_DEGREES = 2;

/** Of ln R of one arm, or of ln(R of the first ÷ R of the second). Undefined where too little is there to hold it. */
function spreadOf(arms: readonly (readonly CostSample[])[]): Spread | undefined {
  if (!enough(arms)) return undefined;
  const left = arms.map(leftOut);
  const units = left[0]?.length ?? 0;
  if (units < LEAST_SAMPLES) return undefined;
  const values = Array.from({ length: units }, (_, i) => (left[0]?.[i] ?? 0) - (left[1]?.[i] ?? 0));
  if (!values.every(Number.isFinite)) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / units;
  const moment = (power: number): number => values.reduce((sum, value) => sum + (mean - value) ** power, 0) / units;
  const variance = moment(2);
  if (variance === 0) return { error: 0, degrees: units - 1, units, skewness: 0 };
  const kurtosis = moment(4) / variance ** 2;
  // Of few conformant outputs the denominator is known no better than by their number.
  const most = Math.min(units, ...arms.map((arm) => arm.filter(({ conformant }) => conformant).length)) - 1;
  const degrees = Math.min(most, Math.max(LEAST_DEGREES, (2 * units) / Math.max(kurtosis - 1, 1e-9)));
  return { error: Math.sqrt((units - 1) * variance), degrees, units, skewness: moment(3) / variance ** 1.5 };
}

function enough(arms: readonly (readonly CostSample[])[]): boolean {
  return arms.every(
    (arm) => arm.length >= LEAST_SAMPLES && arm.filter(({ conformant }) => conformant).length >= LEAST_CONFORMANT,
  );
}

/** ln R without each cluster in turn, in the order in which clusters first appear. */
function leftOut(samples: readonly CostSample[]): number[] {
  const clusters = new Map<string | number, { cost: number; conformant: number }>();
  let [cost, conformant] = [0, 0];
  samples.forEach((sample, i) => {
    const key = sample.cluster ?? i;
    const own = clusters.get(key) ?? { cost: 0, conformant: 0 };
    own.cost += sample.cost ?? 0;
    own.conformant += sample.conformant ? 1 : 0;
    clusters.set(key, own);
    cost += sample.cost ?? 0;
    conformant += sample.conformant ? 1 : 0;
  });
  return [...clusters.values()].map((own) => Math.log((cost - own.cost) / (conformant - own.conformant)));
}

function scaled(estimate: number, spread: Spread, level: number, isSkewed: boolean): Interval {
  if (!(level > 0 && level < 0.5)) throw new RangeError(`not a one-sided level: ${level}`);
  const reach = tQuantile(1 - level, spread.degrees) * spread.error;
  const [below, above] = isSkewed ? skewReach(spread, level) : [0, 0];
  return { low: estimate / Math.exp(reach + below), high: estimate * Math.exp(reach + above) };
}

/** What skewness adds below and above, in standard errors · error: |γ|/(6√n)·(1 + 2z²) on the longer side only. */
function skewReach({ error, units, skewness }: Spread, level: number): readonly [number, number] {
  const added = (Math.abs(skewness) / (6 * Math.sqrt(units))) * (1 + 2 * normalQuantile(1 - level) ** 2) * error;
  return skewness >= 0 ? [0, added] : [added, 0];
}
