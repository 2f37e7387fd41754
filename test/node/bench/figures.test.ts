import { describe, expect, it } from "vitest";
import { type Figure, median, meetsGoal, tableOf } from "../../bench/figures.ts";

const figure = (more: Partial<Figure>): Figure => ({ what: "throughput", value: 0.5, unit: "×", ...more });

describe("a goal", () => {
  it.each([
    [0.7, { least: 0.7 }, true],
    [0.69, { least: 0.7 }, false],
    [15, { most: 15 }, true],
    [15.1, { most: 15 }, false],
  ])("%d against %o is met: %s", (value, goal, met) => {
    expect(meetsGoal(figure({ value, goal }))).toBe(met);
  });

  it("is neither met nor missed where there is none, or where nothing was measured against it", () => {
    expect(meetsGoal(figure({}))).toBeUndefined();
    expect(meetsGoal(figure({ value: Number.NaN, goal: { least: 1 } }))).toBe(false);
  });
});

describe("the median", () => {
  it.each([
    [[3], 3],
    [[10, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])("of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("of nothing is not a number, so that no goal is met by it", () => {
    expect(median([])).toBeNaN();
  });
});

describe("the table", () => {
  it("shows figure, goal and verdict of every section in aligned columns", () => {
    const table = tableOf([
      { section: "gateway", figures: [figure({ value: 0.712, goal: { least: 0.7 }, detail: "16 connections" })] },
      { section: "cli", figures: [figure({ what: "help", value: 1234.5, unit: "ms", goal: { most: 250 } })] },
    ]);
    expect(table.split("\n")).toEqual([
      "section  what        measured  goal              detail",
      "gateway  throughput  0.71 ×    ≥ 0.70 ×  met     16 connections",
      "cli      help        1,235 ms  ≤ 250 ms  MISSED",
    ]);
  });
});
