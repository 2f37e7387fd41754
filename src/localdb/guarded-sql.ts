/**
 * Reading of text through the engine's library without its conversion: it ends the process where the bytes are not
 * UTF-8, and cuts a text at U+0000. A guarded statement returns text as its bytes and blobs as hexadecimal digits.
 */
import { isUtf8 } from "node:buffer";
import { numberedParameters, statementKind, tokensOf } from "./sql-text.ts";
import { StatementError } from "./statement-error.ts";

/** No statement of a user is likely to name a table so; one that does fails to compile and is run as it stands. */
const ROWS = "modelrig_guarded_rows";

/**
 * Returns a statement that gives the same rows with guarded values, or `undefined` where the statement cannot be stated
 * that way (EXPLAIN, PRAGMA, and a RETURNING clause whose items cannot be told apart).
 */
export function guardedSql(sql: string, columns: readonly string[]): string | undefined {
  const [first, ...rest] = tokensOf(sql);
  const verb = first?.text.toLowerCase();
  if (verb === "select" || verb === "values" || (verb === "with" && statementKind(sql) === "read"))
    return guardedSelect(sql, columns.length);
  if (rest.some(({ text }) => text.toLowerCase() === "returning")) return guardedReturning(sql, columns);
  return undefined;
}

function guardedSelect(sql: string, width: number): string {
  const names = Array.from({ length: width }, (_, index) => `c${index}`);
  // The line end closes a comment that the statement may end with.
  return `WITH ${ROWS}(${names.join()}) AS (${withoutEnd(sql)}\n) SELECT ${names.map(guarded).join()} FROM ${ROWS}`;
}

/** SQLite takes no INSERT, UPDATE or DELETE inside another statement: the items themselves are guarded. */
function guardedReturning(sql: string, columns: readonly string[]): string | undefined {
  // A guarded item is stated four times: each of its parameters keeps its number.
  const statement = numberedParameters(withoutEnd(sql));
  const tokens = tokensOf(statement);
  const start = tokens.findLastIndex(({ text }) => text.toLowerCase() === "returning");
  const keyword = tokens[start];
  if (!keyword) return undefined;
  const after = keyword.at + keyword.text.length;
  const items = splitItems(statement, after);
  const expressions = items.length === 1 && items[0] === "*" ? columns.map(quoted) : items;
  if (expressions.length !== columns.length) return undefined;
  return `${statement.slice(0, after)} ${expressions.map(guarded).join()}`;
}

/** Splits a list at its own commas, and leaves `AS name` out. */
function splitItems(statement: string, from: number): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = from;
  let end: number | undefined;
  for (const { text, at } of tokensOf(statement)) {
    if (at < from) continue;
    if (text === "(") depth += 1;
    else if (text === ")") depth -= 1;
    else if (depth > 0) continue;
    else if (text.toLowerCase() === "as") end = at;
    else if (text === ",") {
      items.push(statement.slice(start, end ?? at).trim());
      start = at + 1;
      end = undefined;
    }
  }
  return [...items, statement.slice(start, end).trim()];
}

function withoutEnd(sql: string): string {
  const last = tokensOf(sql).findLast(({ text }) => text !== ";");
  return last ? sql.slice(0, last.at + last.text.length) : sql;
}

function guarded(expression: string): string {
  return `CASE typeof(${expression}) WHEN 'text' THEN CAST(${expression} AS BLOB) WHEN 'blob' THEN hex(${expression}) ELSE ${expression} END`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the value that a guarded statement stands for. Throws `StatementError` for a text that is not UTF-8: JSON cannot hold it. */
export function unguarded(value: unknown, column: string): unknown {
  if (typeof value === "string") return Buffer.from(value, "hex");
  if (!(value instanceof Uint8Array)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new StatementError(
    "TEXT_NOT_UTF8",
    `the text in column ${JSON.stringify(column)} is not UTF-8; read it with CAST(… AS BLOB) or hex(…)`,
  );
}
