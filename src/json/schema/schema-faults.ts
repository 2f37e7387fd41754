/** Is a document a well-formed JSON Schema? Written wrongly, a keyword would be ignored and nothing enforced. */
import { patternFault } from "../pattern/pattern.ts";
import { pointerTo } from "../pointer.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import { isOfLaterDraft, type SchemaDraft } from "./schema-draft.ts";
import { type KeywordShape, schemaNodes, shapeOf } from "./schema-keywords.ts";

export interface SchemaFault {
  /** JSON pointer into the schema. */
  readonly pointer: string;
  readonly message: string;
}

const MAX_SCHEMA_DEPTH = 100;
const MAX_SCHEMA_NODES = 50_000;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

export function schemaFaults(schema: unknown, draft: SchemaDraft = "2020-12"): SchemaFault[] {
  if (typeof schema === "boolean") return [];
  if (!isRecord(schema)) return [{ pointer: "", message: "a schema is an object or a boolean" }];
  const faults: SchemaFault[] = [];
  let nodes = 0;
  for (const node of schemaNodes(schema)) {
    nodes += 1;
    if (node.depth > MAX_SCHEMA_DEPTH) {
      return [{ pointer: node.pointer, message: `nested deeper than ${MAX_SCHEMA_DEPTH} schemas` }];
    }
    if (nodes > MAX_SCHEMA_NODES) return [{ pointer: "", message: `holds more than ${MAX_SCHEMA_NODES} schemas` }];
    faults.push(...keywordFaults(node.pointer, node.schema, draft));
  }
  return faults;
}

function keywordFaults(pointer: string, schema: JsonRecord, draft: SchemaDraft): SchemaFault[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const shape = isOfLaterDraft(keyword, draft) ? undefined : shapeIn(draft, keyword);
    const message = shape === undefined ? undefined : misshapen(shape, value);
    if (message !== undefined) return [{ pointer: pointerTo(pointer, keyword), message }];
    return keyword === "patternProperties" && isRecord(value) ? nameFaults(pointerTo(pointer, keyword), value) : [];
  });
}

function nameFaults(pointer: string, patterns: JsonRecord): SchemaFault[] {
  return Object.keys(patterns).flatMap((pattern) => {
    const message = patternFault(pattern);
    return message === undefined ? [] : [{ pointer: pointerTo(pointer, pattern), message }];
  });
}

/** In draft-04 the exclusive bounds are switches of `minimum` and `maximum`. */
function shapeIn(draft: SchemaDraft, keyword: string): KeywordShape | undefined {
  return draft === "4" && /^exclusiveM(?:in|ax)imum$/.test(keyword) ? "boolean" : shapeOf(keyword);
}

/** Says what is wrong with a keyword's value; `undefined` when nothing is. */
function misshapen(shape: KeywordShape, value: unknown): string | undefined {
  switch (shape) {
    case "any":
      return undefined;
    case "schema":
      return isSchema(value) ? undefined : "must be a schema (an object or a boolean)";
    case "schema-list":
      return isSchemaList(value) ? undefined : "must be a list of schemas";
    case "schema-or-list":
      return isSchema(value) || isSchemaList(value) ? undefined : "must be a schema";
    case "schema-map":
      return isMapOf(value, isSchema) ? undefined : "must map names to schemas";
    case "schema-or-strings-map":
      return isMapOf(value, (entry) => isSchema(entry) || isStrings(entry))
        ? undefined
        : "must map names to schemas or lists of names";
    case "strings-map":
      return isMapOf(value, isStrings) ? undefined : "must map names to lists of names";
    case "strings":
      return isStrings(value) ? undefined : "must be a list of strings";
    case "list":
      return Array.isArray(value) ? undefined : "must be a list";
    case "type":
      return typeFault(value);
    case "regex":
      return regexFault(value);
    default:
      return scalarFault(shape, value);
  }
}

function scalarFault(
  shape: "string" | "boolean" | "number" | "positive" | "count",
  value: unknown,
): string | undefined {
  if (shape === "string" || shape === "boolean") return typeof value === shape ? undefined : `must be a ${shape}`;
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (shape === "positive") return value > 0 ? undefined : "must be above 0";
  if (shape === "count") return Number.isInteger(value) && value >= 0 ? undefined : "must be a whole number, 0 or more";
  return undefined;
}

function typeFault(value: unknown): string | undefined {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  const unknown = names.find((name) => typeof name !== "string" || !TYPES.includes(name));
  return names.length > 0 && unknown === undefined ? undefined : `must be one or more of ${TYPES.join(", ")}`;
}

function regexFault(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  return patternFault(value);
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isRecord(value);
}

function isSchemaList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isSchema);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function isMapOf(value: unknown, accepts: (entry: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(accepts);
}
