/** The tables that `npm run stats` prints: each interval against truths that are known. */

import { regretDrift } from "../../../src/stats/drift.ts";
import { correctedRate } from "../../../src/stats/judge-correction.ts";
import { graderAgreement } from "../../../src/stats/kappa.ts";
import { pairedRegret, regretInterval, scoreRegret } from "../../../src/stats/paired-regret.ts";
import { tQuantile } from "../../../src/stats/student-t.ts";
import { agrestiMin, pairedT } from "../../support/bakeoff/interval-rivals.ts";
import { type SimulatedCoverage, simulate } from "./coverage.ts";
import { clusteredPairs, GRADED, mergedPairs, passFail, percent, type Random } from "./draws.ts";
import { SIZES, type TableInterval, worstCoverage } from "./enumeration.ts";
import { falseProposals } from "./looks.ts";

export interface Table {
  readonly title: string;
  readonly note?: string | undefined;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const share = (value: number): string => value.toFixed(3);
const short = (value: number): string => value.toPrecision(3);
const columns = ({ covered, upperMiss, width }: SimulatedCoverage): string[] => [
  share(covered),
  share(upperMiss),
  short(width),
];

export function binaryTable(): Table {
  const worst = (n: number, interval: TableInterval): string => {
    const { covered, upperMiss } = worstCoverage(n, interval);
    return `${share(covered)} / ${share(upperMiss)}`;
  };
  return {
    title: "Regret of pass/fail, exact over every table: worst coverage / worst upper miss on 77 truths",
    note: "Promised: 0.950 / 0.025.",
    head: ["pairs", "product", "Agresti-Min", "t"],
    rows: SIZES.map((n) => {
      const quantile = tQuantile(0.975, n - 1);
      return [
        `${n}`,
        worst(n, (losses, wins) => regretInterval("tango_bonett_price", moments(losses, wins, n), undefined, 0.95)),
        worst(n, (b, c) => agrestiMin({ a: n - b - c, b, c, e: 0 })),
        worst(n, (losses, wins) => pairedT(losses, wins, n, quantile)),
      ];
    }),
  };
}

function moments(losses: number, wins: number, n: number) {
  return { n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n };
}

export function gradedTable(reps: number, random: Random): Table {
  return {
    title: "Regret of grades",
    head: ["differences", "pairs", "coverage", "upper miss", "width", "t coverage"],
    rows: GRADED.flatMap((source) =>
      [10, 20, 50, 300].map((n) => {
        let [held, runs] = [0, 0];
        const measured = simulate(reps, source.truth, () => {
          const d = Array.from({ length: n }, () => source.draw(random));
          runs++;
          if (holds(plainT(d), source.truth)) held++;
          return scoreRegret(d);
        });
        return [source.name, `${n}`, ...columns(measured), share(held / runs)];
      }),
    ),
  };
}

function plainT(d: readonly number[]) {
  const n = d.length;
  const mean = d.reduce((sum, value) => sum + value, 0) / n;
  const variance = d.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const reach = tQuantile(0.975, n - 1) * Math.sqrt(variance / n);
  return { low: mean - reach, high: mean + reach };
}

function holds({ low, high }: { low: number; high: number }, truth: number): boolean {
  return low <= truth && truth <= high;
}

export function clusteredTable(reps: number, random: Random): Table {
  const shapes = [
    { clusters: 100, size: 3, correlation: 0.3 },
    { clusters: 40, size: 5, correlation: 0.3 },
    { clusters: 25, size: 10, correlation: 0.3 },
    { clusters: 20, size: 10, correlation: 0.3 },
    { clusters: 10, size: 10, correlation: 0.2 },
  ];
  const sources = [passFail(0.05, 0), passFail(0.05, 0.02), passFail(0.1, 0.05)];
  return {
    title: "Regret of pairs that share a customer",
    note: "Below 20 clusters no proposal is filed; those rows show why.",
    head: ["differences", "clusters × size, ICC", "coverage", "upper miss", "width", "taken as strangers"],
    rows: sources.flatMap((source) =>
      shapes.map((shape) => {
        let [missed, runs] = [0, 0];
        const measured = simulate(reps, source.truth, () => {
          const pairs = clusteredPairs(source, shape, random);
          const naive = pairedRegret(pairs.map(({ d }) => ({ d })));
          runs++;
          if (naive && naive.high < source.truth) missed++;
          return pairedRegret(pairs);
        });
        const name = `${shape.clusters} × ${shape.size}, ${shape.correlation}`;
        return [source.name, name, ...columns(measured), `${share(missed / runs)} upper miss`];
      }),
    ),
  };
}

export function mergedTable(reps: number, random: Random): Table {
  return {
    title: "Regret of merged identical inputs, seen 20/rank times",
    head: ["differences", "inputs", "coverage", "upper miss", "width"],
    rows: [passFail(0.05, 0), passFail(0.05, 0.02), ...GRADED.slice(0, 1)].flatMap((source) =>
      [30, 100, 300].map((n) => {
        const measured = simulate(reps, source.truth, () => pairedRegret(mergedPairs(source, n, random)));
        return [source.name, `${n}`, ...columns(measured)];
      }),
    ),
  };
}

export function driftTable(reps: number, random: Random): Table {
  const sizes = [
    [30, 100],
    [50, 200],
    [100, 400],
    [200, 800],
  ] as const;
  const alarms = (recent: number, trailing: number, growth: number, method: "welch" | "pseudo_pair"): string => {
    const [before, now] = [passFail(0.03, 0.02), passFail(0.03 + growth, 0.02)];
    let count = 0;
    for (let rep = 0; rep < reps; rep++) {
      const draw = (source: typeof now, n: number) => Array.from({ length: n }, () => ({ d: source.draw(random) }));
      const drift = regretDrift(draw(now, recent), draw(before, trailing), { epsilon: 0, method });
      if (drift.status === "drifted") count++;
    }
    return share(count / reps);
  };
  return {
    title: "Drift: alarms of the recent window against the trailing one (loss 3%, win 2%; margin 0)",
    note: "Nothing changed: promised at most 0.025. Then losses grow by ten points.",
    head: ["recent/trailing", "false, Welch", "false, pseudo-pair", "found, Welch", "found, pseudo-pair"],
    rows: sizes.map(([recent, trailing]) => [
      `${recent}/${trailing}`,
      alarms(recent, trailing, 0, "welch"),
      alarms(recent, trailing, 0, "pseudo_pair"),
      alarms(recent, trailing, 0.1, "welch"),
      alarms(recent, trailing, 0.1, "pseudo_pair"),
    ]),
  };
}

export function judgeTable(reps: number, random: Random): Table {
  const count = (n: number, rate: number): number => {
    let hits = 0;
    for (let i = 0; i < n; i++) if (random() < rate) hits++;
    return hits;
  };
  const [sensitivity, specificity] = [0.9, 0.8];
  const corrected = [
    [0.9, 100, 30],
    [0.9, 300, 100],
    [0.6, 300, 50],
  ].map(([truth = 0, n = 0, labelled = 0]) => {
    const seen = truth * sensitivity + (1 - truth) * (1 - specificity);
    const measured = simulate(reps, truth, () => {
      const rate = correctedRate(
        { passed: count(n, seen), of: n },
        {
          passes: { agreed: count(labelled, sensitivity), of: labelled },
          fails: { agreed: count(labelled, specificity), of: labelled },
        },
      );
      return rate.status === "corrected" ? rate.interval : undefined;
    });
    return [`corrected rate ${truth}`, `${n} verdicts, ${labelled} + ${labelled} labels`, ...columns(measured)];
  });
  // Two graders of one truth at 80% passes, each right nine times in ten, independently.
  const both = 0.8 * 0.81 + 0.2 * 0.01;
  const [one, marginal] = [0.09, 0.8 * 0.9 + 0.2 * 0.1];
  const chance = marginal ** 2 + (1 - marginal) ** 2;
  const kappa = (1 - 2 * one - chance) / (1 - chance);
  const agreed = [20, 50, 200].map((n) => {
    const measured = simulate(reps, kappa, () => {
      const table = { bothPass: 0, onlyFirst: 0, onlySecond: 0, bothFail: 0 };
      for (let i = 0; i < n; i++) {
        const u = random();
        if (u < both) table.bothPass++;
        else if (u < both + one) table.onlyFirst++;
        else if (u < both + 2 * one) table.onlySecond++;
        else table.bothFail++;
      }
      return graderAgreement(table)?.kappaInterval;
    });
    return [`Cohen's κ ${kappa.toFixed(3)}`, `${n} cases`, ...columns(measured)];
  });
  return {
    title: "Judges: pass rate corrected for sensitivity 0.9 and specificity 0.8, and agreement of two graders",
    head: ["figure", "size", "coverage", "upper miss", "width"],
    rows: [...corrected, ...agreed],
  };
}

export function looksTable(reps: number, random: Random): Table {
  const worlds = [0.02, 0.05, 0.1].flatMap((epsilon) => [0, 0.02, 0.05].map((win) => ({ epsilon, win })));
  return {
    title: "False proposals: true regret exactly the margin, 20 looks, every 50 pairs to 1,000",
    note: "Share of runs that pass at any look; promised 0.025. t and Tango: a fixed-n interval reused at each look.",
    head: ["margin", "wins", "t", "Tango", "betting bound", "product's gate"],
    rows: worlds.map((world) => {
      const found = falseProposals({ ...world, looks: 20, pairsPerLook: 50, reps }, random);
      return [
        percent(world.epsilon),
        percent(world.win),
        share(found.t),
        share(found.tango),
        share(found.betting),
        share(found.gate),
      ];
    }),
  };
}
