/**
 * Where a string in broken JSON ends. A model that forgets to escape writes quotes inside its strings, so a quote is
 * taken for the end only where what follows fits the place the string stands in.
 */
import { isBlank, matchesAt, skipBlank } from "./text-at.ts";

/** A container that is open around the string. */
export interface Frame {
  readonly kind: "object" | "array";
  /** What closes it in the source. */
  readonly close: "}" | "]" | ")";
  /** Values in it so far. */
  readonly count: number;
  /** An object whose keys are written without quotes. */
  readonly bareKeys: boolean;
  /** Braces around plain values, as Python writes a set. */
  readonly isSet: boolean;
}

export type StringRole = "key" | "value" | "item";

/** `close` is the index of the end quote; `missing` where the quote was left out and the string ends before `at`. */
type StringEnd = { readonly close: number } | { readonly missing: number } | undefined;

const QUOTED_KEY = /(?:"(?:\\.|[^"\\\n]){0,1000}"|["'“”‘’`][^"'“”‘’`\n]{0,1000}["'“”‘’`])\s{0,50}:/y;
const BARE_KEY = /[A-Za-z_$][\w$-]{0,100}\s{0,50}:(?!\/\/)/y;
const NUMBER_KEY = /\d{1,20}(?:\.\d{1,20})?\s{0,50}:/y;
/** A key without its quotes, or without the first of them, and the start of its value. */
const STRAY_KEY = /[A-Za-z_$][\w$-]{0,100}(?:\s{0,50}:\s{0,50}(?:["'“‘{[]|-?\d|(?:true|false|null)\b)|"\s{0,50}:)/y;
/** A comma, what it separates left without its first quote. */
const STRAY_ITEM = /[A-Za-z_]\w{0,100}["']\s{0,50}[,\]}]/y;
/** Before a quote: a comment with a comma or a plus, which end what stands before them. */
const COMMENT_BEFORE = /\s*(?:[+,]\s*\/\*[^*]{0,200}\*\/\s*|\/\*[^*]{0,200}\*\/\s*[+,]\s*)$/;
const MAX_COMMENT = 300;
const WORD_THEN_KEY = /[A-Za-z_]\w{0,100}\s{1,50}"[^"\n]{0,200}"\s{0,50}:/y;
const ITEM = /["'“‘`{[(]|-?[\d.]|(?:true|false|null|none|undefined)\b|[A-Za-z_]\w{0,100}\s{0,50}[,\]]/iy;
const CLOSERS = "}])";
const ENDS = new Map([
  ['"', '"'],
  ["'", "'"],
  ["“", '“”"'],
  ["”", '“”"'],
  ["‘", "‘’`´'"],
  ["’", "‘’`´'"],
  ["`", "‘’`´'"],
  ["´", "‘’`´'"],
]);

export function isQuote(character: string | undefined): boolean {
  return character !== undefined && ENDS.has(character);
}

export class StringEndFinder {
  readonly #text: string;
  /** For each index, whether an odd number of double quotes follows; made when first needed. */
  #oddAfter: Uint8Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the string opened by the quote at `open`; `undefined` where the text ends in it. */
  find(open: number, role: StringRole, frames: readonly Frame[]): StringEnd {
    const text = this.#text;
    const ends = ENDS.get(text[open] ?? "") ?? '"';
    let brackets = 0;
    let plain = true;
    for (let at = open + 1; at < text.length; at += 1) {
      const character = text[at] ?? "";
      if (character === "\\") at += 1;
      else if (character === "{" || character === "[") brackets += 1;
      else if (character === "}" || character === "]") brackets -= 1;
      else if (ends.includes(character)) {
        if (this.#ends(at + 1, role, frames, plain)) return { close: at };
        const comment = this.#commentBefore(open, at);
        if (comment !== undefined) return { missing: comment };
        const missing = brackets <= 0 ? this.#leftOut(open, at, role, plain) : undefined;
        if (missing !== undefined) return { missing };
        plain = false;
      }
    }
    return undefined;
  }

  /** The string ended before this quote, and its own was left out: `"a": "b, "c": 1`, `["a, "b"]`, `"key: "value"`. */
  #leftOut(open: number, quote: number, role: StringRole, plain: boolean): number | undefined {
    let before = quote - 1;
    while (before > open && isBlank(this.#text.charCodeAt(before))) before -= 1;
    if (before <= open) return undefined;
    if (role === "key") return this.#text[before] === ":" ? before : undefined;
    const comma = this.#text[before] === "," && before > open + 1;
    if (role === "item") return plain && comma ? before : undefined;
    if (!matchesAt(QUOTED_KEY, this.#text, quote)) return undefined;
    if (comma) return before;
    return this.#text.slice(before, quote).includes("\n") ? before + 1 : undefined;
  }

  #commentBefore(open: number, quote: number): number | undefined {
    if (!this.#text.slice(Math.max(open, quote - MAX_COMMENT), quote).includes("*/")) return undefined;
    const from = Math.max(open + 1, quote - MAX_COMMENT);
    const found = COMMENT_BEFORE.exec(this.#text.slice(from, quote));
    return found ? from + found.index : undefined;
  }

  #ends(after: number, role: StringRole, frames: readonly Frame[], plain: boolean): boolean {
    const text = this.#text;
    const at = skipBlank(text, after);
    const next = text[at];
    const frame = frames.at(-1);
    if (next === undefined) return true;
    if (text.startsWith("```", at)) return !this.#oddQuotesFrom(at);
    if (next === ")" && frame?.close === ")") return true;
    if (next === "+") return isQuote(text[skipBlank(text, at + 1)]);
    if (role === "key") return this.#endsKey(at, next, frame);
    if (next === ",") return this.#afterComma(at + 1, frame);
    if (next === "}" || next === "]") {
      const closed = frames.findLastIndex(({ close }) => close === next);
      return closed >= 0 && this.#afterClose(at + 1, frames, closed - 1);
    }
    if (role === "value") return this.#isKey(at, frame) && (isQuote(next) || text.slice(after, at).includes("\n"));
    if (next === ":") return plain;
    if (isQuote(next)) return !",]".includes(text[skipBlank(text, at + 1)] ?? ",");
    return next === "{";
  }

  #endsKey(at: number, next: string, frame: Frame | undefined): boolean {
    if (next === ":") return true;
    const maySet = frame !== undefined && (frame.isSet || frame.count === 0);
    if (next === ",") return maySet && isQuote(this.#text[skipBlank(this.#text, at + 1)]);
    if (next === "}") return frame?.isSet === true;
    return isQuote(next) || next === "{" || next === "[";
  }

  #isKey(at: number, frame: Frame | undefined): boolean {
    if (matchesAt(QUOTED_KEY, this.#text, at) || matchesAt(NUMBER_KEY, this.#text, at)) return true;
    return frame?.bareKeys === true && matchesAt(BARE_KEY, this.#text, at);
  }

  /** What follows a comma is another member of the container. */
  #afterComma(from: number, frame: Frame | undefined): boolean {
    const text = this.#text;
    const at = skipBlank(text, from);
    const next = text[at];
    if (next === undefined || next === "}" || next === "]" || text.startsWith("...", at)) return true;
    if (frame?.kind === "object" && !frame.isSet) {
      return this.#isKey(at, frame) || matchesAt(WORD_THEN_KEY, text, at) || matchesAt(STRAY_KEY, text, at);
    }
    return matchesAt(ITEM, text, at) || matchesAt(STRAY_ITEM, text, at);
  }

  /** What follows a closing bracket fits the container around it, `frames[around]`. */
  #afterClose(from: number, frames: readonly Frame[], around: number): boolean {
    const text = this.#text;
    let level = around;
    let at = skipBlank(text, from);
    for (; level >= 0 && CLOSERS.includes(text[at] ?? "-"); at = skipBlank(text, at + 1)) {
      const closer = text[at];
      const closed = frames.findLastIndex(({ close }, index) => index <= level && close === closer);
      if (closed >= 0) level = closed - 1;
    }
    const next = text[at];
    const frame = frames[level];
    if (frame === undefined) return this.#afterRoot(at);
    if (next === undefined || text.startsWith("```", at)) return true;
    if (next === ",") return this.#afterComma(at + 1, frame);
    if (frame.kind === "object") return this.#isKey(at, frame);
    return isQuote(next) || next === "{" || next === "[";
  }

  /**
   * The document would end here. Then prose may follow, or another document; but where a quote is left without its
   * partner, the string goes on and this was a bracket inside it.
   */
  #afterRoot(from: number): boolean {
    let at = skipBlank(this.#text, from);
    while (this.#text[at] === "}" || this.#text[at] === "]") at = skipBlank(this.#text, at + 1);
    const next = this.#text[at];
    if (next === undefined || this.#text.startsWith("```", at)) return true;
    if (next === ",") {
      const member = skipBlank(this.#text, at + 1);
      return member >= this.#text.length || "{[".includes(this.#text[member] ?? "") || this.#isKey(member, undefined);
    }
    return !this.#oddQuotesFrom(at);
  }

  #oddQuotesFrom(index: number): boolean {
    this.#oddAfter ??= oddQuotes(this.#text);
    return this.#oddAfter[index] === 1;
  }
}

function oddQuotes(text: string): Uint8Array {
  const odd = new Uint8Array(text.length + 1);
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const counts = text[at] === '"' && text[at - 1] !== "\\";
    odd[at] = (odd[at + 1] ?? 0) ^ (counts ? 1 : 0);
  }
  return odd;
}
