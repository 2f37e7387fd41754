/** Forecasts how many more items a later look needs, as a range: a single number would be off by a factor of three. */
import { Bets, type CountedDifferences, countedMoments, leastItems } from "./betting-bound.ts";

interface Forecast {
  /** Numbers of further items after which a tenth, and nine tenths, of the simulated futures have decided. */
  readonly low: number;
  /** Undefined where fewer than nine tenths decide within the most items simulated. */
  readonly high: number | undefined;
  /** Share of the simulated futures that decide at all. */
  readonly chance: number;
  /** Items beyond which no future was followed. */
  readonly most: number;
}

const FUTURES = 200;

/** With fewer items the rates are too uncertain. */
const LEAST_SEEN = 10;

/** Most items simulated, as a multiple of the existing ones and as a number. */
const MOST_TIMES = 20;
const MOST_ITEMS = 20_000;

/**
 * Futures drawn at rates from the Bayesian bootstrap (Rubin 1981, Ann Stat 9:130) of the items seen and half a loss, half
 * a win, so that what has not happened yet still can. Undefined with fewer than ten items. 0 to 0 where the bound at
 * `level` is at most `margin` already. `random` yields uniform numbers in [0, 1).
 */
export function forecastItems(
  seen: CountedDifferences,
  margin: number,
  level: number,
  random: () => number,
): Forecast | undefined {
  const { n } = countedMoments(seen);
  if (n < LEAST_SEEN) return undefined;
  const most = Math.min(MOST_ITEMS, Math.max(MOST_TIMES * n, 4 * leastItems(margin, level)));
  const aim = { bets: new Bets(margin), enough: Math.log(1 / level), most };
  const needed = Array.from({ length: FUTURES }, () => followed(seen, n, aim, random))
    .filter((more) => more !== undefined)
    .sort((a, b) => a - b);
  const at = (share: number): number | undefined => needed[Math.ceil(share * FUTURES) - 1];
  return { low: at(0.1) ?? most, high: at(0.9), chance: needed.length / FUTURES, most };
}

interface Aim {
  readonly bets: Bets;
  /** Logarithm of the wealth that decides. */
  readonly enough: number;
  readonly most: number;
}

/** Returns the items that one future takes to decide; undefined where it does not within the most. */
function followed(
  start: CountedDifferences,
  seen: number,
  { bets, enough, most }: Aim,
  random: () => number,
): number | undefined {
  const items = new Map(start);
  const rates = drawnRates(start, random);
  let more = 0;
  while (bets.logWealth(items) < enough) {
    if (more >= most) return undefined;
    // Frequent enough to be within a tenth.
    const block = Math.max(1, Math.ceil((seen + more) / 10));
    addDrawn(items, rates, block, random);
    more += block;
  }
  return more;
}

interface Rates {
  /** The most frequent difference. */
  readonly usual: number;
  /** Share of all others, and their cumulative shares. */
  readonly unusual: number;
  readonly others: readonly { readonly d: number; readonly upTo: number }[];
}

/** A Dirichlet draw, as gamma variates divided by their sum. */
function drawnRates(start: CountedDifferences, random: () => number): Rates {
  const weights = new Map<number, number>();
  for (const [d, count] of start) weights.set(d, gammaOf(count, random));
  for (const d of [1, -1]) weights.set(d, (weights.get(d) ?? 0) + normal(random) ** 2 / 2);
  const ranked = [...weights].sort(([, a], [, b]) => b - a);
  const total = ranked.reduce((sum, [, weight]) => sum + weight, 0);
  let upTo = 0;
  const others = ranked.slice(1).map(([d, weight]) => {
    upTo += weight / total;
    return { d, upTo };
  });
  return { usual: ranked[0]?.[0] ?? 0, unusual: upTo, others };
}

/** Jumps from one unusual difference to the next: what lies between is the usual one, a geometric number of times. */
function addDrawn(items: Map<number, number>, rates: Rates, count: number, random: () => number): void {
  const { usual, unusual, others } = rates;
  const add = (d: number, times: number): unknown => items.set(d, (items.get(d) ?? 0) + times);
  let left = count;
  while (left > 0) {
    const gap = Math.min(left, Math.floor(Math.log(1 - random()) / Math.log1p(-unusual)));
    add(usual, gap);
    left -= gap;
    if (left === 0) return;
    const at = random() * unusual;
    add(others.find(({ upTo }) => at < upTo)?.d ?? usual, 1);
    left -= 1;
  }
}

/** Gamma(k, 1) for k of 1 or more (Marsaglia & Tsang 2000, ACM TOMS 26:363). */
function gammaOf(k: number, random: () => number): number {
  const d = k - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < x ** 2 / 2 + d * (1 - v + Math.log(v))) return d * v;
  }
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
