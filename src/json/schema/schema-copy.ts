/** A schema as the validator reads it: a copy of its own, in which what the drafts write differently is written alike. */
import { isRecord, type JsonRecord } from "../record.ts";
import { isOfLaterDraft, refStandsAlone, type SchemaDraft } from "./schema-draft.ts";
import { shapeOf } from "./schema-keywords.ts";

/** Identifiers that count only where a schema stands, not in an unknown keyword. */
const IDENTIFIERS = ["$id", "id", "$anchor"];
const BESIDE_REF = ["$ref", "definitions", "$defs"];
const EXCLUSIVE: Readonly<Record<string, string>> = { minimum: "exclusiveMinimum", maximum: "exclusiveMaximum" };

/** Of a well-formed schema. What its draft ignores is left out; draft-04's `id` and boolean bounds are rewritten. */
export function copySchema(schema: unknown, draft: SchemaDraft): unknown {
  if (!isRecord(schema)) return schema;
  const onlyRef = refStandsAlone(draft) && typeof schema["$ref"] === "string";
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (onlyRef && !BESIDE_REF.includes(keyword)) continue;
    if (isOfLaterDraft(keyword, draft)) continue;
    if (draft === "4" && rewriteDraft04(copy, schema, keyword, value)) continue;
    if (keyword === "id") continue;
    define(copy, keyword, copyKeyword(keyword, value, draft));
  }
  return copy;
}

/** Writes what draft-04 says in its own way; false where the keyword means the same today. */
function rewriteDraft04(copy: Record<string, unknown>, schema: JsonRecord, keyword: string, value: unknown): boolean {
  if (keyword === "id") {
    if (typeof value === "string") copy["$id"] = value;
    return true;
  }
  if (keyword === "exclusiveMinimum" || keyword === "exclusiveMaximum") return typeof value === "boolean";
  const exclusive = EXCLUSIVE[keyword];
  if (exclusive === undefined || schema[exclusive] !== true) return false;
  copy[exclusive] = value;
  return true;
}

function copyKeyword(keyword: string, value: unknown, draft: SchemaDraft): unknown {
  switch (shapeOf(keyword)) {
    case "schema":
      return copySchema(value, draft);
    case "schema-list":
    case "schema-or-list":
      return Array.isArray(value) ? value.map((child) => copySchema(child, draft)) : copySchema(value, draft);
    case "schema-map":
    case "schema-or-strings-map":
      return isRecord(value) ? mapValues(value, (child) => copySchema(child, draft)) : value;
    case undefined:
      return copyUnknown(value);
    default:
      return value;
  }
}

/** Kept, because a `$ref` may point into it (`#/components/schemas/…`), but nothing in it is an identifier. */
function copyUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyUnknown);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, entry]) => !(IDENTIFIERS.includes(key) && typeof entry === "string"),
  );
  return mapValues(Object.fromEntries(kept), copyUnknown);
}

function mapValues(record: JsonRecord, change: (value: unknown) => unknown): JsonRecord {
  const changed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) define(changed, key, change(value));
  return changed;
}

/** Sets a property as data, also one called `__proto__`. */
function define(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
}
