/** Forecasts how many more items a later look needs, as a range: a single number would be off by a factor of three. */
import { type CountedDifferences, counted, leastItems, logWealth } from "./betting-bound.ts";

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
const MOST_TIMES = 50;
const MOST_ITEMS = 20_000;

/**
 * Futures drawn at rates from the Bayesian bootstrap (Rubin 1981, Ann Stat 9:130) of the items seen and half a loss, half
 * a win, so that what has not happened yet still can. Undefined with fewer than ten items. 0 to 0 where the bound at
 * `level` is at most `margin` already. `random` yields uniform numbers in [0, 1).
 */
export function forecastItems(
  seen: readonly number[],
  margin: number,
  level: number,
  random: () => number,
): Forecast | undefined {
  if (seen.length < LEAST_SEEN) return undefined;
  const start = counted(seen);
  const aim = { margin, enough: Math.log(1 / level) };
  const most = Math.min(MOST_ITEMS, Math.max(MOST_TIMES * seen.length, 4 * leastItems(margin, level)));
  const needed = Array.from({ length: FUTURES }, () => followed(start, seen.length, { ...aim, most }, random))
    .filter((more) => more !== undefined)
    .sort((a, b) => a - b);
  const at = (share: number): number | undefined => needed[Math.ceil(share * FUTURES) - 1];
  return { low: at(0.1) ?? most, high: at(0.9), chance: needed.length / FUTURES, most };
}

interface Aim {
  readonly margin: number;
  /** Logarithm of the wealth that decides. */
  readonly enough: number;
  readonly most: number;
}

/** Returns the items that one future takes to decide; undefined where it does not within the most. */
function followed(
  start: CountedDifferences,
  seen: number,
  { margin, enough, most }: Aim,
  random: () => number,
): number | undefined {
  const items = new Map(start);
  const rates = drawnRates(start, random);
  let more = 0;
  while (logWealth(items, margin) < enough) {
    if (more >= most) return undefined;
    // Frequent enough to be within a twentieth.
    const block = Math.max(1, Math.ceil((seen + more) / 20));
    for (let i = 0; i < block; i++) {
      const d = drawn(rates, random);
      items.set(d, (items.get(d) ?? 0) + 1);
    }
    more += block;
  }
  return more;
}

type Rates = readonly { readonly d: number; readonly upTo: number }[];

/** Cumulative shares of each difference: a Dirichlet draw, by exponentials for whole counts and half-counts alike. */
function drawnRates(start: CountedDifferences, random: () => number): Rates {
  const weights = new Map<number, number>();
  for (const [d, count] of start) weights.set(d, gammaOf(count, random));
  for (const d of [1, -1]) weights.set(d, (weights.get(d) ?? 0) + halfGamma(random));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  let upTo = 0;
  return [...weights].map(([d, weight]) => {
    upTo += weight / total;
    return { d, upTo };
  });
}

function drawn(rates: Rates, random: () => number): number {
  const at = random();
  return rates.find(({ upTo }) => at < upTo)?.d ?? 0;
}

/** Gamma(k, 1) for whole k: the sum of k exponentials. */
function gammaOf(k: number, random: () => number): number {
  let sum = 0;
  for (let i = 0; i < k; i++) sum -= Math.log(1 - random());
  return sum;
}

/** Gamma(1/2, 1): half the square of a standard normal. */
function halfGamma(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return normal ** 2 / 2;
}
