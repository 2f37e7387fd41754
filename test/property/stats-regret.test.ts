import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bettingLower, bettingUpper, counted, logWealth } from "../../src/stats/betting-bound.ts";
import { binaryRegret, type Pair, type PairedRegret, pairedRegret } from "../../src/stats/paired-regret.ts";
import { pseudoPairInterval } from "../../src/stats/pseudo-pair.ts";

const Z = 1.959963984540054;

const measured = (regret: PairedRegret | undefined): PairedRegret => {
  if (regret === undefined) throw new Error("nothing measured");
  return regret;
};

const passFail = fc.constantFrom(-1, 0, 0, 0, 0, 1);
const graded = fc.integer({ min: -20, max: 20 }).map((steps) => steps / 20);
const pairOf = (d: fc.Arbitrary<number>): fc.Arbitrary<Pair> =>
  fc.record(
    {
      d,
      cluster: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
      weight: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ["d"] },
  );
const pairs = fc.oneof(
  fc.array(pairOf(passFail), { minLength: 1, maxLength: 60 }),
  fc.array(pairOf(graded), { minLength: 1, maxLength: 60 }),
  fc.array(
    passFail.map((d): Pair => ({ d })),
    { minLength: 1, maxLength: 120 },
  ),
  fc.array(
    graded.map((d): Pair => ({ d })),
    { minLength: 1, maxLength: 120 },
  ),
);
const confidence = fc.constantFrom(0.9, 0.95, 0.975, 0.99, 0.999);

describe("regret", () => {
  it("has an interval within [-1, 1] that holds its mean and always has width", () => {
    fc.assert(
      fc.property(pairs, confidence, (list, level) => {
        const { low, mean, high } = measured(pairedRegret(list, { confidence: level }));
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(mean).toBeGreaterThanOrEqual(low - 1e-12);
        expect(mean).toBeLessThanOrEqual(high + 1e-12);
        expect(high - low).toBeGreaterThan(0);
      }),
    );
  });

  it("of the arms in each other's place is its negative, ends reversed", () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const there = measured(pairedRegret(list));
        const back = measured(pairedRegret(list.map((pair) => ({ ...pair, d: -pair.d }))));
        expect(back.mean).toBeCloseTo(-there.mean, 12);
        expect(back.low).toBeCloseTo(-there.high, 9);
        expect(back.high).toBeCloseTo(-there.low, 9);
        expect([back.losses, back.wins]).toEqual([there.wins, there.losses]);
      }),
    );
  });

  it("does not depend on the order of its pairs", () => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.nat()), (list, keys) => {
        const shuffled = list
          .map((pair) => ({ pair, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ pair }) => pair);
        const [one, other] = [measured(pairedRegret(list)), measured(pairedRegret(shuffled))];
        expect(other.low).toBeCloseTo(one.low, 9);
        expect(other.high).toBeCloseTo(one.high, 9);
      }),
    );
  });

  it("is surer of nothing for clusters and weights: they never narrow what strangers would say", () => {
    fc.assert(
      fc.property(fc.array(pairOf(passFail), { minLength: 2, maxLength: 60 }), (list) => {
        // Equal weights, so that the mean stays.
        const shared = list.map(({ d, cluster }) => ({ d, cluster }));
        const clustered = measured(pairedRegret(shared));
        const strangers = measured(pairedRegret(list.map(({ d }) => ({ d }))));
        expect(clustered.high - clustered.low).toBeGreaterThanOrEqual(strangers.high - strangers.low - 1e-9);
      }),
    );
  });
});

describe("the gate's upper bound", () => {
  const upper = (losses: number, wins: number, n: number, level: number): number =>
    measured(binaryRegret({ losses, wins, n }, level)).high;

  it("is never lowered by a worse pair: over every table of some sizes at 95%", () => {
    for (const n of [10, 20, 37, 50])
      for (let losses = 0; losses <= n; losses++)
        for (let wins = 0; losses + wins <= n; wins++) {
          const before = upper(losses, wins, n, 0.95);
          if (losses + wins < n) expect(upper(losses + 1, wins, n, 0.95)).toBeGreaterThanOrEqual(before - 1e-12);
          if (wins > 0) expect(upper(losses, wins - 1, n, 0.95)).toBeGreaterThanOrEqual(before - 1e-12);
        }
  });

  it("never turns a refusal at any margin up to a half into a pass, whatever the level", () => {
    const table = fc
      .integer({ min: 1, max: 3_000 })
      .chain((n) => fc.tuple(fc.constant(n), fc.nat({ max: n })))
      .chain(([n, losses]) => fc.tuple(fc.constant(n), fc.constant(losses), fc.nat({ max: n - losses })));
    fc.assert(
      fc.property(table, confidence, ([n, losses, wins], level) => {
        const before = Math.min(0.5, upper(losses, wins, n, level));
        if (losses + wins < n) expect(upper(losses + 1, wins, n, level)).toBeGreaterThanOrEqual(before - 1e-12);
        if (wins > 0) {
          expect(upper(losses, wins - 1, n, level)).toBeGreaterThanOrEqual(before - 1e-12);
          expect(upper(losses + 1, wins - 1, n, level)).toBeGreaterThanOrEqual(before - 1e-12);
        }
      }),
    );
  });
});

it("on pass/fail the pseudo-pair interval is Bonett and Price's", () => {
  fc.assert(
    fc.property(fc.nat({ max: 500 }), fc.nat({ max: 500 }), fc.nat({ max: 5_000 }), (losses, wins, ties) => {
      const n = losses + wins + ties;
      fc.pre(n > 0);
      const [p, q] = [(losses + 1) / (n + 2), (wins + 1) / (n + 2)];
      const reach = Z * Math.sqrt((p + q - (p - q) ** 2) / (n + 2));
      const { low, high } = pseudoPairInterval({ n, mean: (losses - wins) / n, meanSquare: (losses + wins) / n }, Z);
      expect(Math.abs(low - (p - q - reach))).toBeLessThan(1e-12);
      expect(Math.abs(high - (p - q + reach))).toBeLessThan(1e-12);
    }),
  );
});

describe("the betting bound", () => {
  const differences = fc.array(fc.oneof(passFail, graded), { minLength: 1, maxLength: 200 });
  const level = fc.constantFrom(0.1, 0.0125, 0.0005);

  it("has the mean inside it, whatever the order, and rules out no less at a wider level", () => {
    fc.assert(
      fc.property(differences, level, (list, alpha) => {
        const mean = list.reduce((sum, d) => sum + d, 0) / list.length;
        const items = counted(list);
        const [low, high] = [bettingLower(items, alpha), bettingUpper(items, alpha)];
        expect(low).toBeLessThanOrEqual(mean + 1e-9);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(bettingUpper(counted([...list].reverse()), alpha)).toBeCloseTo(high, 9);
        expect(bettingUpper(items, alpha / 10)).toBeGreaterThanOrEqual(high - 1e-9);
        expect(low).toBeCloseTo(-bettingUpper(counted(list.map((d) => 0 - d)), alpha), 9);
      }),
    );
  });

  it("grows with its margin, falls with a loss and never falls with a win", () => {
    fc.assert(
      fc.property(differences, fc.double({ min: -0.9, max: 0.8, noNaN: true }), (list, margin) => {
        const wealth = logWealth(counted(list), margin);
        expect(logWealth(counted(list), margin + 0.1)).toBeGreaterThanOrEqual(wealth - 1e-9);
        expect(logWealth(counted([...list, 1]), margin)).toBeLessThan(wealth);
        expect(logWealth(counted([...list, -1]), margin)).toBeGreaterThan(wealth);
      }),
    );
  });
});
