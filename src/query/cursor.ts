import { didYouMean, type FaultDetails, QueryRefusal, type Span } from "./fault.ts";
import type { Token } from "./lexer.ts";
import type { Word } from "./syntax.ts";

/** Words of the grammar; no column, table or alias can have one as its name. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "explain select from where and group by having order asc desc limit timezone as distinct in like between is not " +
    "null true false or join union offset"
  ).split(" "),
);

/** Reads the tokens of a query one by one. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#peek(0);
  }

  get afterNext(): Token {
    return this.#peek(1);
  }

  /** The token before `next`. */
  get last(): Token {
    return this.#peek(-1);
  }

  take(): Token {
    const token = this.next;
    this.#at += 1;
    return token;
  }

  /** Skips the keywords if all of them come next. */
  takeKeywords(...words: readonly string[]): boolean {
    const here = words.every((word, index) => {
      const token = this.#peek(index);
      return token.kind === "word" && token.word === word;
    });
    if (here) this.#at += words.length;
    return here;
  }

  takeSymbol(symbol: string): boolean {
    const here = this.next.kind === "symbol" && this.next.text === symbol;
    if (here) this.#at += 1;
    return here;
  }

  needKeywords(...words: readonly string[]): void {
    if (!this.takeKeywords(...words)) throw this.unexpected([words.join(" ").toUpperCase()]);
  }

  needSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) throw this.unexpected([symbol]);
  }

  /** Reads a word that is no keyword. */
  takeName(): Word | undefined {
    const { next } = this;
    if (next.kind !== "word" || KEYWORDS.has(next.word)) return undefined;
    this.#at += 1;
    return { text: next.text, position: next.position, length: next.length };
  }

  /** From the beginning of a token to the end of the last token read. */
  spanFrom({ position }: Span): Span {
    const { last } = this;
    return { position, length: last.position + last.length - position };
  }

  /** Returns the word after a later keyword; `undefined` where there is none. */
  wordAfter(keyword: string): string | undefined {
    const at = this.#tokens.findIndex(
      (token, index) => index >= this.#at && token.kind === "word" && token.word === keyword,
    );
    const token = at < 0 ? undefined : this.#tokens[at + 1];
    return token?.kind === "word" ? token.word : undefined;
  }

  unexpected(expected: readonly string[], details: FaultDetails = {}): QueryRefusal {
    const { next } = this;
    const found = next.kind === "end" ? "the end of the query" : next.text;
    const wanted = expected.length > 1 ? `one of ${expected.join(", ")}` : (expected[0] ?? "the end");
    const guess = next.kind === "word" ? didYouMean(next.word, expected.map(lower)) : undefined;
    return new QueryRefusal("query_syntax", `expected ${wanted}, found ${shown(next)}`, next, {
      expected,
      found,
      hint: guess,
      ...details,
    });
  }

  #peek(offset: number): Token {
    const index = Math.max(0, Math.min(this.#at + offset, this.#tokens.length - 1));
    return this.#tokens[index] ?? { kind: "end", text: "", position: 0, length: 0 };
  }
}

const lower = (word: string): string => word.toLowerCase();

function shown(token: Token): string {
  if (token.kind === "end") return "the end of the query";
  return token.text.length > 40 ? `${token.text.slice(0, 40).replace(/[\ud800-\udbff]$/, "")}…` : token.text;
}
