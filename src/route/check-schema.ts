/** Checks that the validator accepts a JSON Schema written in a bundle and enforces all of it. */

import { isRecord } from "../json/record.ts";
import { findUnsupported } from "../json/schema/unsupported.ts";
import { compileSchema } from "../json/schema/validate.ts";
import type { JsonSchema } from "../wire/chat.ts";
import { type Fault, type KeyPath, nearest } from "./fault.ts";
import type { LocatedYaml } from "./located-yaml.ts";

/** `path` is the schema's place in the document; faults point at the keyword inside. */
export function checkSchema(document: LocatedYaml, path: KeyPath, schema: JsonSchema): Fault[] {
  const at = (pointer: string) => ({ path: [...path, ...stepsInto(schema, pointer)], spot: "key" as const });
  const unsupported = findUnsupported(schema);
  const told = new Set(unsupported.map(({ pointer }) => pointer));
  const compiled = compileSchema(schema);
  const invalid = compiled.ok ? [] : compiled.error.filter(({ pointer }) => !told.has(pointer));
  return [
    ...unsupported.map(({ pointer, keyword, why }) =>
      document.fault("route.schema_unsupported", `${keyword} would not be enforced: ${why}`, at(pointer)),
    ),
    ...invalid.map(({ pointer, message }) => document.fault("route.schema_invalid", message, at(pointer))),
    ...(compiled.ok ? undeclaredRequired(document, path, schema) : []),
  ];
}

/** Keywords beside `properties` that may declare further ones. */
const DECLARING = ["patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];

/** Names that are required and that no property of the same object declares: mostly one of the two is misspelt. */
function undeclaredRequired(document: LocatedYaml, path: KeyPath, schema: unknown): Fault[] {
  if (!isRecord(schema)) return [];
  const { properties, required, items, additionalProperties } = schema;
  const parts: (readonly [KeyPath, unknown])[] = [
    [[...path, "items"], items],
    [[...path, "additionalProperties"], additionalProperties],
    ...["$defs", "definitions"].flatMap((key) => membersOf([...path, key], schema[key])),
    ...membersOf([...path, "properties"], properties),
  ];
  const inside = parts.flatMap(([at, part]) => undeclaredRequired(document, at, part));
  if (!isRecord(properties) || !Array.isArray(required) || DECLARING.some((key) => key in schema)) return inside;
  const names = Object.keys(properties);
  const own = required.flatMap((name: unknown, index) => {
    if (typeof name !== "string" || Object.hasOwn(properties, name)) return [];
    const suggestion = nearest(name, names);
    const hint = suggestion ? `; did you mean ${suggestion}?` : "";
    const message = `${name} is required, and no property declares it${hint}`;
    const place = { path: [...path, "required", index], suggestion, severity: "warning" } as const;
    return [document.fault("route.required_undeclared", message, place)];
  });
  return [...own, ...inside];
}

function membersOf(path: KeyPath, value: unknown): (readonly [KeyPath, unknown])[] {
  return isRecord(value) ? Object.entries(value).map(([key, member]) => [[...path, key], member] as const) : [];
}

/** Returns the steps of a pointer; an index into a list is a number, as in every other key path. */
function stepsInto(schema: JsonSchema, pointer: string): KeyPath {
  let current: unknown = schema;
  return pointer
    .split("/")
    .slice(1)
    .map((token) => {
      const step = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const key = Array.isArray(current) ? Number(step) : step;
      current = typeof current === "object" && current !== null ? Reflect.get(current, key) : undefined;
      return key;
    });
}
