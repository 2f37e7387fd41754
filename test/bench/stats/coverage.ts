import type { Interval } from "../../../src/stats/interval.ts";

export interface SimulatedCoverage {
  readonly covered: number;
  /** Share whose upper bound was below the truth, and whose lower bound was above it. */
  readonly upperMiss: number;
  readonly lowerMiss: number;
  readonly width: number;
  /** Share of runs that were given no interval; the others are shares of those that were. */
  readonly refused: number;
}

/** How often intervals of simulated runs hold the truth. */
export function simulate(reps: number, truth: number, run: () => Interval | undefined): SimulatedCoverage {
  let [made, above, below, width] = [0, 0, 0, 0];
  for (let rep = 0; rep < reps; rep++) {
    const interval = run();
    if (interval === undefined) continue;
    made++;
    width += interval.high - interval.low;
    if (interval.high < truth) above++;
    else if (interval.low > truth) below++;
  }
  return {
    covered: (made - above - below) / made,
    upperMiss: above / made,
    lowerMiss: below / made,
    width: width / made,
    refused: 1 - made / reps,
  };
}
