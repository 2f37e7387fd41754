/** Exact coverage of an interval of pass/fail regret: every table of n pairs with its trinomial weight. */
import type { Interval } from "../../../src/stats/interval.ts";

export interface Coverage {
  /** Chance that the interval holds the true regret. */
  readonly covered: number;
  /** Chance that its upper bound is below the true regret: the error that lets a worse arm through. */
  readonly upperMiss: number;
}

export type TableInterval = (losses: number, wins: number, n: number) => Interval;

/** Tables lighter than this are left out; all of them together weigh less than 1e-8. */
const NEGLIGIBLE = 1e-14;

/** Coverage of one interval at one size; each table's interval is made once, whatever the number of truths asked. */
export function exactCoverage(n: number, interval: TableInterval): (pLoss: number, pWin: number) => Coverage {
  const logFactorial = [0];
  for (let i = 1; i <= n; i++) logFactorial.push((logFactorial[i - 1] ?? 0) + Math.log(i));
  const lnF = (i: number): number => logFactorial[i] ?? Number.NaN;
  const made = new Map<number, Interval>();
  const intervalOf = (losses: number, wins: number): Interval => {
    const key = losses * (n + 1) + wins;
    const known = made.get(key) ?? interval(losses, wins, n);
    made.set(key, known);
    return known;
  };
  return (pLoss, pWin) => {
    const truth = pLoss - pWin;
    let covered = 0;
    let upperMiss = 0;
    for (let losses = 0; losses <= n; losses++) {
      for (let wins = 0; wins <= (pWin > 0 ? n - losses : 0); wins++) {
        const ties = n - losses - wins;
        const log = lnF(n) - lnF(losses) - lnF(wins) - lnF(ties) + powers(pLoss, losses) + powers(pWin, wins);
        const weight = Math.exp(log + powers(1 - pLoss - pWin, ties));
        if (weight < NEGLIGIBLE) continue;
        const { low, high } = intervalOf(losses, wins);
        if (high < truth - 1e-12) upperMiss += weight;
        else if (low <= truth + 1e-12) covered += weight;
      }
    }
    return { covered, upperMiss };
  };
}

function powers(p: number, times: number): number {
  return times === 0 ? 0 : times * Math.log(p);
}

export const SIZES = [10, 15, 20, 30, 50, 75, 100, 150, 200, 300];
const LOSSES = [0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5];
const WINS = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];

/** Worst coverage and worst upper miss over the grid of truths. */
export function worstCoverage(n: number, interval: TableInterval): Coverage {
  const at = exactCoverage(n, interval);
  const all = LOSSES.flatMap((pLoss) => WINS.map((pWin) => at(pLoss, pWin)));
  return {
    covered: Math.min(...all.map(({ covered }) => covered)),
    upperMiss: Math.max(...all.map(({ upperMiss }) => upperMiss)),
  };
}
