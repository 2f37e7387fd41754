import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * Inserts any number of rows with one statement of one bound value: a JSON array of arrays, taken apart by the engine.
 * Binding each value on its own costs most of the time of a large batch, on the wire and at both ends. Rows that conflict
 * with one that is there are left out, unless `onConflict` says otherwise. Columns that a row lacks become null, not their
 * default. No rows are fine.
 */
export function insertRows<T extends SQLiteTable>(
  table: T,
  rows: readonly (T["$inferInsert"] & Readonly<Record<string, unknown>>)[],
  onConflict: SQL = sql`do nothing`,
): SQL {
  const columns = Object.entries(getTableColumns(table));
  const names = columns.map(([, column]) => sql.identifier(column.name));
  const values = columns.map((_, index) => sql.raw(`value ->> ${index}`));
  const json = wellFormed(JSON.stringify(rows.map((row) => columns.map(([key]) => row[key] ?? null))));
  // WHERE true: without it the parser takes ON for the beginning of a join.
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(values, sql`, `)}
    from json_each(${json}) where true on conflict ${onConflict}`;
}

/** Half a surrogate pair, and U+0000, are fine in JSON, but become text the engine cannot read back, or cuts there. */
function wellFormed(json: string): string {
  if (!/\\u(?:d[89a-f]|0000)/.test(json)) return json;
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|u0000|.)/g, (pair) =>
    /^\\u(?:d|0000)/.test(pair) ? "\\ufffd" : pair,
  );
}
