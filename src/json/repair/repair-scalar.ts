/** Repair of an answer that holds no object and no array: a lone word, number or string. */
import { jsonrepair } from "jsonrepair";
import { arrayAt, isRecord } from "../record.ts";
import { acceptedBy } from "../schema/schema-check.ts";
import { openSchema, type SchemaDocument } from "../schema/schema-document.ts";
import { scanLenient } from "./lenient-scan.ts";

interface RepairedScalar {
  readonly value: unknown;
  readonly text: string;
  readonly completed: boolean;
}

const FENCE = /^```[\w+-]*/;
/** No listed value that a word of an answer could name is longer. */
const MAX_NAME = 200;
/** Closing brackets, quotes or a slash alone. */
const NOTHING = /^[\s\]}"'“”‘’`]*\/?$/;
const GROUPED_NUMBER = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const WORD = /^(?:true|false|null|none|undefined)$/i;
const CUT_NUMBER = /^-?\d*(?:\.\d*)?(?:[eE][+-]?)?$(?<!\d)/;
const END_QUOTE = /["'”’]\s?[,;]?$/;

export function repairScalar(body: string, schema: unknown): RepairedScalar | undefined {
  const bare = trimmed(body.replace(FENCE, ""), " \t\r\n`*");
  if (NOTHING.test(bare)) return undefined;
  if (schema === undefined) return read(body) ?? read(bare);
  const document = openSchema(schema);
  if (!document.ok) return read(body);
  const accepts = (value: unknown): boolean => acceptedBy(document.value, document.value.root, value);
  const member = memberNamed(bare, listedStrings(document.value, document.value.root).filter(accepts));
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
  const word = text.toLowerCase();
  const isPartOfWord = ["true", "false", "null"].some((whole) => whole.startsWith(word) && whole !== word);
  return isPartOfWord || CUT_NUMBER.test(text) || (isQuoted(text) && !END_QUOTE.test(text.slice(1)));
}

function isQuoted(text: string): boolean {
  return /^["'“‘]/.test(text);
}

/** The one listed value that the whole text names, whatever its case, quotes or final stop. */
function memberNamed(text: string, listed: readonly string[]): RepairedScalar | undefined {
  if (text.length > MAX_NAME) return undefined;
  const named = listed.includes(text) ? [text] : listed.filter((value) => plain(value) === plain(text));
  const [value] = new Set(named);
  if (value === undefined || new Set(named).size > 1) return undefined;
  return { value, text: JSON.stringify(value), completed: !isCut(text) };
}

function plain(text: string): string {
  return trimmed(text, " \t\r\n\"'“”‘’.!").toLowerCase();
}

/** The text without any of `characters` at its ends; linear, unlike a pattern anchored at the end. */
function trimmed(text: string, characters: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text[from] ?? "")) from += 1;
  while (to > from && characters.includes(text[to - 1] ?? "")) to -= 1;
  return text.slice(from, to);
}

/** The strings that a schema lists at its top, by `enum` or `const`, also behind `$ref` and in alternatives. */
function listedStrings(document: SchemaDocument, part: unknown, depth = 0): string[] {
  if (!isRecord(part) || depth > 5) return [];
  const below = [document.targets.get(part), ...(arrayAt(part, "anyOf") ?? []), ...(arrayAt(part, "oneOf") ?? [])];
  const own: unknown[] = [...(arrayAt(part, "enum") ?? []), part["const"]];
  const deeper = below.flatMap((other) => listedStrings(document, other, depth + 1));
  return [...own.filter((value) => typeof value === "string"), ...deeper];
}
