/** Comparison of JSON values by a text that equal values share. */
import { exactText } from "../exact-numbers.ts";
import { isRecord } from "../record.ts";
import type { Steps } from "../steps.ts";

/** Sorted keys, numbers by value. `exact` keeps integers apart that are one double. Throws `TooManySteps`. */
export function jsonText(value: unknown, steps: Steps, exact = false): string {
  steps.take();
  const digits = exactText(value);
  if (digits !== undefined) return exact ? digits : String(Number(digits));
  if (typeof value === "string") {
    steps.take(value.length >> 4);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, steps, exact)).join(",")}]`;
  if (!isRecord(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${jsonText(value[key], steps, exact)}`).join(",")}}`;
}
