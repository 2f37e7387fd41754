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

/** Value at a JSON pointer (RFC 6901); `undefined` where nothing is there. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const escaped of pointer.split("/").slice(1)) {
    const key = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
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
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        sameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
    )
  );
}
