import { type Interval, Z_95 } from "./interval.ts";

/** How often a judge agreed with people, among the cases that people judged. */
interface Agreement {
  readonly agreed: number;
  readonly of: number;
}

export type CorrectedRate =
  | { readonly status: "corrected"; readonly rate: number; readonly interval: Interval }
  /**
   * The judge is no better than chance, or was never compared: its verdicts contain no information about the true rate.
   */
  | { readonly status: "uninformative" };

/**
 * True pass rate behind a fallible judge's verdicts, θ = (p + q0 − 1) / (q0 + q1 − 1) (Rogan & Gladen 1978), with the
 * 95% interval of Lee et al. (arXiv 2511.21140) on raised counts, which includes the doubt about the judge itself.
 * `passes` = of what people passed (sensitivity q1), `fails` = of what people failed (specificity q0).
 */
export function correctedRate(
  verdicts: { readonly passed: number; readonly of: number },
  judge: { readonly passes: Agreement; readonly fails: Agreement },
): CorrectedRate {
  const { passes, fails } = judge;
  for (const [part, whole] of [
    [verdicts.passed, verdicts.of],
    [passes.agreed, passes.of],
    [fails.agreed, fails.of],
  ] as const)
    if (!(part >= 0 && part <= whole)) throw new RangeError(`not a count: ${part} of ${whole}`);
  if (verdicts.of === 0 || passes.of === 0 || fails.of === 0) return { status: "uninformative" };
  const [q1, q0] = [passes.agreed / passes.of, fails.agreed / fails.of];
  if (q0 + q1 <= 1) return { status: "uninformative" };
  const rate = clamp((verdicts.passed / verdicts.of + q0 - 1) / (q0 + q1 - 1));
  return { status: "corrected", rate, interval: raisedInterval(verdicts, judge) };
}

function raisedInterval(
  verdicts: { readonly passed: number; readonly of: number },
  judge: { readonly passes: Agreement; readonly fails: Agreement },
): Interval {
  const z2 = Z_95 ** 2;
  const n = verdicts.of + z2;
  const p = (verdicts.passed + z2 / 2) / n;
  const [m1, m0] = [judge.passes.of + 2, judge.fails.of + 2];
  const [q1, q0] = [(judge.passes.agreed + 1) / m1, (judge.fails.agreed + 1) / m0];
  // The raised counts pull both towards 1/2; a judge just above chance has no bound.
  if (q0 + q1 <= 1) return { low: 0, high: 1 };
  const rate = clamp((p + q0 - 1) / (q0 + q1 - 1));
  const [ofPasses, ofFails] = [(q1 * (1 - q1)) / m1, (q0 * (1 - q0)) / m0];
  const centre = rate + 2 * z2 * (rate * ofPasses - (1 - rate) * ofFails);
  const variance = (p * (1 - p)) / n + (1 - rate) ** 2 * ofFails + rate ** 2 * ofPasses;
  const reach = (Z_95 * Math.sqrt(variance)) / (q0 + q1 - 1);
  return { low: clamp(centre - reach), high: clamp(centre + reach) };
}

function clamp(rate: number): number {
  return Math.min(1, Math.max(0, rate));
}
