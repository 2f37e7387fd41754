/** The standard normal distribution. */

/** Probability of a value below `z`: the series of Marsaglia (2004, J Stat Softw 11:4), absolute error below 1e-15. */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) throw new RangeError("no probability of NaN");
  if (z < -8) return 0;
  if (z > 8) return 1;
  let term = z;
  let sum = z;
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) {
    term *= (z * z) / i;
    sum += term;
  }
  return Math.min(1, Math.max(0, 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)));
}

/** Quantile at probability `p` in (0, 1), by bisection; 1e-13 in the middle, 1e-9 where 1 − p is 1e-7. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`no normal quantile at ${p}`);
  if (p < 0.5) return -normalQuantile(1 - p);
  let low = 0;
  let high = 8.5;
  while (high - low > 1e-15 * Math.max(1, high)) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
