/** Small judgments on one schema part that fitting to a strict mode needs. */
import { isRecord, type JsonRecord } from "../record.ts";

/** Keywords that narrow a value and leave its shape alone. */
export const NARROWING: readonly string[] = [
  ...["format", "pattern", "minLength", "maxLength"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"],
  ...["minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies"],
  ...["unevaluatedProperties", "not", "if", "then", "else"],
];

const NOTES = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];
const OTHER_NOTES = ["$comment", "$schema", "$id", "$anchor"];
const MAX_CONSTRAINT = 300;

/** What a part says for people, and other keywords without effect on values. */
export function notesOf(part: JsonRecord): Record<string, string> {
  const notes: Record<string, string> = {};
  for (const [key, value] of Object.entries(part)) {
    if ((key === "title" || key === "description") && typeof value === "string") notes[key] = value;
  }
  return notes;
}

export function isNote(keyword: string): boolean {
  return NOTES.includes(keyword) || OTHER_NOTES.includes(keyword);
}

/** The types a part names, or that its other keywords imply. */
export function typesOf(part: JsonRecord): readonly string[] | undefined {
  const { type, enum: values } = part;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  if (Object.hasOwn(part, "const")) return [typeOfValue(part["const"])];
  if (Array.isArray(values) && values.length > 0) return [...new Set((values as unknown[]).map(typeOfValue))];
  if (part["properties"] !== undefined) return ["object"];
  if (part["items"] !== undefined || part["prefixItems"] !== undefined) return ["array"];
  if (part["minLength"] !== undefined || part["maxLength"] !== undefined || part["pattern"] !== undefined)
    return ["string"];
  return undefined;
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** A fitted part (types in a list) that also takes null. */
export function orNull(part: JsonRecord): Record<string, unknown> {
  if (Array.isArray(part["anyOf"])) {
    const alternatives: unknown[] = part["anyOf"];
    const has = alternatives.some((alternative) => isRecord(alternative) && takesNull(alternative));
    return has ? { ...part } : { ...part, anyOf: [...alternatives, { type: "null" }] };
  }
  if (part["type"] === undefined || Object.hasOwn(part, "const")) return { anyOf: [part, { type: "null" }] };
  if (takesNull(part)) return { ...part };
  const { enum: values } = part;
  const types = Array.isArray(part["type"]) ? (part["type"] as unknown[]) : [part["type"]];
  return {
    ...part,
    type: [...types, "null"],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}

function takesNull({ type }: JsonRecord): boolean {
  return type === "null" || (Array.isArray(type) && type.includes("null"));
}

/** Keywords as a sentence for the model, e.g. `Constraints: minLength 3; pattern "^a"`. */
export function constraintText(
  constraints: readonly (readonly [keyword: string, value: unknown])[],
): string | undefined {
  if (constraints.length === 0) return undefined;
  const words = constraints.map(([keyword, value]) => `${keyword} ${JSON.stringify(value).slice(0, MAX_CONSTRAINT)}`);
  return `Constraints: ${words.join("; ")}`;
}
