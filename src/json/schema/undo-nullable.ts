/**
 * Takes back what a strict mode without absent properties adds: with `openai` a property that may be absent is sent as
 * required and nullable, so the model writes null where it means "absent", which the original schema may not accept.
 */
import type { Schema } from "@cfworker/json-schema";
import { isRecord, type JsonRecord } from "../record.ts";
import { accepts, openSchema, referenced, type SchemaDocument } from "./schema-document.ts";

type Part = Schema | boolean | undefined;

/**
 * The value without the nulls that stand for absent properties: those of a property that `schema` declares, does not
 * require and does not let be null. Other nulls stay. The value given is not modified. A value that cannot be walked
 * (a schema that does not compile, nesting beyond the stack) comes back as it is.
 */
export function undoNullable(schema: unknown, value: unknown): unknown {
  const document = openSchema(schema);
  if (!document.ok) return value;
  try {
    return undo(document.value, document.value.root, value);
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
}

function undo(document: SchemaDocument, part: Part, value: unknown): unknown {
  if (!isRecord(part) || typeof value !== "object" || value === null) return value;
  const schema = part as Schema;
  let result: unknown = undo(document, referenced(document, schema), value);
  for (const branch of schema.allOf ?? []) result = undo(document, branch, result);
  result = undoAlternatives(document, schema.anyOf ?? schema.oneOf ?? [], result);
  if (Array.isArray(result)) return undoItems(document, schema, result);
  return isRecord(result) ? undoProperties(document, schema, result) : result;
}

/** Of alternatives, the first under which the value comes out conformant is the one that was meant. */
function undoAlternatives(document: SchemaDocument, alternatives: readonly Part[], value: unknown): unknown {
  for (const alternative of alternatives) {
    if (alternative === undefined) continue;
    const undone = undo(document, alternative, value);
    if (accepts(document, alternative, undone)) return undone;
  }
  return value;
}

function undoItems(document: SchemaDocument, schema: Schema, items: readonly unknown[]): unknown[] {
  const { prefixItems = [], items: rest } = schema;
  return items.map((item, index) =>
    undo(document, prefixItems[index] ?? (Array.isArray(rest) ? rest[index] : rest), item),
  );
}

function undoProperties(document: SchemaDocument, schema: Schema, value: JsonRecord): JsonRecord {
  const { properties = {}, required = [], additionalProperties } = schema;
  const entries = Object.entries(value).flatMap(([name, entry]): [string, unknown][] => {
    const property: Part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return [[name, undo(document, additionalProperties, entry)]];
    const absent = entry === null && !required.includes(name) && !accepts(document, property, null);
    return absent ? [] : [[name, undo(document, property, entry)]];
  });
  return Object.fromEntries(entries);
}
