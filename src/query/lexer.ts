import { isTagName } from "../intake/tag-rule.ts";
import { QueryRefusal, type Span } from "./fault.ts";

export type Token = Span &
  (
    | { readonly kind: "word"; readonly text: string; readonly word: string }
    | { readonly kind: "tag"; readonly text: string; readonly name: string }
    | { readonly kind: "text"; readonly text: string; readonly value: string }
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "symbol"; readonly text: string }
    | { readonly kind: "end"; readonly text: "" }
  );

/** UTF-16 units. */
const LONGEST_QUERY = 8_000;

const SPACE = /\s+/y;
const TAG = /tag\s*\.\s*/iy;
const TAG_WORD = /[A-Za-z0-9_.-]+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.])/y;
const TEXT = /'((?:[^']|'')*)'/y;
const SYMBOL = /<>|!=|<=|>=|[=<>,()*;]/y;

/** Splits a query into tokens; the last is the end. */
export function queryTokens(query: string): readonly Token[] {
  if (query.length > LONGEST_QUERY) {
    const span = { position: LONGEST_QUERY, length: 0 };
    throw new QueryRefusal("query_limit", `the query is longer than ${LONGEST_QUERY} characters`, span);
  }
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    if (!match) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(SPACE);
    const position = at;
    if (at >= query.length) {
      tokens.push({ kind: "end", text: "", position, length: 0 });
      return tokens;
    }
    const span = () => ({ position, length: at - position, text: query.slice(position, at) });
    if (take(TAG)) {
      const name = take(TAG_WORD)?.[0] ?? "";
      tokens.push(tagToken(name, span()));
      continue;
    }
    const word = take(WORD)?.[0].toLowerCase();
    const text = word === undefined ? take(TEXT)?.[1] : undefined;
    if (word !== undefined) tokens.push({ kind: "word", word, ...span() });
    else if (text !== undefined) tokens.push({ kind: "text", value: text.replaceAll("''", "'"), ...span() });
    else if (take(NUMBER)) tokens.push({ kind: "number", ...span() });
    else if (take(SYMBOL)) tokens.push({ kind: "symbol", ...span() });
    else throw unreadable(query, at);
  }
}

function tagToken(name: string, span: Span & { readonly text: string }): Token {
  if (isTagName(name)) return { kind: "tag", name, ...span };
  throw new QueryRefusal("query_column", "this is not the name of a tag", span, {
    expected: ["tag.<name>"],
    found: span.text,
    hint: "a tag's name has up to 64 letters, digits, _ . and -, and begins with a letter, a digit or _",
  });
}

function unreadable(query: string, position: number): QueryRefusal {
  const character = String.fromCodePoint(query.codePointAt(position) ?? 0);
  const details = { found: character, hint: HINTS[character] };
  if (character === "'") {
    const span = { position, length: query.length - position };
    return new QueryRefusal("query_syntax", "the text that begins here does not end", span, {
      ...details,
      expected: ["'"],
    });
  }
  const span = { position, length: character.length };
  return new QueryRefusal("query_syntax", `${JSON.stringify(character)} cannot stand here`, span, details);
}

const HINTS: Readonly<Record<string, string>> = {
  "'": "a quote within a text is written twice: 'it''s'",
  '"': "texts stand in 'single quotes', names in none",
  "`": "texts stand in 'single quotes', names in none",
  "-": "there are no comments and no arithmetic",
  "/": "there are no comments and no arithmetic",
  "+": "there is no arithmetic",
  ".": "only tags have a dot: tag.client",
  "?": "write the value itself: it is always bound, never made part of a statement",
};
