import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

interface InsertChoice {
  /** What happens to a row that conflicts with an existing one. Default: it is left out. */
  readonly onConflict?: SQL | undefined;
  /** Which of the rows are inserted, by `given` columns. Default: all. */
  readonly where?: SQL | undefined;
}

/** Returns the value that a row to be inserted has in a column of `table`, for `InsertChoice.where`. */
export function insertedValue(table: SQLiteTable, key: string): SQL {
  return sql.raw(`value ->> ${Object.keys(getTableColumns(table)).indexOf(key)}`);
}

/**
 * Inserts any number of rows with one statement and one bound value: a JSON array of arrays that the engine reads.
 * Binding each value separately costs most of the time of a large batch. Rows that conflict with existing ones are left
 * out, unless the choice says otherwise. Columns that a row lacks become null, not their default. An empty list is
 * allowed.
 */
export function insertRows<T extends SQLiteTable>(
  table: T,
  rows: readonly (T["$inferInsert"] & Readonly<Record<string, unknown>>)[],
  { onConflict = sql`do nothing`, where = sql`true` }: InsertChoice = {},
): SQL {
  const columns = Object.entries(getTableColumns(table));
  const names = columns.map(([, column]) => sql.identifier(column.name));
  const values = columns.map((_, index) => sql.raw(`value ->> ${index}`));
  const json = wellFormed(JSON.stringify(rows.map((row) => columns.map(([key]) => row[key] ?? null))));
  // The WHERE is always present: without it the parser takes ON for the beginning of a join.
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(values, sql`, `)}
    from json_each(${json}) where ${where} on conflict ${onConflict}`;
}

/**
 * Half a surrogate pair and U+0000 are valid in JSON, but become text that the engine cannot read back or truncates.
 */
function wellFormed(json: string): string {
  if (!/\\u(?:d[89a-f]|0000)/.test(json)) return json;
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|u0000|.)/g, (pair) =>
    /^\\u(?:d|0000)/.test(pair) ? "\\ufffd" : pair,
  );
}
