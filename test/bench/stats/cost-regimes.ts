/** `npm run stats -- cost`: the cost ratio of two arms, and the cost of one, in worlds whose truth is known. */
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { type CostSample, effectiveCost, pairedCostRatio } from "../../../src/stats/cost.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { normal, type Random } from "./draws.ts";
import type { Table } from "./sections.ts";

interface CostRegime {
  readonly name: string;
  /** σ of the lognormal factor that an input gives both arms, and of the one that each call has of its own. */
  readonly shared: number;
  readonly own: number;
  /** Pass rates of the arm and of the incumbent; a failed call costs half as much again. */
  readonly passes: readonly [number, number];
  /** Chances that a call of the arm, and of the incumbent, finds its prompt cached and costs a tenth. */
  readonly cached: readonly [number, number];
  /**
   * A small sample may lack the few dear calls. Of a cached arm the gate goes by its cost without caches; of a cached
   * incumbent only the bound that decides is held to its level.
   */
  readonly holds?: "bound" | "nothing";
}

const REGIMES: readonly CostRegime[] = [
  { name: "calls of their own", shared: 0, own: 0.8, passes: [0.9, 0.9], cached: [0, 0] },
  { name: "calls of their own, half fail", shared: 0, own: 0.8, passes: [0.5, 0.9], cached: [0, 0] },
  { name: "shared factor, σ 0.5", shared: 0.5, own: 0.4, passes: [0.9, 0.9], cached: [0, 0] },
  { name: "shared factor, σ 1", shared: 1, own: 0.4, passes: [0.9, 0.9], cached: [0, 0] },
  { name: "shared factor, σ 1.5", shared: 1.5, own: 0.4, passes: [0.9, 0.9], cached: [0, 0] },
  { name: "shared factor, half fail", shared: 1, own: 0.4, passes: [0.5, 0.9], cached: [0, 0] },
  { name: "incumbent 95% cached†", shared: 1, own: 0.4, passes: [0.95, 0.95], cached: [0, 0.95], holds: "bound" },
  {
    name: "arm 95% cached, as billed*",
    shared: 1,
    own: 0.4,
    passes: [0.95, 0.95],
    cached: [0.95, 0],
    holds: "nothing",
  },
];

const SIZES = [30, 50, 100, 300, 1_000] as const;

/** Levels at which a saving is decided: a lone arm's plain one, the first look of a first family, a late look of it. */
const LEVELS = [0.025, 0.0076, 0.0005] as const;

/** Two-sided 95%. */
const LEAST_COVERAGE = 0.93;

const MOST_ERRORS = 4;

const BASE = 2_000_000;

function armOf(factors: readonly number[], pass: number, cached: number, own: number, random: Random): CostSample[] {
  return factors.map((factor) => {
    const conformant = random() < pass;
    const hit = random() < cached ? 0.1 : 1;
    const cost = BASE * factor * hit * Math.exp(own * normal(random)) * (conformant ? 1 : 1.5);
    return { cost: nanoUsd(Math.round(cost)), conformant };
  });
}

/** Mean cost of a call ÷ pass rate, without what both arms share. */
function truthOf(pass: number, cached: number): number {
  return ((1 - 0.9 * cached) * (pass + 1.5 * (1 - pass))) / pass;
}

interface Counts {
  ratioHeld: number;
  ratioGiven: number;
  /** Of the upper bound, at each of the levels. */
  ratioMissed: number[];
  ownHeld: number;
  ownGiven: number;
}

