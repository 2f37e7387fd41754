import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nanoUsd } from "../../src/money/nano-usd.ts";
import { type CostSample, effectiveCost, pairedCostRatio } from "../../src/stats/cost.ts";
import { percentile } from "../../src/stats/percentile.ts";
import { wilson } from "../../src/stats/wilson.ts";

const counts = fc.nat({ max: 5_000 }).chain((n) => fc.tuple(fc.nat({ max: n }), fc.constant(n)));

describe("Wilson's interval", () => {
  it("lies within [0, 1], holds the rate, and is never without width", () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const interval = wilson(k, n);
        if (n === 0) {
          expect(interval).toBeUndefined();
          return;
        }
        const { low, high } = interval ?? { low: Number.NaN, high: Number.NaN };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(k / n);
        expect(high).toBeGreaterThanOrEqual(k / n);
        expect(high).toBeGreaterThan(low);
      }),
    );
  });

  it("mirrors when successes and failures change places, and rises with every success", () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        fc.pre(n > 0);
        expect(wilson(n - k, n)?.low).toBeCloseTo(1 - (wilson(k, n)?.high ?? Number.NaN), 12);
        if (k < n) expect(wilson(k + 1, n)?.low).toBeGreaterThan(wilson(k, n)?.low ?? Number.NaN);
      }),
    );
  });
});

const sample: fc.Arbitrary<CostSample> = fc.record({
  cost: fc.integer({ min: 1, max: 50_000_000 }).map(nanoUsd),
  conformant: fc.boolean(),
});
const pairs = fc.array(fc.tuple(sample, sample), { minLength: 1, maxLength: 80 });

describe("cost per thousand conformant outputs", () => {
  it("is all that was spent over what conformed, whatever the order, and never below the spend itself", () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 80 }), (samples) => {
        const measured = effectiveCost(samples);
        if (measured.status !== "measured") {
          expect(samples.some(({ conformant }) => conformant)).toBe(false);
          return;
        }
        const spent = samples.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
        expect(measured.per1k).toBeGreaterThanOrEqual((1000 * spent) / samples.length);
        expect(effectiveCost([...samples].reverse())).toMatchObject({ status: "measured", per1k: measured.per1k });
        if (measured.interval) {
          expect(measured.interval.low).toBeLessThanOrEqual(measured.per1k);
          expect(measured.interval.high).toBeGreaterThanOrEqual(measured.per1k);
        }
      }),
    );
  });

  it("has no interval on few samples, and no figure where one price is unknown", () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 29 }), (samples) => {
        const measured = effectiveCost(samples);
        if (measured.status === "measured") expect(measured.interval).toBeUndefined();
        expect(effectiveCost([...samples, { cost: undefined, conformant: true }])).toEqual({
          status: "unpriced",
          missing: 1,
        });
      }),
    );
  });
});

describe("the paired cost ratio", () => {
  it("turns over with its arms, interval and all, and is 1 of an arm with itself", () => {
    fc.assert(
      fc.property(pairs, (both) => {
        const [a, b] = [both.map(([first]) => first), both.map(([, second]) => second)];
        const [there, back] = [pairedCostRatio(a, b), pairedCostRatio(b, a)];
        if (there === undefined || back === undefined) {
          expect(there).toBe(back);
          return;
        }
        expect(there.ratio * back.ratio).toBeCloseTo(1, 9);
        expect(there.interval === undefined).toBe(back.interval === undefined);
        if (there.interval && back.interval) expect(there.interval.low * back.interval.high).toBeCloseTo(1, 6);
        expect(pairedCostRatio(a, a)?.ratio).toBeCloseTo(1, 12);
      }),
    );
  });
});

describe("a percentile", () => {
  it("lies between the values, rises with p, and meets the ends", () => {
    const values = fc
      .array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 })
      .map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(values, fc.nat({ max: 100 }), fc.nat({ max: 100 }), (ascending, p, q) => {
        expect(percentile(ascending, 0)).toBe(ascending[0]);
        expect(percentile(ascending, 100)).toBe(ascending.at(-1));
        const [lower, upper] = [percentile(ascending, Math.min(p, q)), percentile(ascending, Math.max(p, q))];
        expect(upper).toBeGreaterThanOrEqual(lower * (1 - 1e-12));
      }),
    );
  });
});
