/** `npm run stats -- power`: the pairs that the gate's bounds need, beside fixed-n tests of the same and of the full level. */
import { ALPHA, familyLevel } from "../../../src/stats/alpha-spending.ts";
import { leastItems } from "../../../src/stats/betting-bound.ts";
import { regretInterval } from "../../../src/stats/paired-regret.ts";
import { leastPairs } from "../../../src/stats/power.ts";
import { trafficRegret } from "../../../src/stats/traffic-regret.ts";
import { passFail, percent, type Random } from "./draws.ts";
import { pairsToPass } from "./looks.ts";
import type { Table } from "./sections.ts";

const MOST = 6_000;

/** A later look may need so many times the pairs of a fixed-n test of its level. */
const MOST_PRICE = 1.6;

export interface PowerTable extends Table {
  readonly faults: readonly string[];
}

const WORLDS = [0.02, 0.05, 0.1].flatMap((epsilon) => [0, 0.02, 0.06].map((discordance) => ({ epsilon, discordance })));

export function powerTable(reps: number, random: Random): PowerTable {
  const level = familyLevel(1);
  const faults: string[] = [];
  const rows = WORLDS.map(({ epsilon, discordance }) => {
    const oracle = fixedPairs({ epsilon, discordance, level: ALPHA, reps }, random);
    const fixed = fixedPairs({ epsilon, discordance, level, reps }, random);
    const first = discordance === 0 ? firstLookPairs(epsilon, level) : fixed;
    const later = pairsToPass({ epsilon, discordance, level, reps, most: MOST }, random);
    const at = (share: number): number => later[Math.ceil(share * later.length) - 1] ?? Number.POSITIVE_INFINITY;
    const [median, most] = [at(0.5), at(0.8)];
    const name = `limit ${percent(epsilon)}, ${percent(discordance)} disagree`;
    if (first !== fixed) faults.push(`${name}: a first look needs ${first}, a fixed-n test ${fixed}`);
    if (median > MOST_PRICE * fixed)
      faults.push(`${name}: half of the later looks need ${median}, a fixed-n test ${fixed}`);
    const ratio = (pairs: number, base: number): string => (pairs / base).toFixed(2);
    return [
      ...[percent(epsilon), percent(discordance), `${oracle}`, `${fixed}`, `${first}`, ratio(first, oracle)],
      ...[`${median}`, ratio(median, fixed), ratio(median, oracle), `${most}`, ratio(most, fixed)],
    ];
  });
  return {
    title: "Power: pairs after which an arm as good as the reference passes",
    note: [
      `Oracle: one fixed-n test at ${ALPHA}, passed with a chance of 80%. Fixed: the same at ${level.toFixed(4)}, what a first look of the first`,
      `family has. Later looks bet at that level, looked at after every pair: half and four fifths of them have passed. Promised: half within ${MOST_PRICE} × fixed.`,
    ].join("\n"),
    head: [
      "limit",
      "disagree",
      "oracle",
      "fixed",
      "first look",
      "÷ oracle",
      "later: half",
      "÷ fixed",
      "÷ oracle",
      "later: 4 of 5",
      "÷ fixed",
    ],
    rows,
    faults,
  };
}

/** The least number of pairs without a loss that a first look passes with, by all that decides on it. */
function firstLookPairs(epsilon: number, level: number): number {
  const passes = (n: number): boolean => {
    const asked = Array.from({ length: n }, (_, i) => ({ question: `${i}`, differences: [0], weight: 1 }));
    return (trafficRegret(asked, level)?.high ?? 1) <= epsilon;
  };
  let n = Math.min(leastPairs(epsilon, 1 - 2 * level), leastItems(epsilon, level));
  while (passes(n - 1)) n -= 1;
  while (!passes(n)) n += 1;
  return n;
}

interface Fixed {
  readonly epsilon: number;
  readonly discordance: number;
  readonly level: number;
  readonly reps: number;
}

/** The least n, within 3%, at which a fixed-n test passes in 80% of runs; without any discordance, in all. */
function fixedPairs({ epsilon, discordance, level, reps }: Fixed, random: Random): number {
  if (discordance === 0) return leastFixed(epsilon, level);
  let n = leastFixed(epsilon, level);
  while (passing(n) < 0.8) n = Math.ceil(n * 1.03);
  return n;

  function passing(size: number): number {
    const source = passFail(discordance / 2, discordance / 2);
    let passed = 0;
    for (let rep = 0; rep < reps; rep++) {
      let [losses, wins] = [0, 0];
      for (let pair = 0; pair < size; pair++) {
        const d = source.draw(random);
        if (d > 0) losses += 1;
        else if (d < 0) wins += 1;
      }
      if (highOf(losses, wins, size, level) <= epsilon) passed += 1;
    }
    return passed / reps;
  }
}

function leastFixed(epsilon: number, level: number): number {
  let n = leastPairs(epsilon, 1 - 2 * level);
  while (highOf(0, 0, n, level) > epsilon) n += 1;
  return n;
}

function highOf(losses: number, wins: number, n: number, level: number): number {
  const moments = { n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n };
  return regretInterval("tango_bonett_price", moments, undefined, 1 - 2 * level).high;
}
