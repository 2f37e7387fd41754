/** Checks that the validator accepts a JSON Schema written in a bundle and enforces all of it. */
import { findUnsupported } from "../json/schema/unsupported.ts";
import { compileSchema } from "../json/schema/validate.ts";
import type { JsonSchema } from "../wire/chat.ts";
import type { Fault, KeyPath } from "./fault.ts";
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
  ];
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
