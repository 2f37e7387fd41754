/** One schema that says what several say together (`allOf`), where that can be written without `allOf`. */
import { isRecord, type JsonRecord } from "../record.ts";

/** Keywords of which the first schema's word is kept: they describe, they do not narrow. */
const NOTES = ["title", "description", "default", "examples", "$comment", "$schema", "$id", "$anchor", "$defs"];
const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/** The merged schema, or the keyword over which the parts cannot be merged. */
export function mergeSchemas(parts: readonly JsonRecord[]): { merged: JsonRecord } | { conflict: string } {
  const merged: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [keyword, value] of Object.entries(part)) {
      const together = Object.hasOwn(merged, keyword) ? mergeKeyword(keyword, merged[keyword], value) : value;
      if (together === undefined) return { conflict: keyword };
      merged[keyword] = together;
    }
  }
  return { merged };
}

function mergeKeyword(keyword: string, first: unknown, second: unknown): unknown {
  if (NOTES.includes(keyword) || JSON.stringify(first) === JSON.stringify(second)) return first;
  if (keyword === "properties" && isRecord(first) && isRecord(second)) return mergeProperties(first, second);
  if (keyword === "required" && Array.isArray(first) && Array.isArray(second)) {
    return [...new Set<unknown>([...first, ...second])];
  }
  if (keyword === "type" || keyword === "enum") return intersection(first, second);
  if (typeof first === "number" && typeof second === "number") {
    if (LOWER_BOUNDS.includes(keyword)) return Math.max(first, second);
    if (UPPER_BOUNDS.includes(keyword)) return Math.min(first, second);
  }
  if (keyword === "additionalProperties" && (first === false || second === false)) return false;
  return undefined;
}

function mergeProperties(first: JsonRecord, second: JsonRecord): JsonRecord {
  const shared = Object.keys(second).filter((key) => Object.hasOwn(first, key));
  const both = shared.map((key) => [key, { allOf: [first[key], second[key]] }]);
  return { ...first, ...second, ...Object.fromEntries(both) };
}

function intersection(first: unknown, second: unknown): unknown {
  const others = new Set(listed(second).map((entry) => JSON.stringify(entry)));
  const shared = listed(first).filter((entry) => others.has(JSON.stringify(entry)));
  return shared.length > 0 ? shared : undefined;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
