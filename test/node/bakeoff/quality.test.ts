import { beforeAll, describe, expect, it } from "vitest";
import { goldenScore } from "../../../src/bakeoff/execution/golden-score.ts";
import { metricOf, qualityOf } from "../../../src/bakeoff/execution/quality.ts";
import type { JudgeChoice } from "../../../src/bakeoff/judge/judge-choice.ts";
import type { Route } from "../../../src/route/route.ts";
import { twoArmRoute } from "../../support/bakeoff/bakeoff-run.ts";

let route: Route;
let checked: Route;
let free: Route;
beforeAll(async () => {
  route = await twoArmRoute();
  checked = {
    ...route,
    valueChecks: [
      { path: "/a", expect: { exists: true }, gate: true },
      { path: "/b", expect: { exists: true }, gate: false },
    ],
  };
  const { output: _, ...withoutSchema } = route;
  free = withoutSchema;
});

describe("agreement with a golden", () => {
  for (const [why, expected, output, score] of [
    ["equal JSON agrees wholly, whatever the order of its keys", { a: 1, b: [2] }, { b: [2], a: 1 }, 1],
    ["a wrong leaf of four costs a quarter", { a: 1, b: 2, c: 3, d: 4 }, { a: 1, b: 2, c: 3, d: 5 }, 0.75],
    ["a missing leaf counts", { a: 1, b: 2 }, { a: 1 }, 0.5],
    ["an invented leaf counts as well", { a: 1 }, { a: 1, b: 2 }, 0.5],
    ["null and absent are the same", { a: 1, b: null }, { a: 1 }, 1],
    ["an empty list is something", { a: [] }, { a: null }, 0],
    ["an empty list equals an empty list", { a: [] }, { a: [] }, 1],
    ["an empty list is no empty map", { a: [] }, { a: {} }, 0],
    ["lists are compared by place", ["x", "y"], ["y", "x"], 0],
    ["texts without regard to case, width and spacing", { a: "Late  parcel " }, { a: "late\nparcel" }, 1],
    ["a number is not its text", { a: 1 }, { a: "1" }, 0],
    ["a number lost nothing but a rounding of its bits", { a: 0.3 }, { a: 0.1 + 0.2 }, 1],
    ["a rounded number is another", { a: 1.25 }, { a: 1.3 }, 0],
    ["a truth is no number", { a: true }, { a: 1 }, 0],
    ["text by its words", "Refund ", "refund", 1],
    ["text that says more is another", "refund", "a refund", 0],
    ["a JSON answer is compared by its text", "42", 42, 1],
    ["a key that looks like a pointer stays apart", { "a/b": 1 }, { a: { b: 1 } }, 0],
  ] as const) {
    it(why, () => expect(goldenScore(expected, output)).toBeCloseTo(score, 12));
  }
});

describe("the metric of a report", () => {
  const judge: JudgeChoice = {
    type: "judge",
    candidate: { key: "x/y", provider: "x", model: "y", params: {}, trial: true },
    other: { key: "x/z", provider: "x", model: "z", params: {}, trial: false },
    maxPairs: 5,
    arms: ["cheap"],
    against: "default",
    refused: {},
  };
  const golden = { golden: 1 };

  it("is goldens where at least half of the inputs carry one", () => {
    expect(metricOf(checked, [golden, {}], judge)).toBe("golden");
    expect(metricOf(checked, [golden, {}, {}], judge)).toBe("value_accuracy");
  });

  it("is a judge where nothing deterministic is declared, and conformance where no judge may judge", () => {
    expect(metricOf(route, [{}], judge)).toBe("judge");
    expect(metricOf(route, [{}], { type: "none", reason: "of the family" })).toBe("conformance");
  });

  it("is none where neither schema, golden, check nor judge can tell", () => {
    expect(metricOf(free, [{}], undefined)).toBeUndefined();
    expect(metricOf(free, [golden], undefined)).toBe("golden");
  });
});

describe("the quality of a sample", () => {
  it("is the share of value checks that passed, gates or not", () => {
    const graded = { outcome: "conformant", output: {}, checks: { passed: 1, failed: 1 } } as const;
    expect(qualityOf("value_accuracy", checked, {}, graded)).toEqual({ metric: "value_accuracy", score: 0.5 });
  });

  it("is 0 for what was sent and brought no output, by whatever metric", () => {
    const failed = { outcome: "failed" } as const;
    expect(qualityOf("golden", route, { golden: { a: 1 } }, failed)).toEqual({ metric: "golden", score: 0 });
    expect(qualityOf("value_accuracy", checked, {}, failed)).toEqual({ metric: "value_accuracy", score: 0 });
    expect(qualityOf("conformance", route, {}, failed)).toEqual({ metric: "conformance", score: 0 });
  });

  it("names another metric where the report's does not apply to the input", () => {
    const graded = { outcome: "conformant", output: { a: 1 }, checks: { passed: 2, failed: 0 } } as const;
    expect(qualityOf("golden", checked, {}, graded)).toEqual({ metric: "value_accuracy", score: 1 });
    expect(qualityOf("golden", route, {}, graded)).toEqual({ metric: "conformance", score: 1 });
    expect(qualityOf("value_accuracy", checked, { golden: 1 }, graded)?.metric).toBe("value_accuracy");
  });

  it("is absent for what was not sent, and where nothing can grade", () => {
    expect(qualityOf("conformance", route, {}, { outcome: "refused" })).toBeUndefined();
    expect(qualityOf("golden", free, {}, { outcome: "ungraded", output: "x" })).toBeUndefined();
  });
});
