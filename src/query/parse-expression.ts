import type { Cursor } from "./cursor.ts";
import { didYouMean, QueryRefusal } from "./fault.ts";
import type { Token } from "./lexer.ts";
import { functionAdvice } from "./near-miss.ts";
import { AGGREGATE_FUNCTIONS, BUCKET_UNITS, type Expression, type Word } from "./syntax.ts";

const FUNCTIONS: readonly string[] = [...AGGREGATE_FUNCTIONS, ...BUCKET_UNITS];

/** Parses a column, tag, time bucket, aggregate or position. */
export function expression(cursor: Cursor): Expression {
  const { next } = cursor;
  if (next.kind === "tag") {
    cursor.take();
    return { kind: "tag", name: next.name, position: next.position, length: next.length };
  }
  if (next.kind === "number" && /^\d{1,9}$/.test(next.text)) {
    cursor.take();
    return { kind: "position", value: Number(next.text), position: next.position, length: next.length };
  }
  const name = cursor.takeName();
  if (!name) throw cursor.unexpected(["a column", "an aggregate", "tag.<name>"], hintFor(next));
  const word = name.text.toLowerCase();
  if (!cursor.takeSymbol("(")) {
    if (word === "conformance_rate") {
      return { kind: "aggregate", function: word, distinct: false, ...span(name) };
    }
    return { kind: "name", name: word, text: name.text, ...span(name) };
  }
  return call(cursor, name, word);
}

function call(cursor: Cursor, name: Word, word: string): Expression {
  const unit = BUCKET_UNITS.find((known) => known === word);
  if (unit) {
    const column = argument(cursor, `${word}(ts)`);
    cursor.needSymbol(")");
    return { kind: "bucket", unit, column, ...cursor.spanFrom(name) };
  }
  const known = AGGREGATE_FUNCTIONS.find((one) => one === word);
  if (!known) {
    throw new QueryRefusal("query_syntax", `there is no function ${name.text}`, name, {
      expected: FUNCTIONS,
      found: name.text,
      hint: functionAdvice(word) ?? didYouMean(word, FUNCTIONS) ?? `there are ${FUNCTIONS.join(", ")}`,
    });
  }
  if (known === "conformance_rate") {
    cursor.takeSymbol("*");
    cursor.needSymbol(")");
    return { kind: "aggregate", function: known, distinct: false, ...cursor.spanFrom(name) };
  }
  if (known === "count" && cursor.takeSymbol("*")) {
    cursor.needSymbol(")");
    return { kind: "aggregate", function: known, distinct: false, ...cursor.spanFrom(name) };
  }
  const distinct = known === "count" && cursor.takeKeywords("distinct");
  const column = argument(cursor, known === "count" ? "count(*)" : `${known}(cost)`);
  cursor.needSymbol(")");
  return { kind: "aggregate", function: known, distinct, column, ...cursor.spanFrom(name) };
}

function hintFor(next: Token): { readonly hint?: string } {
  return next.kind === "word" && next.word === "distinct"
    ? { hint: "different values: GROUP BY the column; their number: count(DISTINCT x)" }
    : {};
}

/** Parses a column or, as `tag.<name>`, a tag. `example` shows a call that has one. */
function argument(cursor: Cursor, example: string): Word {
  const { next } = cursor;
  if (next.kind === "tag") {
    cursor.take();
    return { text: `tag.${next.name}`, ...span(next) };
  }
  const name = cursor.takeName();
  if (!name) throw cursor.unexpected(["a column"], { hint: `write for example ${example}` });
  return name;
}

const span = ({ position, length }: { position: number; length: number }) => ({ position, length });
