/**
 * [EXPLAIN] SELECT item, … FROM table [WHERE condition AND …] [GROUP BY …] [HAVING condition AND …]
 * [ORDER BY … [ASC|DESC], …] [LIMIT n] [TIMEZONE 'Area/City'] [;]
 */
import { Cursor, KEYWORDS } from "./cursor.ts";
import { QueryRefusal } from "./fault.ts";
import { queryTokens } from "./lexer.ts";
import { everyColumnAdvice } from "./near-miss.ts";
import { condition } from "./parse-condition.ts";
import { expression } from "./parse-expression.ts";
import type { Condition, Expression, Item, Query, SortKey } from "./syntax.ts";

const MOST_ITEMS = 32;
const MOST_CONDITIONS = 32;
const MOST_KEYS = 8;

/** Throws `QueryRefusal` where the text is not a query. */
export function parseQuery(text: string): Query {
  const cursor = new Cursor(queryTokens(text));
  const explain = cursor.takeKeywords("explain");
  cursor.needKeywords("select");
  const items = list(cursor, "items", MOST_ITEMS, item);
  cursor.needKeywords("from");
  const table = cursor.takeName();
  if (!table) throw cursor.unexpected(["a table"]);
  const query: Query = {
    explain,
    items,
    table,
    where: cursor.takeKeywords("where") ? conditions(cursor) : [],
    groupBy: cursor.takeKeywords("group", "by") ? list(cursor, "groups", MOST_KEYS, expression) : [],
    having: cursor.takeKeywords("having") ? conditions(cursor) : [],
    orderBy: cursor.takeKeywords("order", "by") ? list(cursor, "sort keys", MOST_KEYS, sortKey) : [],
    limit: limit(cursor),
    timezone: timezone(cursor),
  };
  cursor.takeSymbol(";");
  if (cursor.next.kind !== "end") throw tooMuch(cursor, query);
  return query;
}

function item(cursor: Cursor): Item {
  if (cursor.next.kind === "symbol" && cursor.next.text === "*") {
    throw cursor.unexpected(["a column", "an aggregate"], { hint: everyColumnAdvice(cursor.wordAfter("from")) });
  }
  const read = expression(cursor);
  if (!cursor.takeKeywords("as")) return { expression: read };
  const alias = cursor.takeName();
  if (!alias) throw cursor.unexpected(["a name"], { hint: "a name is a word that is not part of the grammar" });
  return { expression: read, alias };
}

function sortKey(cursor: Cursor): SortKey {
  const read = expression(cursor);
  if (cursor.takeKeywords("desc")) return { expression: read, descending: true };
  cursor.takeKeywords("asc");
  return { expression: read, descending: false };
}

function list<T extends Item | Expression | SortKey>(
  cursor: Cursor,
  what: string,
  most: number,
  one: (cursor: Cursor) => T,
): readonly T[] {
  const all: T[] = [];
  do {
    if (all.length === most) throw tooMany(cursor, what, most);
    all.push(one(cursor));
  } while (cursor.takeSymbol(","));
  return all;
}

function conditions(cursor: Cursor): readonly Condition[] {
  const all: Condition[] = [];
  do {
    if (all.length >= MOST_CONDITIONS) throw tooMany(cursor, "conditions", MOST_CONDITIONS);
    all.push(...condition(cursor));
  } while (cursor.takeKeywords("and"));
  return all;
}

function limit(cursor: Cursor): Query["limit"] {
  if (!cursor.takeKeywords("limit")) return undefined;
  const { next } = cursor;
  if (next.kind !== "number" || !/^\d+$/.test(next.text)) throw cursor.unexpected(["a whole number"]);
  cursor.take();
  return { position: next.position, length: next.length, value: Number(next.text) };
}

function timezone(cursor: Cursor): Query["timezone"] {
  if (!cursor.takeKeywords("timezone")) return undefined;
  const { next } = cursor;
  if (next.kind !== "text") throw cursor.unexpected(["'Area/City'"], { hint: "for example TIMEZONE 'Europe/Berlin'" });
  cursor.take();
  return { position: next.position, length: next.length, value: next.value };
}

function tooMany(cursor: Cursor, what: string, most: number): QueryRefusal {
  return new QueryRefusal("query_limit", `there may be ${most} ${what}`, cursor.next, { found: cursor.next.text });
}

/** Returns what could have come instead of the token at which the query ended too early. */
function tooMuch(cursor: Cursor, query: Query): QueryRefusal {
  const clauses: readonly (readonly [string, boolean])[] = [
    ["WHERE", query.where.length > 0],
    ["GROUP BY", query.groupBy.length > 0],
    ["HAVING", query.having.length > 0],
    ["ORDER BY", query.orderBy.length > 0],
    ["LIMIT", query.limit !== undefined],
    ["TIMEZONE", query.timezone !== undefined],
  ];
  const written = clauses.findLastIndex(([, there]) => there);
  const open = clauses.slice(written + 1).map(([clause]) => clause);
  return cursor.unexpected([...open, "the end"], { ...hintFor(cursor) });
}

const NOT_HERE: Readonly<Record<string, string>> = {
  or: "conditions are joined by AND only; use IN (…) for alternatives, or ask twice",
  join: "a query reads one table; attempts and grades carry the columns of their call",
  union: "ask twice",
  offset: "page by a condition, for example ts < '…'",
};

function hintFor(cursor: Cursor): { hint?: string } {
  const { next } = cursor;
  if (next.kind !== "word") return {};
  const hint = NOT_HERE[next.word];
  if (hint !== undefined) return { hint };
  return KEYWORDS.has(next.word)
    ? { hint: "the order is SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, TIMEZONE" }
    : {};
}
