/**
 * One pass over broken JSON that settles its structure: where strings end, what closes what, where the document ends and
 * whether it is whole. It rewrites what `jsonrepair` reads otherwise than meant and leaves the rest (commas, bare words,
 * concatenation, ellipses) to it.
 */

import { type Container, roleIn } from "./container.ts";
import {
  type Doubt,
  doubtOfBareValue,
  doubtOfClosing,
  doubtOfComma,
  doubtOfEarlyClosing,
  doubtOfString,
  isWrittenTwice,
  lastBefore,
} from "./doubt.ts";
import { escapeContent, readBareValue } from "./lenient-tokens.ts";
import { isQuote, StringEndFinder, type StringRole } from "./string-end.ts";
import { blankLength, isBlank, KEY, matchesAt, NEXT_KEY, skipBlank, skipComment } from "./text-at.ts";

interface Scanned {
  /** Index behind the document in the source. */
  readonly end: number;
  /** The document as rewritten; not yet JSON. */
  readonly text: string;
  /** False where the source stopped before everything was closed. */
  readonly completed: boolean;
  /** The source can also be read otherwise. */
  readonly doubt: Doubt;
}

const CALL = /[A-Za-z_$][\w$]{0,100}\s{0,50}\(/y;
const BARE_KEY_RUN = /[^:,{}[\]\n"'`]+/y;

/** Scans from the bracket at `start`; `undefined` where the text is not understood well enough to rewrite. */
export function scanLenient(source: string, start: number, finder = new StringEndFinder(source)): Scanned | undefined {
  return new LenientScan(source, start, finder).run();
}

class LenientScan {
  readonly #source: string;
  readonly #finder: StringEndFinder;
  readonly #out: string[] = [];
  readonly #stack: Container[] = [];
  #at: number;
  #doubt: Doubt = "none";

  constructor(source: string, start: number, finder: StringEndFinder) {
    this.#source = source;
    this.#at = start;
    this.#finder = finder;
  }

  run(): Scanned | undefined {
    do {
      const character = this.#source[this.#at];
      if (character === undefined || this.#source.startsWith("```", this.#at)) break;
      if (!this.#step(character)) return undefined;
    } while (this.#stack.length > 0);
    if (this.#stack.some(({ isSet }) => isSet)) return undefined;
    return { end: this.#at, text: this.#out.join(""), completed: this.#stack.length === 0, doubt: this.#doubt };
  }

  /** Reads one token. False: give up. */
  #step(character: string): boolean {
    if (isBlank(character.charCodeAt(0))) return this.#copy(blankLength(this.#source, this.#at));
    const comment = skipComment(this.#source, this.#at) - this.#at;
    if (comment > 0) return this.#skip(comment);
    if (isQuote(character)) return this.#string();
    switch (character) {
      case "{":
      case "[":
        return this.#open(character);
      case "(":
        return this.#openTuple();
      case "}":
      case "]":
      case ")":
        return this.#close(character);
      case ",":
        return this.#comma();
      case ":":
        return this.#colon();
      case "+":
        return this.#plus();
      case "\\":
        return false;
      default:
        return this.#bare();
    }
  }

  #note(doubt: Doubt): void {
    if (doubt === "strong" || this.#doubt === "none") this.#doubt = doubt;
  }

  #copy(length: number): boolean {
    this.#out.push(this.#source.slice(this.#at, this.#at + length));
    return this.#skip(length);
  }

  #skip(length: number): boolean {
    this.#at += length;
    return true;
  }

  #push(container: Partial<Container> & Pick<Container, "kind" | "close">): void {
    this.#stack.push({
      count: 0,
      bareKeys: false,
      isSet: false,
      at: this.#out.length,
      comma: undefined,
      state: container.kind === "object" ? "key" : "value",
      implied: false,
      isCall: false,
      ...container,
    });
  }

  #open(character: "{" | "["): boolean {
    if (this.#stack.at(-1)?.state === "colon") return false;
    this.#separate();
    this.#push(character === "{" ? { kind: "object", close: "}" } : { kind: "array", close: "]" });
    return this.#copy(1);
  }

  #openTuple(): boolean {
    if (this.#stack.length > 0 && this.#stack.at(-1)?.state !== "value") return this.#copy(1);
    this.#push({ kind: "array", close: ")" });
    this.#out.push("[");
    return this.#skip(1);
  }

  #string(): boolean {
    const container = this.#stack.at(-1);
    if (!container) return false;
    const isJoined = this.#separate();
    const role = roleIn(container);
    if (isWrittenTwice(this.#source, this.#at)) this.#at += 1;
    const open = this.#at;
    const end = this.#finder.find(this.#at, role, this.#stack);
    if (end === undefined) return this.#copy(this.#source.length - this.#at);
    const stop = "close" in end ? end.close : end.missing;
    const content = this.#source.slice(open + 1, stop);
    this.#out.push(`"${escapeContent(content)}"`);
    this.#at = "close" in end ? stop + 1 : stop;
    this.#note(doubtOfString(this.#source, { open, end: stop, role, isClosed: "close" in end, isJoined }));
    this.#took(container, role);
    return true;
  }

  /** Puts the comma that is missing before a new member. False where none is missing. */
  #separate(): boolean {
    const container = this.#stack.at(-1);
    if (container?.state !== "next" || container.isCall) return false;
    this.#out.push(",");
    container.state = container.kind === "object" ? "key" : "value";
    return true;
  }

  #took(container: Container, role: StringRole): void {
    if (role === "key" && !container.isSet) container.state = "colon";
    else {
      container.state = "next";
      container.count += 1;
    }
  }

  #close(character: "}" | "]" | ")"): boolean {
    while (this.#stack.at(-1)?.implied && this.#stack.at(-1)?.close !== character) this.#pop();
    const depth = this.#stack.findLastIndex(({ close }) => close === character);
    this.#at += 1;
    const doubt = doubtOfClosing(this.#source, this.#at, this.#stack, depth);
    if (depth < 0) {
      this.#note(doubt);
      return true;
    }
    // The first closing brace of the root was one too many, or stands for another bracket, where more members follow.
    if (depth === 0 && character === "}" && matchesAt(NEXT_KEY, this.#source, this.#at)) {
      this.#note(doubtOfEarlyClosing(this.#source, this.#at, this.#stack));
      while (this.#stack.length > 1) this.#pop();
      return true;
    }
    this.#note(doubt);
    while (this.#stack.length > depth) this.#pop();
    return true;
  }

  #pop(): void {
    const closed = this.#stack.pop();
    if (!closed) return;
    this.#dropTrailingComma(closed);
    const isGroup = closed.close === ")" && !closed.isCall && closed.count === 1 && closed.state === "next";
    // A word in parentheses may be text with both of its quotes left out.
    if (isGroup && /[^\W\d]/.test(this.#out.at(-1)?.[0] ?? "")) this.#note("strong");
    if (isGroup) this.#out[closed.at] = "";
    else this.#out.push(closed.isCall ? ")" : closed.kind === "object" ? "}" : "]");
    const parent = this.#stack.at(-1);
    if (parent) this.#took(parent, parent.isSet || parent.kind === "array" ? "item" : "value");
  }

  #dropTrailingComma({ comma, state }: Container): void {
    if (comma === undefined || (state !== "key" && state !== "value")) return;
    if (this.#out.slice(comma + 1).every((piece) => piece.trim() === "")) this.#out[comma] = "";
  }

  #comma(): boolean {
    let container = this.#stack.at(-1);
    if (container) this.#note(doubtOfComma(container));
    const member = this.#at + 1;
    if (container?.implied && !matchesAt(KEY, this.#source, member)) this.#pop();
    const parent = this.#stack.at(-2);
    if (container?.close === "]" && container.count > 0 && parent?.kind === "object" && !parent.implied) {
      if (matchesAt(KEY, this.#source, member)) this.#pop();
    }
    container = this.#stack.at(-1);
    if (container?.kind === "object" && container.state === "colon") this.#becomeSet(container);
    if (container) {
      container.state = container.kind === "object" && !container.isSet ? "key" : "value";
      container.comma = this.#out.length;
    }
    return this.#copy(1);
  }

  /** `{"a", "b"}`: what looked like a key is a value. */
  #becomeSet(container: Container): void {
    this.#out[container.at] = "[";
    // As Python writes a set; with the quotes of JSON it may be a member with a comma for its colon.
    if (lastBefore(this.#source, this.#at) === '"') this.#note("strong");
    container.kind = "array";
    container.isSet = true;
    container.count += 1;
  }

  #colon(): boolean {
    const container = this.#stack.at(-1);
    if (container?.kind === "array" && !container.isCall && container.state === "next") {
      const key = this.#out.findLastIndex((piece) => piece.trim() !== "");
      this.#out[key] = `{${this.#out[key] ?? ""}`;
      container.count -= 1;
      if (container.count > 0) this.#note("some");
      this.#push({ kind: "object", close: "}", implied: true, at: key, state: "value" });
    } else if (container) container.state = "value";
    return this.#copy(1);
  }

  /** Behind a string, another one continues it. */
  #plus(): boolean {
    const container = this.#stack.at(-1);
    if (container?.state === "next") {
      container.state = "value";
      container.count -= 1;
    }
    return this.#copy(1);
  }

  #bare(): boolean {
    const container = this.#stack.at(-1);
    if (!container) return false;
    if (container.kind === "object" && !container.isSet && (container.state === "key" || container.state === "next")) {
      return this.#bareKey(container);
    }
    if (matchesAt(CALL, this.#source, this.#at)) {
      this.#copy(CALL.lastIndex - this.#at);
      this.#push({ kind: "array", close: ")", isCall: true });
      return true;
    }
    const value = readBareValue(this.#source, this.#at, {
      inParentheses: container.close === ")",
      inObject: container.kind === "object",
    });
    if (value === undefined) return this.#copy(1);
    this.#out.push(value.written);
    this.#note(doubtOfBareValue(this.#source, this.#at, value, container));
    this.#at = value.end + (value.quoted ? 1 : 0);
    this.#took(container, "value");
    return true;
  }

  /** A key without quotes; a word that is neither key nor value is left out. */
  #bareKey(container: Container): boolean {
    if (!matchesAt(BARE_KEY_RUN, this.#source, this.#at)) return this.#copy(1);
    const end = BARE_KEY_RUN.lastIndex;
    const next = this.#source[skipBlank(this.#source, end)];
    if (this.#source[end] === '"' && this.#source[skipBlank(this.#source, end + 1)] === ":") {
      this.#out.push(`"${escapeContent(this.#source.slice(this.#at, end))}"`);
      container.state = "colon";
      return this.#skip(end + 1 - this.#at);
    }
    const isStray = container.count > 0 && (isQuote(next) || next === "}") && !this.#source.startsWith("...", this.#at);
    if (isStray) return this.#skip(end - this.#at);
    if (next === ":") {
      container.bareKeys = true;
      container.state = "colon";
    }
    return this.#copy(end - this.#at);
  }
}