function countsOf(regime: CostRegime, n: number, reps: number, random: Random): Counts {
  const { shared, own, passes, cached } = regime;
  const [pass, base] = passes;
  const ratioTruth = truthOf(pass, cached[0]) / truthOf(base, cached[1]);
  const ownTruth = 1000 * BASE * Math.exp((shared ** 2 + own ** 2) / 2) * truthOf(pass, cached[0]);
  const counts: Counts = { ratioHeld: 0, ratioGiven: 0, ratioMissed: LEVELS.map(() => 0), ownHeld: 0, ownGiven: 0 };
  for (let rep = 0; rep < reps; rep++) {
    const factors = Array.from({ length: n }, () => Math.exp(shared * normal(random)));
    const arm = armOf(factors, pass, cached[0], own, random);
    const incumbent = armOf(factors, base, cached[1], own, random);
    const cost = effectiveCost(arm);
    const interval = cost.status === "measured" ? cost.interval : undefined;
    if (interval) {
      counts.ownGiven += 1;
      if (interval.low <= ownTruth && ownTruth <= interval.high) counts.ownHeld += 1;
    }
    LEVELS.forEach((level, index) => {
      const bounds = pairedCostRatio(arm, incumbent, level)?.interval;
      if (!bounds) return;
      if (index === 0) {
        counts.ratioGiven += 1;
        if (bounds.low <= ratioTruth && ratioTruth <= bounds.high) counts.ratioHeld += 1;
      }
      if (bounds.high < ratioTruth) counts.ratioMissed[index] = (counts.ratioMissed[index] ?? 0) + 1;
    });
  }
  return counts;
}

export interface CostCoverage extends Table {
  /** Where an interval covers too little, or the deciding bound misses more than its level, beyond chance. */
  readonly faults: readonly string[];
}

export function costCoverage(
  { reps, seed }: { readonly reps: number; readonly seed: number },
  sizes: readonly number[] = SIZES,
): CostCoverage {
  const faults: string[] = [];
  const rows = REGIMES.flatMap((regime) => {
    const random = seededRandom(seed);
    return sizes.map((n) => {
      const counts = countsOf(regime, n, reps, random);
      if (regime.holds !== "nothing")
        faults.push(...faultsOf(counts, regime.holds).map((fault) => `${regime.name}, ${n} pairs: ${fault}`));
      const share = (k: number, of: number): string => (of === 0 ? "none given" : (k / of).toFixed(3));
      const missed = counts.ratioMissed.map((k) =>
        counts.ratioGiven === 0 ? "–" : (k / counts.ratioGiven).toFixed(4),
      );
      const own = share(counts.ownHeld, counts.ownGiven);
      const refused = (1 - counts.ownGiven / reps).toFixed(2);
      return [regime.name, `${n}`, share(counts.ratioHeld, counts.ratioGiven), ...missed, own, refused];
    });
  });
  return {
    title: "Cost: the paired ratio of two arms, and one arm's $ per 1K conformant outputs",
    note: [
      `Promised: coverage of at least ${LEAST_COVERAGE}, and that the ratio's upper bound misses no more often than its level.`,
      "* Not decided on: what a cached arm costs without its caches decides, which is a row above.",
      "† Its ratio is overstated where a sample lacks dear calls: never in the arm's favour.",
    ].join("\n"),
    head: [
      "regime",
      "pairs",
      "ratio holds",
      ...LEVELS.map((level) => `misses at ${level}`),
      "$ per 1K holds",
      "refused",
    ],
    rows,
    faults,
  };
}

/** What chance does not explain: there are a hundred figures, so each is held to four standard errors. */
function faultsOf(
  { ratioHeld, ratioGiven, ratioMissed, ownHeld, ownGiven }: Counts,
  holds: CostRegime["holds"],
): string[] {
  const beyond = (k: number, n: number, promised: number): number =>
    n === 0 ? 0 : (k / n - promised) / Math.sqrt((promised * (1 - promised)) / n);
  const covers = (k: number, n: number): boolean => beyond(k, n, LEAST_COVERAGE) > -MOST_ERRORS;
  return [
    ...(holds === "bound" || covers(ratioHeld, ratioGiven)
      ? []
      : [`the ratio's interval holds in ${ratioHeld} of ${ratioGiven}`]),
    ...(covers(ownHeld, ownGiven) ? [] : [`the interval of $ per 1K holds in ${ownHeld} of ${ownGiven}`]),
    ...LEVELS.flatMap((level, index) => {
      const missed = ratioMissed[index] ?? 0;
      const isMore = beyond(missed, ratioGiven, level) > MOST_ERRORS;
      return isMore ? [`the ratio's upper bound at ${level} misses in ${missed} of ${ratioGiven}`] : [];
    }),
  ];
}
