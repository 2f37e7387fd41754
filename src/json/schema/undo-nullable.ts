/**
 * Takes back what a strict mode without absent properties adds: with `openai` a property that may be absent is sent as
 * required and nullable, so the model writes null where it means "absent", which the original schema may not accept.
 */
import { arrayAt, isRecord, type JsonRecord, recordAt } from "../record.ts";
import { isJsonObject } from "./rule.ts";
import { acceptedBy } from "./schema-check.ts";
import { openSchema, type SchemaDocument } from "./schema-document.ts";

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

function undo(document: SchemaDocument, part: unknown, value: unknown): unknown {
  if (!isRecord(part) || typeof value !== "object" || value === null) return value;
  let result: unknown = undo(document, document.targets.get(part), value);
  for (const branch of listAt(part, "allOf")) result = undo(document, branch, result);
  result = undoAlternatives(document, [...listAt(part, "anyOf"), ...listAt(part, "oneOf")], result);
  if (Array.isArray(result)) return undoItems(document, part, result);
  return isJsonObject(result) ? undoProperties(document, part, result) : result;
}

/** Of alternatives, the first under which the value comes out conformant is the one that was meant. */
function undoAlternatives(document: SchemaDocument, alternatives: readonly unknown[], value: unknown): unknown {
  for (const alternative of alternatives) {
    const undone = undo(document, alternative, value);
    if (accepts(document, alternative, undone)) return undone;
  }
  return value;
}

function undoItems(document: SchemaDocument, part: JsonRecord, items: readonly unknown[]): unknown[] {
  const prefix = Array.isArray(part["items"]) ? listAt(part, "items") : listAt(part, "prefixItems");
  const rest = Array.isArray(part["items"]) ? part["additionalItems"] : part["items"];
  return items.map((item, index) => undo(document, prefix[index] ?? rest, item));
}

function undoProperties(document: SchemaDocument, part: JsonRecord, value: JsonRecord): JsonRecord {
  const properties = recordAt(part, "properties") ?? {};
  const required = listAt(part, "required");
  const entries = Object.entries(value).flatMap(([name, entry]): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) return [[name, undo(document, part["additionalProperties"], entry)]];
    const absent = entry === null && !required.includes(name) && !accepts(document, property, null);
    return absent ? [] : [[name, undo(document, property, entry)]];
  });
  return Object.fromEntries(entries);
}

function accepts(document: SchemaDocument, part: unknown, value: unknown): boolean {
  return acceptedBy(document, part, value);
}

function listAt(part: JsonRecord, keyword: string): readonly unknown[] {
  return arrayAt(part, keyword) ?? [];
}
