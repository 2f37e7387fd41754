/** Parses a regular expression of ECMAScript with the `u` flag into the tree that the matcher is built from. */
import { err, ok, type Result } from "../../failure/failure.ts";

export interface PatternFault {
  /** Index in the pattern, in UTF-16 units. */
  readonly at: number;
  readonly message: string;
}

export type PatternNode =
  /** One code point that the engine's own `atom` accepts. */
  | { readonly kind: "one"; readonly atom: number }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | RepeatNode
  | { readonly kind: "assert"; readonly assertion: number };

export interface RepeatNode {
  readonly kind: "repeat";
  readonly body: PatternNode;
  readonly least: number;
  readonly most: number;
  readonly lazy: boolean;
  readonly at: number;
}

/** What holds at a position. The assertions inside a lookaround stand before it in the list. */
export type Assertion =
  | { readonly kind: "start" | "end"; readonly multiline: boolean }
  | { readonly kind: "boundary"; readonly negated: boolean; readonly word: number }
  | { readonly kind: "look"; readonly behind: boolean; readonly negated: boolean; readonly body: PatternNode };

export interface PatternTree {
  readonly root: PatternNode;
  /** Expressions for single code points, each as the engine reads it. */
  readonly atoms: readonly RegExp[];
  readonly assertions: readonly Assertion[];
}

const MAX_LENGTH = 50_000;
const MAX_NESTING = 200;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\?)?/y;
const GROUP = /\((?:\?(?:<?[=!]|<[^>]*>|([a-z]*)(?:-([a-z]*))?:))?/y;
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;

/** Thrown inside the parser only. */
class Refused extends Error {
  readonly fault: PatternFault;

  constructor(at: number, message: string) {
    super(message);
    this.fault = { at, message };
  }
}

/** Fails where the engine itself refuses the pattern, and on backreferences, which no bounded matcher can answer. */
export function parsePattern(source: string): Result<PatternTree, PatternFault> {
  if (source.length > MAX_LENGTH) return err({ at: MAX_LENGTH, message: `longer than ${MAX_LENGTH} characters` });
  try {
    new RegExp(source, "u");
    return ok(new PatternParser(source).parse());
  } catch (error) {
    if (error instanceof Refused) return err(error.fault);
    if (error instanceof SyntaxError) {
      return err({ at: 0, message: "is not a regular expression (ECMA-262, unicode)" });
    }
    throw error;
  }
}

/** Relies on the pattern being valid: only the ends of its tokens are looked for. */
class PatternParser {
  readonly #source: string;
  readonly #atoms: RegExp[] = [];
  readonly #atomIds = new Map<string, number>();
  readonly #assertions: Assertion[] = [];
  readonly #assertionIds = new Map<string, number>();
  #at = 0;
  #nesting = 0;
  /** The flags in force: `i`, `m` and `s`, which a group may change. */
  #flags = "";

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternTree {
    const root = this.#choice();
    return { root, atoms: this.#atoms, assertions: this.#assertions };
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      options.push(this.#sequence());
    }
    const [only] = options;
    return options.length === 1 && only ? only : { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#source[this.#at]; next !== undefined && next !== "|" && next !== ")"; ) {
      parts.push(this.#repeated(this.#term(next)));
      next = this.#source[this.#at];
    }
    return { kind: "sequence", parts };
  }

  #repeated(body: PatternNode): PatternNode {
    const at = this.#at;
    const found = this.#read(QUANTIFIER);
    if (found === undefined) return body;
    const [, sign, count, comma, most] = found;
    const least = sign === undefined ? Number(count) : sign === "+" ? 1 : 0;
    const open = sign === undefined ? comma !== undefined && most === "" : sign !== "?";
    const bounded = sign === "?" ? 1 : comma === undefined ? least : Number(most);
    return {
      kind: "repeat",
      body,
      least,
      most: open ? Number.POSITIVE_INFINITY : bounded,
      lazy: found[5] !== undefined,
      at,
    };
  }

  #term(next: string): PatternNode {
    switch (next) {
      case "^":
      case "$":
        this.#at += 1;
        return this.#edge(next === "^" ? "start" : "end");
      case "(":
        return this.#group();
      case "[":
        return this.#atom(this.#read(CLASS)?.[0] ?? next);
      case "\\":
        return this.#escape();
      default: {
        const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
        this.#at += character.length;
        return this.#atom(character);
      }
    }
  }

  #edge(kind: "start" | "end"): PatternNode {
    const multiline = this.#flags.includes("m");
    return this.#assert({ kind, multiline }, `${kind}${multiline}`);
  }

  #escape(): PatternNode {
    const at = this.#at;
    const text = this.#read(ESCAPE)?.[0] ?? "";
    if (text === "\\b" || text === "\\B") {
      const word = this.#atomId("\\w");
      return this.#assert({ kind: "boundary", negated: text === "\\B", word }, `${text}${word}`);
    }
    if (/^\\[1-9k]/.test(text)) {
      throw new Refused(at, `a reference to what a group matched (${text}…) cannot be checked in bounded time`);
    }
    return this.#atom(text);
  }

  #group(): PatternNode {
    const flags = this.#flags;
    const at = this.#at;
    const [opening = "(", added = "", removed = ""] = this.#read(GROUP) ?? [];
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new Refused(at, `nests more than ${MAX_NESTING} groups`);
    this.#flags = [...`${flags}${added}`].filter((flag) => !removed.includes(flag)).join("");
    const body = this.#choice();
    this.#flags = flags;
    this.#nesting -= 1;
    this.#at += 1;
    if (!/^\(\?<?[=!]$/.test(opening)) return body;
    return this.#assert({ kind: "look", behind: opening.includes("<"), negated: opening.endsWith("!"), body });
  }

  #assert(assertion: Assertion, key?: string): PatternNode {
    const known = key === undefined ? undefined : this.#assertionIds.get(key);
    if (known !== undefined) return { kind: "assert", assertion: known };
    const id = this.#assertions.push(assertion) - 1;
    if (key !== undefined) this.#assertionIds.set(key, id);
    return { kind: "assert", assertion: id };
  }

  #atom(source: string): PatternNode {
    return { kind: "one", atom: this.#atomId(source) };
  }

  #atomId(source: string): number {
    const flags = `u${this.#flags.includes("i") ? "i" : ""}${this.#flags.includes("s") ? "s" : ""}`;
    const key = `${flags} ${source}`;
    const known = this.#atomIds.get(key);
    if (known !== undefined) return known;
    const id = this.#atoms.push(new RegExp(`^(?:${source})$`, flags)) - 1;
    this.#atomIds.set(key, id);
    return id;
  }

  #read(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.#source) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }
}
