import type { Interval } from "./interval.ts";

/** Discordant pairs of a paired binary table; real numbers, so that a design effect can shrink all three. */
interface Discordance {
  /** Reference passed, candidate failed. */
  readonly losses: number;
  /** Reference failed, candidate passed. */
  readonly wins: number;
  readonly n: number;
}

/**
 * Tango's score interval (1998, Stat Med 17:891) of (losses − wins) / n: the differences D whose score test at
 * `quantile` does not reject them.
 */
export function tango(table: Discordance, quantile: number): Interval {
  const estimate = (table.losses - table.wins) / table.n;
  return {
    low: crossing((difference) => tangoScore(table, difference) > quantile, -1, estimate),
    high: -crossing((difference) => tangoScore(table, -difference) < -quantile, -1, -estimate),
  };
}

/** Score statistic of the hypothesis "the true difference is `difference`"; standard normal under it. */
function tangoScore({ losses, wins, n }: Discordance, difference: number): number {
  const b = -losses - wins + (2 * n - losses + wins) * difference;
  const c = -wins * difference * (1 - difference);
  const root = Math.sqrt(Math.max(0, b * b - 8 * n * c));
  // The root of 2n·q² + b·q + c that is a probability, written so that nothing cancels.
  const winRate = b > 0 ? (-2 * c) / (root + b) : (root - b) / (4 * n);
  const numerator = losses - wins - n * difference;
  const variance = n * (2 * winRate + difference * (1 - difference));
  // No discordance tested against no difference is 0/0 and fits perfectly.
  if (numerator === 0) return 0;
  return variance > 0 ? numerator / Math.sqrt(variance) : Math.sign(numerator) * Number.POSITIVE_INFINITY;
}

/** The point of [from, to] where `holds` turns from true to false; `from` where it never holds. */
function crossing(holds: (value: number) => boolean, from: number, to: number): number {
  let low = from;
  let high = to;
  while (high - low > 1e-13) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low === from ? from : (low + high) / 2;
}
