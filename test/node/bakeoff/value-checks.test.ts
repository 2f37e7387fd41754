import { describe, expect, it } from "vitest";
import { checkValues } from "../../../src/bakeoff/execution/value-checks.ts";
import type { ValueExpectation } from "../../../src/route/route.ts";

const output = {
  cagr: "12.5%",
  total: 42,
  loss: -0.30000000000000004,
  tags: ["a", "b"],
  nested: { "a/b": null, "c~d": { x: 1 } },
};

const holds = (path: string, expectation: ValueExpectation): boolean =>
  checkValues(output, [{ path, expect: expectation, gate: true }]).gatesPassed;

describe("value checks", () => {
  for (const [path, expectation, result] of [
    ["/cagr", { regex: "^[0-9.]+%$" }, true],
    ["/cagr", { regex: "^[a-z]+$" }, false],
    ["/total", { regex: "4" }, false],
    ["/total", { number: { min: 42, max: 42 } }, true],
    ["/total", { number: { min: 42.1 } }, false],
    ["/cagr", { number: { min: 0 } }, false],
    ["/total", { number: { value: 42 } }, true],
    ["/total", { number: { value: 42.001 } }, false],
    ["/total", { number: { value: 40, tolerance: 2 } }, true],
    ["/total", { number: { value: 40, tolerance: 1.99 } }, false],
    ["/total", { number: { value: 40, relative: 0.05 } }, true],
    ["/total", { number: { value: 40, relative: 0.04 } }, false],
    ["/loss", { number: { value: -0.2, relative: 0.6 } }, true],
    ["/loss", { number: { value: 0.2, tolerance: 0.1 } }, false],
    ["/cagr", { number: { value: 12.5 } }, false],
    ["/tags", { length: { min: 2, max: 2 } }, true],
    ["/tags", { length: { min: 3 } }, false],
    ["/tags", { length: { max: 1 } }, false],
    ["/cagr", { length: { min: 1 } }, false],
    ["/tags", { schema: { type: "array", items: { enum: ["a", "b"] } } }, true],
    ["/tags", { schema: { type: "array", items: { enum: ["a"] } } }, false],
    ["/none", { schema: {} }, false],
    ["/tags", { equals: ["a", "b"] }, true],
    ["/tags", { equals: ["b", "a"] }, false],
    ["/tags", { equals: { 0: "a", 1: "b" } }, false],
    ["/tags/1", { one_of: ["a", "b"] }, true],
    ["/tags/2", { one_of: ["a", "b"] }, false],
    ["/nested/c~0d", { equals: { x: 1 } }, true],
    ["/nested/a~1b", { exists: true }, true],
    ["/nested/a~1b", { equals: null }, true],
    ["/nested/none", { exists: false }, true],
    ["/nested/none", { exists: true }, false],
    ["/toString", { exists: true }, false],
    ["", { exists: true }, true],
  ] as const satisfies readonly (readonly [string, ValueExpectation, boolean])[]) {
    it(`${path || "the whole"} ${result ? "meets" : "does not meet"} ${JSON.stringify(expectation)}`, () => {
      expect(holds(path, expectation)).toBe(result);
    });
  }

  it("counts every check and lets only gates decide", () => {
    const checks = [
      { path: "/cagr", expect: { exists: true }, gate: true },
      { path: "/total", expect: { equals: 0 }, gate: false },
    ];
    expect(checkValues(output, checks)).toEqual({ passed: 1, failed: 1, gatesPassed: true });
  });
});
