import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forestHead, forestRow, forestScale } from "../../../src/render/plot/forest.ts";
import { verdictMark } from "../../../src/render/plot/mark.ts";
import { paretoFront } from "../../../src/render/plot/pareto.ts";
import { linearScale, logScale } from "../../../src/render/plot/scale.ts";
import { SCATTER_FORMATS, type ScatterPoint, scatter } from "../../../src/render/plot/scatter.ts";

const finite = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe("an axis", () => {
  it("puts every value of its domain inside the plot, in order, with round ticks inside the domain", () => {
    fc.assert(
      fc.property(finite(-1, 1), finite(-1, 1), (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        fc.pre(high - low > 1e-6);
        const { at, ticks } = linearScale(low, high);
        expect(at(low)).toBeGreaterThanOrEqual(0);
        expect(at(high)).toBeLessThanOrEqual(100);
        expect(at(low)).toBeLessThan(at(high));
        expect(ticks.length).toBeLessThanOrEqual(7);
        for (const tick of ticks) {
          expect(at(tick)).toBeGreaterThanOrEqual(-1e-6);
          expect(at(tick)).toBeLessThanOrEqual(100 + 1e-6);
        }
      }),
    );
  });

  it("has a domain also where all values are one", () => {
    expect(Number.isFinite(linearScale(1, 1).at(1))).toBe(true);
    expect(Number.isFinite(logScale(0.01, 0.01).at(0.01))).toBe(true);
  });

  it("of dollars is logarithmic: equal ratios are equal distances", () => {
    const { at, ticks } = logScale(0.1, 10);
    expect(at(1) - at(0.1)).toBeCloseTo(at(10) - at(1));
    expect(ticks).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
  });
});

describe("a row of the forest plot", () => {
  const row = { estimate: 0.01, interval: { low: -0.01, high: 0.03 }, mark: "disc" } as const;
  const scale = forestScale([row], 0, 0.02);
  const axis = { scale, zero: 0, limit: 0.02, format: String };

  it("stretches with its cell: percent across, no viewBox, no text", () => {
    const { text } = forestRow(row, axis);
    expect(text).toContain('width="100%"');
    expect(text).not.toMatch(/viewBox|<text/);
    for (const [, x] of text.matchAll(/ x[12]?="([^"]*)"/g)) expect(x).toMatch(/^-?[\d.]+%$/);
  });

  it("shows zero as a solid and the limit as a dashed line, which the head names", () => {
    expect(forestRow(row, axis).text).toMatch(/class="zero".*class="limit"/);
    expect(forestHead(axis).text).toContain(">0.02</text>");
  });

  it("ends in an arrow, not in a cap, where the interval goes on beyond the axis", () => {
    const wide = { ...row, interval: { low: -0.9, high: 0.9 } };
    const { low, high } = forestScale([row, wide], 0, 0.02);
    expect([low, high]).toEqual([-0.08, 0.08]);
    const { text } = forestRow(wide, { ...axis, scale: forestScale([row, wide], 0, 0.02) });
    expect(text.split("arrow")).toHaveLength(3);
    expect(forestRow(row, axis).text).not.toContain("arrow");
  });

  it("has no bar where there is no interval: that is none of width zero", () => {
    const { text } = forestRow({ estimate: 0, mark: "diamond" }, axis);
    expect(text.split('class="stroke"')).toHaveLength(1);
  });

  it("has a mark for each verdict by its meaning", () => {
    expect(
      ["better", "equivalent", "worse", "continue", "inconclusive"].map((verdict) => verdictMark(verdict as "better")),
    ).toEqual([...["disc", "disc", "triangle", "ring", "ring"]]);
    expect(verdictMark(undefined)).toBe("square");
  });
});

describe("the Pareto front", () => {
  const point = fc.record({ cost: finite(0.001, 100), quality: finite(-1, 1) });

  it("holds every point that no other beats, and no other", () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), (points) => {
        const front = paretoFront(points);
        const beaten = (one: (typeof points)[number]): boolean =>
          points.some(
            (other) =>
              other.cost <= one.cost &&
              other.quality >= one.quality &&
              (other.cost < one.cost || other.quality > one.quality),
          );
        expect(front.every((one) => !beaten(one))).toBe(true);
        const missing = points.filter(
          (one) => !beaten(one) && !front.some((kept) => kept.cost === one.cost && kept.quality === one.quality),
        );
        expect(missing).toEqual([]);
      }),
    );
  });
});

describe("cost against quality", () => {
  const arm = (label: string, cost: number, quality: number, clears: boolean): ScatterPoint => ({
    ...{
      label,
      cost: { value: cost, low: cost * 0.9, high: cost * 1.1 },
      quality: { value: quality, low: quality - 0.02, high: quality + 0.02 },
    },
    ...{ mark: "disc", tone: "series-1", ringed: false, clears },
  });
  const draw = (points: readonly ScatterPoint[], format: keyof typeof SCATTER_FORMATS = "wide") =>
    scatter(
      {
        points,
        costTitle: "$",
        qualityTitle: "pts",
        formatCost: String,
        formatQuality: String,
        floor: -0.04,
        ceiling: 4,
      },
      format,
      "said",
    ).text;

  it("joins only arms whose bound clears", () => {
    const points = [arm("cheap", 0.5, -0.01, false), arm("default", 3, 0, true), arm("dear", 5, 0.1, true)];
    expect(draw(points).split('class="front"')).toHaveLength(2);
    expect(draw(points.map((one) => ({ ...one, clears: false })))).not.toContain('class="front"');
  });

  it("gives labels of arms at one place a line each, within the plot", () => {
    for (const format of ["wide", "narrow"] as const) {
      const text = draw(
        Array.from({ length: 8 }, (_, index) => arm(`arm-${index}`, 1, 0, true)),
        format,
      );
      const places = [
        ...text.matchAll(
          /<svg x="[^"]*" y="([\d.]+)"[^>]*><line class="leader"[^>]*><text class="label" x="[^"]*" y="([-\d.]+)"/g,
        ),
      ].map((match) => Number(match[1]) + Number(match[2]));
      expect(places).toHaveLength(8);
      for (const [index, place] of places.entries())
        if (index > 0) expect(place - (places[index - 1] ?? 0)).toBeGreaterThanOrEqual(14.9);
      expect(Math.min(...places)).toBeGreaterThan(0);
      expect(Math.max(...places)).toBeLessThan(SCATTER_FORMATS[format].height - 40);
    }
  });

  it("says what it shows to who cannot see it, and scales no text", () => {
    expect(draw([arm("a", 1, 0, true)])).toMatch(/role="img" aria-label="said"/);
    expect(draw([arm("a", 1, 0, true)])).not.toContain("viewBox");
  });
});
