import { describe, expect, it } from "vitest";
import type { Interval } from "../../../src/stats/interval.ts";
import { binaryRegret, type PairedRegret, pairedRegret, scoreRegret } from "../../../src/stats/paired-regret.ts";
import { pseudoPair, pseudoPairInterval } from "../../../src/stats/pseudo-pair.ts";
import { tango } from "../../../src/stats/tango.ts";
import { agrestiMin, newcombe10, type PairedTable, wald } from "../../support/bakeoff/interval-rivals.ts";

const Z = 1.959963984540054;
type Ends = readonly [low: number, high: number];

const near = (interval: Interval, [low, high]: Ends, digits: number) => {
  expect(interval.low).toBeCloseTo(low, digits);
  expect(interval.high).toBeCloseTo(high, digits);
};
const measured = (regret: PairedRegret | undefined): PairedRegret => {
  if (regret === undefined) throw new Error("nothing measured");
  return regret;
};
const bonettPrice = (losses: number, wins: number, n: number) =>
  pseudoPairInterval({ n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n }, Z);

describe("published paired tables", () => {
  const TABLES: readonly {
    table: readonly [number, number, number, number];
    wald: Ends;
    agrestiMin: Ends;
    bonettPrice: Ends;
    newcombe: Ends;
    tango: Ends;
  }[] = [
    {
      table: [59, 6, 16, 80],
      wald: [-0.1184, -0.0058],
      agrestiMin: [-0.1182, -0.0045],
      bonettPrice: [-0.1195, -0.0032],
      newcombe: [-0.1186, -0.0046],
      tango: [-0.124, -0.0054],
    },
    {
      table: [1, 1, 7, 12],
      wald: [-0.5197, -0.0517],
      agrestiMin: [-0.4932, -0.0285],
      bonettPrice: [-0.5084, -0.0134],
      newcombe: [-0.5069, -0.0256],
      tango: [-0.5172, -0.026],
    },
    {
      table: [14, 5, 0, 22],
      wald: [0.0218, 0.2221],
      agrestiMin: [0.0102, 0.2224],
      bonettPrice: [0.0008, 0.2318],
      newcombe: [0.0115, 0.2265],
      tango: [0.0258, 0.2554],
    },
    {
      table: [1, 0, 0, 1],
      wald: [0, 0],
      agrestiMin: [-0.49, 0.49],
      bonettPrice: [-0.69295, 0.69295],
      newcombe: [-0.5734, 0.5734],
      tango: [-0.6576, 0.6576],
    },
    {
      table: [10, 0, 0, 0],
      wald: [0, 0],
      agrestiMin: [-0.1633, 0.1633],
      bonettPrice: [-0.231, 0.231],
      newcombe: [-0.2775, 0.2775],
      tango: [-0.2775, 0.2775],
    },
    {
      table: [90, 5, 1, 4],
      wald: [-0.0074, 0.0874],
      agrestiMin: [-0.0111, 0.0895],
      bonettPrice: [-0.0146, 0.093],
      newcombe: [-0.0151, 0.1034],
      tango: [-0.011, 0.1034],
    },
  ];
  it.each(TABLES)("$table have their intervals", ({ table: [a, b, c, e], ...expected }) => {
    const table: PairedTable = { a, b, c, e };
    const n = a + b + c + e;
    near(tango({ losses: b, wins: c, n }, Z), expected.tango, 4);
    near(bonettPrice(b, c, n), expected.bonettPrice, 4);
    near(wald(table), expected.wald, 4);
    near(agrestiMin(table), expected.agrestiMin, 4);
    near(newcombe10(table), expected.newcombe, 4);
    near(
      measured(binaryRegret({ losses: b, wins: c, n })),
      [Math.min(expected.tango[0], expected.bonettPrice[0]), Math.max(expected.tango[1], expected.bonettPrice[1])],
      4,
    );
  });

  it("40 losses and 20 wins of 160 have theirs to six digits", () => {
    near(tango({ losses: 40, wins: 20, n: 160 }, Z), [0.030865, 0.218064], 6);
    near(bonettPrice(40, 20, 160), [0.030109, 0.216805], 6);
    // Only losses, wins and n matter to it; the concordant cells are free.
    near(agrestiMin({ a: 60, b: 40, c: 20, e: 40 }), [0.030896, 0.216017], 6);
  });

  it("all wins, or all losses, of three reach the end of the scale", () => {
    near(tango({ losses: 0, wins: 3, n: 3 }, Z), [-1, 0.123], 4);
    near(tango({ losses: 3, wins: 0, n: 3 }, Z), [-0.123, 1], 4);
  });

  it("no discordance has Tango's closed form z² / (n + z²), and never no width", () => {
    for (const n of [1, 2, 10, 73, 1_000_000])
      near(tango({ losses: 0, wins: 0, n }, Z), [(-Z * Z) / (n + Z * Z), (Z * Z) / (n + Z * Z)], 11);
  });
});

