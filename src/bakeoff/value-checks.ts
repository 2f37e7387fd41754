import { valueAt } from "../json/pointer.ts";
import { canonicalJson } from "../route/canonical.ts";
import type { ValueCheck, ValueExpectation } from "../route/route.ts";

export interface CheckedValues {
  readonly passed: number;
  readonly failed: number;
  /** Every check declared with `gate: true` passed. */
  readonly gatesPassed: boolean;
}

/** Holds an output against a route's declared values. */
export function checkValues(output: unknown, checks: readonly ValueCheck[]): CheckedValues {
  let passed = 0;
  let gatesPassed = true;
  for (const { path, expect, gate } of checks) {
    if (meets(valueAt(output, path), expect)) passed += 1;
    else if (gate) gatesPassed = false;
  }
  return { passed, failed: checks.length - passed, gatesPassed };
}

function meets(value: unknown, expect: ValueExpectation): boolean {
  if ("exists" in expect) return (value !== undefined) === expect.exists;
  if (value === undefined) return false;
  if ("regex" in expect) return typeof value === "string" && new RegExp(expect.regex, "u").test(value);
  if ("equals" in expect) return sameJson(value, expect.equals);
  if ("one_of" in expect) return expect.one_of.some((allowed) => sameJson(value, allowed));
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = expect.number;
  return typeof value === "number" && value >= min && value <= max;
}

function sameJson(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
