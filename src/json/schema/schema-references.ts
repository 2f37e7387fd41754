/** References of a schema: those that lead nowhere, and circles that a validator would follow without end. */
import type { Schema } from "@cfworker/json-schema";
import { pointerTo } from "../pointer.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import type { SchemaFault } from "./schema-faults.ts";
import { subschemas } from "./schema-keywords.ts";

/** Every schema of a document by its absolute URI, as the library resolved it. */
export type SchemaLookup = Readonly<Record<string, Schema | boolean>>;

/** Keywords whose schemas apply to the same value: a circle through these and `$ref` alone never ends. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

const MAX_CHAIN = 500;

export function referenceFaults(lookup: SchemaLookup): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const settled = new Set<unknown>();
  const open = new Set<unknown>();
  const follow = (node: unknown, pointer: string): void => {
    if (!isRecord(node) || settled.has(node)) return;
    if (open.has(node) || open.size > MAX_CHAIN) {
      faults.push({ pointer, message: "refers in a circle to itself" });
      return;
    }
    open.add(node);
    const target = targetOf(node, lookup);
    if (target === null) faults.push(unresolved(pointer, node));
    else follow(target, pointer);
    for (const [path, child] of subschemas(node)) {
      if (IN_PLACE.includes(String(path[0]))) follow(child, path.reduce<string>(pointerTo, pointer));
    }
    open.delete(node);
    settled.add(node);
  };
  for (const [uri, schema] of Object.entries(lookup)) follow(schema, fragmentOf(uri));
  return faults;
}

/** The schema a `$ref` leads to; `undefined` without one, `null` where it leads nowhere. */
export function targetOf(node: JsonRecord, lookup: SchemaLookup): Schema | boolean | null | undefined {
  if (node["$ref"] === undefined) return undefined;
  const uri = node["__absolute_ref__"];
  return (typeof uri === "string" ? lookup[uri] : undefined) ?? null;
}

function unresolved(pointer: string, node: JsonRecord): SchemaFault {
  const message = `refers to ${String(node["$ref"])}, which is not in the schema; remote schemas are not fetched`;
  return { pointer: pointerTo(pointer, "$ref"), message };
}

export function fragmentOf(uri: string): string {
  const fragment = new URL(uri).hash.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
