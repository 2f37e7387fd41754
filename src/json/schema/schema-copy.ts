/**
 * A schema as the validator library needs it: a copy of its own, because the library writes into what it is given, and
 * without the places where it would read something the standard does not mean.
 */
import { isRecord, type JsonRecord } from "../record.ts";
import type { SchemaDraft } from "./schema-draft.ts";
import { shapeOf } from "./schema-keywords.ts";

/** Identifiers that count only where a schema stands, not in an unknown keyword; `id` is of draft-04. */
const IDENTIFIERS = ["$id", "id", "$anchor"];

/** In draft-07 these are all that counts beside a `$ref`. */
const BESIDE_REF = ["$ref", "definitions", "$defs"];

export function copySchema(schema: unknown, draft: SchemaDraft): unknown {
  if (!isRecord(schema)) return schema;
  const onlyRef = draft === "7" && typeof schema["$ref"] === "string";
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "id" || (onlyRef && !BESIDE_REF.includes(keyword))) continue;
    define(copy, keyword, copyKeyword(keyword, value, draft));
  }
  return copy;
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
