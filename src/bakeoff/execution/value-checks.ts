import { compilePattern } from "../../json/pattern/pattern.ts";
import { valueAt } from "../../json/pointer.ts";
import { compileSchema } from "../../json/schema/validate.ts";
import { TooManySteps } from "../../json/steps.ts";
import { canonicalJson } from "../../route/canonical.ts";
import type { NumberNear, ValueCheck, ValueExpectation } from "../../route/route.ts";

interface CheckedValues {
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
  if ("regex" in expect) return typeof value === "string" && matchesWithinSteps(expect.regex, value);
  if ("equals" in expect) return sameJson(value, expect.equals);
  if ("one_of" in expect) return expect.one_of.some((allowed) => sameJson(value, allowed));
  if ("length" in expect) return Array.isArray(value) && within(value.length, expect.length);
  if ("schema" in expect) {
    const validate = compileSchema(expect.schema);
    return validate.ok && validate.value(value).valid;
  }
  if (typeof value !== "number") return false;
  return "value" in expect.number ? near(value, expect.number) : within(value, expect.number);
}

/** A text that cannot be judged within the steps of one check does not meet it. */
function matchesWithinSteps(regex: string, text: string): boolean {
  const pattern = compilePattern(regex);
  if (!pattern.ok) return false;
  try {
    return pattern.value.test(text);
  } catch (error) {
    if (error instanceof TooManySteps) return false;
    throw error;
  }
}

function within(
  value: number,
  {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
  }: { min?: number | undefined; max?: number | undefined },
): boolean {
  return value >= min && value <= max;
}

/** 0.1 + 0.2 is 0.3 here: what a decimal loses on its way to binary is no difference. */
function near(value: number, { value: expected, tolerance, relative }: NumberNear): boolean {
  const allowed = tolerance ?? Math.abs(expected) * (relative ?? 0);
  return Math.abs(value - expected) <= allowed + 4 * Number.EPSILON * Math.max(Math.abs(expected), Math.abs(value));
}

function sameJson(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
