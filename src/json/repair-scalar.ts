/** Repair of an answer that holds no object and no array: a lone word, number or string. */
import { jsonrepair } from "jsonrepair";
import { scanLenient } from "./lenient-scan.ts";
import { valueAt } from "./pointer.ts";
import { isRecord } from "./record.ts";
import { compileSchema } from "./validate.ts";

export interface RepairedScalar {
  readonly value: unknown;
  readonly text: string;
  readonly completed: boolean;
}

const MARKDOWN = /^(?:```[\w+-]*\s*|\*\*|__|\*|`)+|(?:\s*```|\*\*|__|\*|`)+$/g;
/** Closing brackets, quotes or a slash alone. */
const NOTHING = /^[\s\]}"'“”‘’`]*\/?$/;
const GROUPED_NUMBER = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const WORD = /^(?:true|false|null|none|undefined)$/i;
const CUT_NUMBER = /\d[.eE](?:[+-])?$/;
const CUT_STRING = /^["'“‘](?:[^\\]|\\.)*$/s;

export function repairScalar(body: string, schema: unknown): RepairedScalar | undefined {
  const bare = body.replace(MARKDOWN, "").trim();
  if (NOTHING.test(bare)) return undefined;
  if (schema === undefined) return read(body) ?? read(bare);
  const validator = compileSchema(schema);
  if (!validator.ok) return read(body);
  const accepts = (value: unknown): boolean => validator.value(value).valid;
  const member = memberNamed(bare, schema, accepts);
  if (member !== undefined) return member;
  const number = Number(bare.replaceAll(",", ""));
  if (GROUPED_NUMBER.test(bare) && accepts(number)) return { value: number, text: String(number), completed: true };
  const reading = read(bare);
  // Prose is a JSON string only for a schema that asks for a string: one that takes anything did not ask for prose.
  const isProse = typeof reading?.value !== "number" && !isQuoted(bare) && !WORD.test(bare);
  return isProse && (!accepts(reading?.value ?? null) || accepts({})) ? undefined : reading;
}

function read(text: string): RepairedScalar | undefined {
  const tuple = text.startsWith("(") ? scanLenient(text, 0) : undefined;
  const source = tuple?.completed && tuple.end === text.length ? tuple.text : text;
  try {
    const repaired = jsonrepair(source).trim();
    return { value: JSON.parse(repaired) as unknown, text: repaired, completed: !isCut(text) };
  } catch {
    return undefined;
  }
}

function isCut(text: string): boolean {
  return CUT_NUMBER.test(text) || (CUT_STRING.test(text) && !/["'”’]\s*[,;]?$/.test(text.slice(1)));
}

function isQuoted(text: string): boolean {
  return /^["'“‘]/.test(text);
}

/** The one listed value that the whole text names, whatever its case, quotes or final stop. */
function memberNamed(text: string, schema: unknown, accepts: (value: unknown) => boolean): RepairedScalar | undefined {
  const wanted = plain(text);
  const named = listedStrings(schema).filter((value) => plain(value) === wanted);
  const [value] = named.includes(text) ? [text] : named;
  if (value === undefined || (named.length > 1 && value !== text) || !accepts(value)) return undefined;
  return { value, text: JSON.stringify(value), completed: true };
}

function plain(text: string): string {
  return text.replace(/^["'“‘\s]+|["'”’\s.!]+$/g, "").toLowerCase();
}

/** The strings that a schema lists at its top, by `enum` or `const`, also behind `$ref` and in alternatives. */
function listedStrings(schema: unknown, root = schema, depth = 0): string[] {
  if (!isRecord(schema) || depth > 5) return [];
  const { $ref, enum: values, const: constant, anyOf, oneOf } = schema;
  const target =
    typeof $ref === "string" && $ref.startsWith("#") ? valueAt(root, decodeURIComponent($ref.slice(1))) : undefined;
  const below = [target, ...list(anyOf), ...list(oneOf)].flatMap((part) => listedStrings(part, root, depth + 1));
  return [...list(values), constant, ...below].filter((value) => typeof value === "string");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
