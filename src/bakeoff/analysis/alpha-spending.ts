/** The error that the quality gates may make, and how it is shared out. */

/** One-sided probability that, over all looks and variants of a bake-off, an arm beyond the limit is proposed. */
export const ALPHA = 0.025;

/** Half of it for the first complete look, which decides on a fixed-n bound; half for the e-process of all others. */
export const LOOK_ALPHA = ALPHA / 2;

/** Two-sided confidence of the interval whose bounds are one-sided at `LOOK_ALPHA` ÷ `arms`. */
export function confidenceFor(arms: number): number {
  return 1 - (2 * LOOK_ALPHA) / arms;
}
