import type { Cursor } from "./cursor.ts";
import { didYouMean, QueryRefusal } from "./fault.ts";
import { AGGREGATE_FUNCTIONS, BUCKET_UNITS, type Expression, type Word } from "./syntax.ts";

const FUNCTIONS: readonly string[] = [...AGGREGATE_FUNCTIONS, ...BUCKET_UNITS];

/** A column, tag, time bucket, aggregate or position. */
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
  if (!name) throw cursor.unexpected(["a column", "an aggregate", "tag.<name>"]);
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
    const column = argument(cursor);
    cursor.needSymbol(")");
    return { kind: "bucket", unit, column, ...cursor.spanFrom(name) };
  }
  const known = AGGREGATE_FUNCTIONS.find((one) => one === word);
  if (!known) {
    throw new QueryRefusal("query_syntax", `there is no function ${name.text}`, name, {
      expected: FUNCTIONS,
      found: name.text,
      hint: didYouMean(word, FUNCTIONS) ?? `there are ${FUNCTIONS.join(", ")}`,
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
  const column = argument(cursor);
  cursor.needSymbol(")");
  return { kind: "aggregate", function: known, distinct, column, ...cursor.spanFrom(name) };
}

/** A column or, as `tag.<name>`, a tag. */
function argument(cursor: Cursor): Word {
  const { next } = cursor;
  if (next.kind === "tag") {
    cursor.take();
    return { text: `tag.${next.name}`, ...span(next) };
  }
  const name = cursor.takeName();
  if (!name) throw cursor.unexpected(["a column"]);
  return name;
}

const span = ({ position, length }: { position: number; length: number }) => ({ position, length });
