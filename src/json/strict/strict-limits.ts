import { isRecord, type JsonRecord } from "../record.ts";
import { schemaNodes, subschemas } from "../schema/schema-keywords.ts";
import type { StrictFault } from "./strict-fitter.ts";
import type { StrictProfile } from "./strict-profiles.ts";

const LARGE_ENUM = 250;

/** What about a fitted schema exceeds the provider's limits. */
export function limitFaults(schema: JsonRecord, { limits, objectRoot }: StrictProfile): StrictFault[] {
  const count = { properties: 0, enumValues: 0, nameCharacters: 0 };
  const faults: StrictFault[] = [];
  for (const { pointer, schema: node } of schemaNodes(schema)) {
    const names = [...Object.keys(record(node["properties"])), ...Object.keys(record(node["$defs"]))];
    const values = Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : [];
    const characters = length(values.filter((value) => typeof value === "string"));
    count.properties += Object.keys(record(node["properties"])).length;
    count.enumValues += values.length;
    count.nameCharacters +=
      length(names) + characters + length(typeof node["const"] === "string" ? [node["const"]] : []);
    if (values.length > LARGE_ENUM && characters > limits.largeEnumCharacters) {
      faults.push({ pointer, why: `an enum of ${characters} characters; ${limits.largeEnumCharacters} are taken` });
    }
  }
  const deepest = levels(schema);
  if (deepest > limits.levels) faults.push(over("", "levels", deepest, limits.levels));
  for (const name of ["properties", "enumValues", "nameCharacters"] as const) {
    if (count[name] > limits[name]) faults.push(over("", WORDS[name], count[name], limits[name]));
  }
  if (objectRoot && schema["type"] !== "object") faults.push({ pointer: "", why: "the answer must be an object" });
  return faults;
}

const WORDS = { properties: "properties", enumValues: "enum values", nameCharacters: "characters of names and values" };

function over(pointer: string, what: string, found: number, limit: number): StrictFault {
  return { pointer, why: `${found} ${what}; ${limit} are taken` };
}

/** Objects and arrays within each other, references not followed. */
function levels(schema: unknown): number {
  if (!isRecord(schema)) return 0;
  const below = Math.max(0, ...subschemas(schema).map(([, child]) => levels(child)));
  return below + (schema["properties"] !== undefined || schema["items"] !== undefined ? 1 : 0);
}

function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function length(texts: readonly unknown[]): number {
  return texts.reduce<number>((sum, text) => sum + String(text).length, 0);
}