describe("regret of graded pairs", () => {
  const d = [0, 0.25, 0, 0, -0.25, 0, 0.5, 0, 0, 0, 0, 0, 0.25, 0, 0, -0.5, 0, 0, 0, 0.25];
  const regret = measured(pairedRegret(d.map((value) => ({ d: value }))));

  it("has the pseudo-pair mean, error and interval of its vector", () => {
    const { mean, error } = pseudoPair(regret.moments);
    expect(mean).toBeCloseTo(0.022727, 6);
    expect(error).toBeCloseTo(0.075222, 6);
    near(pseudoPairInterval(regret.moments, Z), [-0.124705, 0.17016], 6);
  });

  it("takes the wider end of pseudo-pair and plain t", () => {
    expect(regret).toMatchObject({ method: "pseudo_pair_t", n: 20, losses: 4, wins: 2, degrees: 19 });
    expect(regret.mean).toBeCloseTo(0.025, 12);
    near(regret, [-0.134714, 0.180169], 6);
    // Wild scores: here plain t is the wider one.
    const wild = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 0.95 : -0.95));
    const { low, high } = measured(scoreRegret(wild));
    const reach = 2.022690911734728 * Math.sqrt((40 * 0.95 ** 2) / 39 / 40);
    near({ low, high }, [-reach, reach], 8);
  });
});

describe("which interval", () => {
  it("is that of pass/fail where every score was 0 or 1, and that of grades otherwise or where asked", () => {
    const pairs = [{ d: 0 }, { d: 1 }, { d: -1 }, { d: 0 }];
    expect(pairedRegret(pairs)).toEqual(binaryRegret({ losses: 1, wins: 1, n: 4 }));
    expect(pairedRegret(pairs, { scores: "graded" })?.method).toBe("pseudo_pair_t");
    expect(pairedRegret([...pairs, { d: 0.5 }])?.method).toBe("pseudo_pair_t");
  });

  it("says nothing of no pairs, the whole scale of one graded pair, and refuses what is no difference", () => {
    expect(pairedRegret([])).toBeUndefined();
    expect(binaryRegret({ losses: 0, wins: 0, n: 0 })).toBeUndefined();
    expect(pairedRegret([{ d: 0.25 }])).toMatchObject({ low: -1, high: 1, mean: 0.25 });
    for (const d of [Number.NaN, 1.01, Number.POSITIVE_INFINITY])
      expect(() => pairedRegret([{ d }])).toThrow(RangeError);
    for (const weight of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => pairedRegret([{ d: 0, weight }])).toThrow(RangeError);
    for (const table of [
      { losses: 3, wins: 0, n: 2 },
      { losses: -1, wins: 0, n: 2 },
      { losses: 0.5, wins: 0, n: 2 },
      { losses: 0, wins: 0, n: Number.NaN },
    ])
      expect(() => binaryRegret(table)).toThrow(RangeError);
    expect(() => binaryRegret({ losses: 0, wins: 0, n: 1 }, 1)).toThrow(RangeError);
  });

  it("stays sound at a million pairs: one part in a million, neither lost nor doubled", () => {
    // In the limit of rare losses the ends, times n, are 1 − z² and the larger root of (x − 1)² = z²·x.
    near(measured(binaryRegret({ losses: 1, wins: 0, n: 1_000_000 })), [-2.8414e-6, 5.6648e-6], 9);
    const all = measured(binaryRegret({ losses: 1_000_000, wins: 0, n: 1_000_000 }));
    expect(all.high).toBe(1);
    expect(all.low).toBeGreaterThan(0.99999);
  });
});

describe("merged identical inputs", () => {
  it("weigh in the mean", () => {
    const regret = measured(pairedRegret([{ d: 1, weight: 3 }, { d: 0, weight: 1 }, ...Array(96).fill({ d: 0 })]));
    expect(regret.mean).toBeCloseTo(3 / 100, 12);
    expect(regret.n).toBe(98);
  });

  it("are one item however often they were seen: weights add no certainty", () => {
    const once = measured(pairedRegret(Array.from({ length: 80 }, () => ({ d: 0 }))));
    const often = measured(pairedRegret(Array.from({ length: 80 }, () => ({ d: 0, weight: 50 }))));
    expect(often).toEqual(once);
    const skewed = measured(pairedRegret(Array.from({ length: 80 }, (_, i) => ({ d: 0, weight: i === 0 ? 200 : 1 }))));
    expect(skewed.high).toBeGreaterThan(3 * once.high);
    expect(skewed.clustering?.largestShare).toBeCloseTo(200 / 279, 12);
    expect(skewed.clustering?.sufficient).toBe(false);
  });

  it("count the same whatever unit their weights are in", () => {
    const weights = [1, 4, 2, 9, 1, 1, 3, 2, 1, 1];
    const scaled = (factor: number) =>
      measured(pairedRegret(weights.map((weight, i) => ({ d: i === 2 ? 1 : 0, weight: weight * factor }))));
    expect(scaled(0.01).high).toBeCloseTo(scaled(1).high, 12);
    expect(scaled(0.01).clustering?.deff).toBeCloseTo(scaled(1).clustering?.deff ?? Number.NaN, 12);
  });
});
