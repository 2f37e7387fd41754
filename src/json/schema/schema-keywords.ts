/**
 * What each JSON Schema keyword (drafts 04 to 2020-12) takes, as data, and a walk over a schema by it.
 * Every job on schemas (check, compile, fit to a provider) goes through this table, so that a keyword is known once.
 */
import { pointerTo } from "../pointer.ts";
import { isRecord, type JsonRecord } from "../record.ts";

export type KeywordShape =
  | "schema"
  | "schema-list"
  | "schema-map"
  | "schema-or-list"
  | "schema-or-strings-map"
  | "strings-map"
  | "strings"
  | "string"
  | "regex"
  | "number"
  | "positive"
  | "count"
  | "boolean"
  | "type"
  | "list"
  | "any";

const KEYWORDS: Readonly<Record<string, KeywordShape>> = {
  $schema: "string",
  $id: "string",
  $anchor: "string",
  $ref: "string",
  $comment: "string",
  $defs: "schema-map",
  definitions: "schema-map",
  title: "string",
  description: "string",
  default: "any",
  examples: "any",
  deprecated: "boolean",
  readOnly: "boolean",
  writeOnly: "boolean",
  type: "type",
  enum: "list",
  const: "any",
  format: "string",
  nullable: "boolean",
  allOf: "schema-list",
  anyOf: "schema-list",
  oneOf: "schema-list",
  not: "schema",
  if: "schema",
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword; this table is never awaited.
  then: "schema",
  else: "schema",
  properties: "schema-map",
  patternProperties: "schema-map",
  additionalProperties: "schema",
  unevaluatedProperties: "schema",
  propertyNames: "schema",
  required: "strings",
  minProperties: "count",
  maxProperties: "count",
  dependentRequired: "strings-map",
  dependentSchemas: "schema-map",
  dependencies: "schema-or-strings-map",
  prefixItems: "schema-list",
  items: "schema-or-list",
  additionalItems: "schema",
  unevaluatedItems: "schema",
  contains: "schema",
  minContains: "count",
  maxContains: "count",
  minItems: "count",
  maxItems: "count",
  uniqueItems: "boolean",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "positive",
  minLength: "count",
  maxLength: "count",
  pattern: "regex",
};

export function shapeOf(keyword: string): KeywordShape | undefined {
  return Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
}

/** One schema in a document; a boolean schema is not visited. */
interface SchemaNode {
  readonly pointer: string;
  readonly schema: JsonRecord;
  /** Schemas above it. */
  readonly depth: number;
}

/** Every schema object in `root`, parents first. Not recursive: as deep as the document goes. */
export function* schemaNodes(root: unknown): Generator<SchemaNode> {
  const open: { pointer: string; schema: unknown; depth: number }[] = [{ pointer: "", schema: root, depth: 0 }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { pointer, schema, depth } = node;
    if (!isRecord(schema)) continue;
    yield { pointer, schema, depth };
    const children = subschemas(schema).map(([path, child]) => ({
      pointer: path.reduce<string>(pointerTo, pointer),
      schema: child,
      depth: depth + 1,
    }));
    open.push(...children.reverse());
  }
}

/** The schemas directly in `schema`, each with its path from there. */
export function subschemas(schema: JsonRecord): [path: readonly (string | number)[], schema: unknown][] {
  return Object.entries(schema).flatMap(([keyword, value]) => childrenOf(keyword, value));
}

function childrenOf(keyword: string, value: unknown): [readonly (string | number)[], unknown][] {
  const shape = shapeOf(keyword);
  if (shape === "schema" || (shape === "schema-or-list" && !Array.isArray(value))) return [[[keyword], value]];
  if ((shape === "schema-list" || shape === "schema-or-list") && Array.isArray(value)) {
    return value.map((child: unknown, index) => [[keyword, index], child]);
  }
  if ((shape === "schema-map" || shape === "schema-or-strings-map") && isRecord(value)) {
    return Object.entries(value)
      .filter(([, child]) => !Array.isArray(child))
      .map(([key, child]) => [[keyword, key], child]);
  }
  return [];
}
