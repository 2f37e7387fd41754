/** Student's t distribution, as far as intervals need it. */
import { incompleteBeta } from "./incomplete-beta.ts";

/** Quantile at probability `p` in (0.5, 1), by bisection on the distribution function; accurate to about 1e-10. */
export function tQuantile(p: number, degrees: number): number {
  if (!(p > 0.5 && p < 1) || !(degrees > 0))
    throw new RangeError(`no t quantile at ${p} with ${degrees} degrees of freedom`);
  let low = 0;
  let high = 2;
  while (tCdf(high, degrees) < p) high *= 2;
  for (let step = 0; step < 200 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2;
    if (tCdf(middle, degrees) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Probability of a value below `t`. */
export function tCdf(t: number, degrees: number): number {
  const beyond = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t < 0 ? beyond : 1 - beyond;
}
