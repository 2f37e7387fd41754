/**
 * What broken JSON may have been before a single mark of it was damaged: every text that is JSON and one quote, comma,
 * colon or bracket away. Where they differ, the text alone does not say which was meant.
 */
import { firstFault } from "../json-fault.ts";
import { isWrittenTwice } from "./doubt.ts";

/** How many characters all attempts may hold together; those nearest to the fault are made first. */
const MAX_CHARACTERS = 3_000_000;
/** How many quotes of one string may have lost their backslash. */
const MAX_QUOTES = 6;
/** Where another reading is certain nothing more is looked for. */
const ENOUGH = 8;
/** How long a value may be that lost both quotes. */
const MAX_VALUE = 300;
/** Words with something between them that would end a bare word. */
const BARE_TEXT = /^\(?[\p{L}\d](?=.*\p{L}).*[,:()#/\\{}[\]].*[^\s,]$/su;
const MARKS = new Set(['"', ",", ":", "{", "}", "[", "]"]);

export interface NearReading {
  readonly text: string;
  /** The same text for equal values. */
  readonly canonical: string;
}

/** One for each distinct value. Empty where more than one mark is damaged. */
export function nearReadings(text: string): readonly NearReading[] {
  const fault = firstFault(text);
  if (fault === text.length) return [];
  const found = new Map<string, NearReading>();
  let characters = 0;
  for (const edited of editsOf(text, fault)) {
    characters += edited.length;
    if (characters > MAX_CHARACTERS || found.size >= ENOUGH) break;
    const canonical = canonicalText(edited);
    if (canonical !== undefined && !found.has(canonical)) found.set(canonical, { text: edited, canonical });
  }
  return [...found.values()];
}

/** Whether `whole` is `text` with closing brackets put in and nothing else changed. */
export function onlyCloses(whole: string, text: string): boolean {
  return whole.length > text.length && whole.replace(CLOSING, "") === text.replace(CLOSING, "");
}

function canonicalText(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What stands before the fault decides it, so each edit is made there, the nearest first. */
function* editsOf(text: string, fault: number): Generator<string> {
  yield* strayWord(text, fault);
  yield* quotesAround(text, fault);
  for (let at = Math.min(fault, text.length); at >= 0; at -= 1) {
    const mark = text[at] ?? "";
    const before = text.slice(0, at);
    const from = text.slice(at);
    if (isBoundary(text, at)) for (const put of insertable(text, at)) yield before + put + from;
    if (text[at - 1] === "\\") continue;
    if (EMPTY.test(text.slice(at, at + 20))) yield before + text.slice(at + 1);
    for (const other of Object.hasOwn(REPLACEMENTS, mark) ? (REPLACEMENTS[mark] ?? []) : [])
      yield before + other + text.slice(at + 1);
    if (mark !== '"') continue;
    if (mayBeStray(text, at)) yield before + text.slice(at + 1);
    yield* escapedFrom(text, at);
    yield* doubledFrom(text, at);
  }
}

/** A word that stands at the fault, beside a token that nothing separates it from. */
function* strayWord(text: string, fault: number): Generator<string> {
  const word = /^[A-Za-z_$][\w$]*(?!["\w])\s*/.exec(text.slice(fault, fault + 200))?.[0];
  const before = text.slice(0, fault);
  if (word === undefined || /[\w.]$/.test(before.slice(-1))) return;
  const after = text.slice(fault + word.length);
  if (/[^\s,:{[]\s*$/.test(before.slice(-20)) || !/^[,}\]]/.test(after)) yield before + after;
}

/** Both quotes of a value of an object, or of an item without a comma in it. */
function* quotesAround(text: string, fault: number): Generator<string> {
  const start = fault - (/[\d.\s-]*$/.exec(text.slice(Math.max(0, fault - 30), fault))?.[0].length ?? 0);
  const mark = text[start - 1] ?? "";
  if (!",:[".includes(mark)) return;
  for (let end = start + 1; end < Math.min(text.length, start + MAX_VALUE); end += 1) {
    if (mark !== ":" && text[end] === ",") return;
    const content = text.slice(start, end);
    if (/[,}\]]/.test(text[end] ?? "") && BARE_TEXT.test(content))
      yield `${text.slice(0, start)}"${content}"${text.slice(end)}`;
  }
}

function insertable(text: string, at: number): readonly string[] {
  const next = text[at] ?? "";
  return next === " " && MARKS.has(text[at - 1] ?? "") ? ['"'] : ['"', ",", ":", "{", "}", "[", "]"];
}

/** Where a token may begin or end: not inside of a word. */
function isBoundary(text: string, at: number): boolean {
  return kindOf(text[at - 1]) !== kindOf(text[at]) || MARKS.has(text[at] ?? "");
}

function kindOf(character: string | undefined): string {
  if (character === undefined || MARKS.has(character)) return "mark";
  if (/\s/.test(character)) return "blank";
  return /[\d.]/.test(character) ? "number" : /[\w$]/.test(character) ? "word" : "other";
}

/** What may have stood in place of a mark; "" where it is one too many. */
const REPLACEMENTS: Readonly<Record<string, readonly string[]>> = {
  ",": [""],
  ";": ["", ","],
  "{": ["["],
  "[": ["{"],
  "}": ["", "]"],
  "]": ["", "}"],
};

/** A bracket with nothing in it may itself be one too many. */
const EMPTY = /^[{[]\s*[}\]]/;
const CLOSING = /[}\]]/g;
const LITERAL = /^(?:true|false|null|-?\d+(?:\.\d+)?)\s*[,}\]]/;
const LITERAL_BEFORE = /[,:[]\s*(?:true|false|null|-?\d+(?:\.\d+)?)\s*$/;

/** A quote beside another, a bracket or a literal may be one too many. */
function mayBeStray(text: string, quote: number): boolean {
  const before = text[quote - 1] ?? "";
  const after = text[quote + 1] ?? "";
  return (
    before === '"' ||
    "}]".includes(before) ||
    '"{['.includes(after) ||
    LITERAL.test(text.slice(quote + 1, quote + 40)) ||
    LITERAL_BEFORE.test(text.slice(Math.max(0, quote - 40), quote))
  );
}

/** Both quotes of a string written twice, the first pair at `first`. */
function* doubledFrom(text: string, first: number): Generator<string> {
  if (text[first + 1] !== '"') return;
  const last = text.indexOf('""', first + 2);
  if (last > 0) yield text.slice(0, first) + text.slice(first + 1, last) + text.slice(last + 1);
}

/** The quote at `first`, and those behind it one after another, taken for text of a string. */
function* escapedFrom(text: string, first: number): Generator<string> {
  if (isWrittenTwice(text, first - 1)) return;
  let edited = text.slice(0, first);
  let at = first;
  for (
    let count = 0;
    count < MAX_QUOTES && at >= 0 && (!isBesideMark(text, at) || opensEscaped(text, at));
    count += 1
  ) {
    edited += '\\"';
    const next = text.indexOf('"', at + 1);
    yield edited + text.slice(at + 1);
    edited += text.slice(at + 1, next);
    at = next;
  }
}

/** Before an escaped quote that has no other partner. */
function opensEscaped(text: string, quote: number): boolean {
  const content = /^(?:[^"\\]|\\[\s\S]){0,300}/.exec(text.slice(quote + 1, quote + 400))?.[0] ?? "";
  return (content.match(/\\"/g)?.length ?? 0) % 2 === 1;
}

/** Next to what separates members a quote is the end of a string rather than text, unless it stands apart from the string. */
function isBesideMark(text: string, quote: number): boolean {
  const before = text.slice(Math.max(0, quote - 20), quote);
  const after = text.slice(quote + 1, quote + 20);
  const opens = /(?:[,:[{+]|\*\/)\s*$/.test(before) || (/"\s+$/.test(before) && /^\w/.test(after));
  return (opens && !/^\s/.test(after)) || (/^\s*[,:}\]+]/.test(after) && !/\s$/.test(before));
}
