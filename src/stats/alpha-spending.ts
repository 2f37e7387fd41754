/** The error that a route may make, and how it is divided among all comparisons of the route. */

/** One-sided chance that within `SPENDING_DAYS` a route proposes an arm that is worse than its limit allows. */
export const ALPHA = 0.025;

/** Half of it pays for first looks, which decide on a fixed-n bound; the other half for all later ones. */
export const LOOK_ALPHA = ALPHA / 2;

/** Evidence older than this does not count, and neither does the error spent on it. */
export const SPENDING_DAYS = 90;

/**
 * One-sided level of the `k`-th family of a route (k ≥ 1): a family is the challengers of one bake-off that were never
 * looked at before. `LOOK_ALPHA`·6/(π²·k²), which over all families sums to `LOOK_ALPHA`. Holds for the family's first
 * look (with Holm's procedure inside), and again for its later looks (divided among its arms).
 */
export function familyLevel(k: number): number {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`not a family's number: ${k}`);
  return LOOK_ALPHA * squareShare(k);
}

/** Level of the `look`-th later look (≥ 1) of a bound that is not valid at every look by itself. */
export function laterLookLevel(level: number, look: number): number {
  if (!Number.isInteger(look) || look < 1) throw new RangeError(`not a look's number: ${look}`);
  return level * squareShare(look);
}

/** 6/(π²·k²): the shares of k = 1, 2, 3, … sum to 1. */
function squareShare(k: number): number {
  return 6 / (Math.PI * k) ** 2;
}
