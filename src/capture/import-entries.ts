/** The JSON values of a file, each with its place: JSON lines, one array, or one document. */
import { parseExact } from "../json/exact-numbers.ts";

export interface ImportEntry {
  /** `calls.jsonl:12`, or `calls.json: item 12` where the file is one document. */
  readonly place: string;
  readonly value: unknown;
  /** The line itself; `undefined` for an item of a document. */
  readonly text: string | undefined;
}

export interface RefusedEntry {
  readonly place: string;
  readonly why: string;
}

/** Reads a text as JSON lines, or as one document where its first line is no JSON by itself. */
export function importEntries(file: string, text: string): (ImportEntry | RefusedEntry)[] {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ place: `${file}:${at + 1}`, text: line }]));
  const [first] = lines;
  if (first === undefined) return [];
  const whole = lines.length > 1 && parsed(first.text) === undefined ? parsed(text.replace(/^\uFEFF/, "")) : undefined;
  if (whole) return items(file, whole.value);
  return lines.flatMap((line): (ImportEntry | RefusedEntry)[] => {
    const read = parsed(line.text);
    if (!read) return [{ place: line.place, why: "not valid JSON" }];
    return Array.isArray(read.value) ? items(line.place, read.value) : [{ ...line, value: read.value }];
  });
}

function items(place: string, value: unknown): ImportEntry[] {
  if (!Array.isArray(value)) return [{ place, value, text: undefined }];
  return value.map((item: unknown, at) => ({ place: `${place}: item ${at + 1}`, value: item, text: undefined }));
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExact(text) };
  } catch {
    return undefined;
  }
}
