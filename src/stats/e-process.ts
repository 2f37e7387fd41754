/**
 * Evidence that the regret is below a margin, which may be looked at after every pair and carried over re-runs: a
 * one-sided betting e-process (Waudby-Smith & Ramdas 2024, arXiv 2010.09686; Ville's inequality). With y = (d + 1) / 2
 * and m = (margin + 1) / 2 its wealth is W = Π(1 − l_i·(y_i − m)),
 * l_i = min(√(2·ln(1/α) / (s²_{i−1}·i·ln(1 + i))), k / (1 − m)), fixed before pair i is seen.
 *
 * Each pair must be a new, independent item, in an order that does not depend on outcomes: repeats averaged first, a
 * customer's pairs averaged into one.
 */

/** The wealth against one margin, as logarithms. */
export interface Wealth {
  readonly margin: number;
  readonly lnW: number;
  readonly maxLnW: number;
}

/** Plain JSON: it outlives the process. */
export interface EProcess {
  /** The margin that decides. */
  readonly epsilon: number;
  readonly alpha: number;
  readonly k: number;
  readonly count: number;
  /** Of y, and of its squared deviations from the running mean. */
  readonly sum: number;
  readonly deviations: number;
  /** By ascending margin; the process's own is among them. */
  readonly wealth: readonly Wealth[];
}

/** Margins against which every process bets, so that it can say a bound; those below 0 say how much better. */
const MARGINS = [
  -0.4, -0.3, -0.2, -0.15, -0.1, -0.075, -0.05, -0.03, -0.02, -0.01, 0, 0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015,
  0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8,
];

/** `k` in (0, 1) is the most of the wealth that one pair may cost. */
export function startEProcess(options: {
  readonly epsilon: number;
  readonly alpha: number;
  readonly k?: number | undefined;
}): EProcess {
  const { epsilon, alpha, k = 0.5 } = options;
  if (!(epsilon > -1 && epsilon < 1)) throw new RangeError(`not a margin: ${epsilon}`);
  if (!(alpha > 0 && alpha < 1)) throw new RangeError(`not a level: ${alpha}`);
  if (!(k > 0 && k < 1)) throw new RangeError(`not a stake: ${k}`);
  const margins = [...new Set([...MARGINS, epsilon])].sort((a, b) => a - b);
  const wealth = margins.map((margin) => ({ margin, lnW: 0, maxLnW: 0 }));
  return { epsilon, alpha, k, count: 0, sum: 0, deviations: 0, wealth };
}

/** The process after one more pair, `d` in [-1, 1]. Throws `RangeError` on anything else. */
export function advance(state: EProcess, d: number): EProcess {
  if (!(d >= -1 && d <= 1)) throw new RangeError(`not a difference of scores: ${d}`);
  const y = (d + 1) / 2;
  const stake = freeStake(state);
  const count = state.count + 1;
  const sum = state.sum + y;
  const mean = (0.5 + sum) / (count + 1);
  const wealth = state.wealth.map(({ margin, lnW, maxLnW }) => {
    const m = (margin + 1) / 2;
    const next = lnW + Math.log1p(-Math.min(stake, state.k / (1 - m)) * (y - m));
    return { margin, lnW: next, maxLnW: Math.max(maxLnW, next) };
  });
  return { ...state, count, sum, deviations: state.deviations + (y - mean) ** 2, wealth };
}

/** The next bet before its cap; the first pseudo-observation is 1/2 with variance 1/4. */
function freeStake({ alpha, count, deviations }: EProcess): number {
  const variance = (0.25 + deviations) / (count + 1);
  const next = count + 1;
  return Math.sqrt((2 * Math.log(1 / alpha)) / (variance * next * Math.log(1 + next)));
}

/**
 * Whether a regret of `margin` or more was ruled out at level `alpha` at any look so far. An e-process holds at every
 * level: for K variants ask at α/K.
 */
export function passes(state: EProcess, alpha = state.alpha, margin = state.epsilon): boolean {
  const bound = upperBound(state, alpha);
  return bound !== undefined && bound <= margin;
}

/**
 * Upper bound of the regret that holds over all looks together: the least margin ruled out. The wealth grows with its
 * margin for any data, so what is ruled out has no gaps, and a bound read off a grid errs only upwards. Undefined where
 * nothing is ruled out yet.
 */
export function upperBound(state: EProcess, alpha = state.alpha): number | undefined {
  const enough = Math.log(1 / alpha);
  return state.wealth.find(({ maxLnW }) => maxLnW >= enough)?.margin;
}

/** Pairs without a loss after which a new process passes: ⌈ln(1/α) / ln(1 + k·ε/(1 − ε))⌉. */
export function leastPairsToPass(options: { epsilon: number; alpha: number; k?: number | undefined }): number {
  const { epsilon, alpha, k = 0.5 } = options;
  return Math.ceil(Math.log(1 / alpha) / Math.log1p((k * epsilon) / (1 - epsilon)));
}

/**
 * Further pairs after which the process would pass if they came at the rates seen so far; undefined where it would not
 * within `limit`. Losses and wins are the two-point rates with the same mean and variance.
 */
export function morePairsToPass(state: EProcess, alpha = state.alpha, limit = 1_000_000): number | undefined {
  if (passes(state, alpha)) return 0;
  const own = state.wealth.find(({ margin }) => margin === state.epsilon);
  if (own === undefined) throw new RangeError(`a process without its own margin ${state.epsilon}`);
  const m = (state.epsilon + 1) / 2;
  const mean = state.count === 0 ? 0 : 2 * (state.sum / state.count) - 1;
  const spread = state.count === 0 ? 0 : (4 * state.deviations) / state.count;
  const discordant = Math.min(1, Math.max(Math.abs(mean), spread + mean * mean));
  const [losses, wins] = [(discordant + mean) / 2, (discordant - mean) / 2];
  const enough = Math.log(1 / alpha);
  let lnW = own.lnW;
  let more = 0;
  while (more < limit) {
    const seen = { ...state, count: state.count + more, deviations: state.deviations + (more * spread) / 4 };
    const stake = Math.min(freeStake(seen), state.k / (1 - m));
    const growth =
      losses * Math.log1p(-stake * (1 - m)) +
      wins * Math.log1p(stake * m) +
      (1 - losses - wins) * Math.log1p(-stake * (0.5 - m));
    // The bet hardly changes over half a percent of the pairs.
    const block = Math.max(1, Math.floor(seen.count / 200));
    const needed = growth > 0 ? Math.ceil((enough - lnW) / growth) : Number.POSITIVE_INFINITY;
    if (needed <= block) return more + needed <= limit ? more + needed : undefined;
    lnW += block * growth;
    more += block;
  }
  return undefined;
}
