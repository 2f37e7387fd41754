import type { Cursor } from "./cursor.ts";
import { QueryRefusal } from "./fault.ts";
import { expression } from "./parse-expression.ts";
import { COMPARISONS, type Condition, type Literal, type Operator } from "./syntax.ts";

const MOST_VALUES = 200;

const OPERATORS = [...COMPARISONS, "IN", "LIKE", "BETWEEN", "IS NULL", "IS NOT NULL"];

/** Parses one condition; BETWEEN becomes two comparisons. */
export function condition(cursor: Cursor): readonly Condition[] {
  const start = cursor.next;
  const left = expression(cursor);
  const made = (operator: Operator, values: readonly Literal[], between = false): Condition => ({
    left,
    operator,
    values,
    between,
    ...cursor.spanFrom(start),
  });
  if (cursor.takeKeywords("is", "not", "null")) return [made("is not null", [])];
  if (cursor.takeKeywords("is", "null")) return [made("is null", [])];
  if (cursor.takeKeywords("is")) throw cursor.unexpected(["NULL", "NOT NULL"]);
  if (cursor.takeKeywords("between")) {
    const from = literal(cursor);
    cursor.needKeywords("and");
    const to = literal(cursor);
    return [made(">=", [from], true), made("<=", [to], true)];
  }
  const negated = cursor.takeKeywords("not");
  if (cursor.takeKeywords("in")) return [made(negated ? "not in" : "in", values(cursor))];
  if (cursor.takeKeywords("like")) return [made(negated ? "not like" : "like", [literal(cursor)])];
  if (negated) throw cursor.unexpected(["IN", "LIKE"]);
  const { next } = cursor;
  const operator = next.kind === "symbol" && next.text === "<>" ? "!=" : COMPARISONS.find((one) => one === next.text);
  if (next.kind !== "symbol" || !operator) throw cursor.unexpected(OPERATORS);
  cursor.take();
  return [made(operator, [literal(cursor)])];
}

function values(cursor: Cursor): readonly Literal[] {
  cursor.needSymbol("(");
  const all: Literal[] = [];
  do {
    if (all.length === MOST_VALUES)
      throw new QueryRefusal("query_limit", `there may be ${MOST_VALUES} values`, cursor.next);
    all.push(literal(cursor));
  } while (cursor.takeSymbol(","));
  cursor.needSymbol(")");
  return all;
}

function literal(cursor: Cursor): Literal {
  const { next } = cursor;
  const { position, length } = next;
  if (next.kind === "text") {
    cursor.take();
    return { kind: "text", value: next.value, position, length };
  }
  if (next.kind === "number") {
    cursor.take();
    return { kind: "number", text: next.text, position, length };
  }
  if (cursor.takeKeywords("true")) return { kind: "boolean", value: true, position, length };
  if (cursor.takeKeywords("false")) return { kind: "boolean", value: false, position, length };
  throw cursor.unexpected(["'text'", "a number", "TRUE", "FALSE"], hintFor(cursor));
}

function hintFor({ next }: Cursor): { readonly hint?: string } {
  if (next.kind !== "word") return {};
  if (next.word === "null") return { hint: "write IS NULL or IS NOT NULL: nothing is equal to NULL" };
  return { hint: `texts stand in single quotes: '${next.text.slice(0, 40)}'` };
}
