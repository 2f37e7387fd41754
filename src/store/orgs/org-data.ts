/** Export and deletion of all data of an org. */

import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { hourOf } from "../telemetry/stale-hours.ts";
import { auditInsert } from "./audit-log.ts";
import { ORG_TABLES, type OrgTable } from "./org-tables.ts";

/** Position of an export: a table, and the key of the last row read. Opaque to callers. */
type ExportCursor = string;

export interface ExportPage {
  readonly table: string;
  /** Keyed by column name, in stored units: money in nano-dollars, times in epoch milliseconds. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Absent = this was the last page. */
  readonly next?: ExportCursor | undefined;
}

interface Erased {
  /** Rows deleted by this call, per table that lost any. */
  readonly deleted: Readonly<Record<string, number>>;
  /** False = more rows are left: call again. */
  readonly done: boolean;
}

const ROWS_PER_PAGE = 500;
/** Rows that may hold a megabyte each. */
const HEAVY_ROWS_PER_PAGE = 16;
const ROWS_PER_DELETE = 1_000;

export class OrgData {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /** Returns the page after `cursor`, or the first; `undefined` where the cursor is invalid. One round trip. */
  async page(cursor: ExportCursor | undefined): Promise<ExportPage | undefined> {
    const at = cursor === undefined ? { index: 0, key: undefined } : readCursor(cursor);
    const found = at && ORG_TABLES[at.index];
    if (!at || !found) return undefined;
    const { table, heavy } = found;
    const limit = heavy ? HEAVY_ROWS_PER_PAGE : ROWS_PER_PAGE;
    const key = keyOf(table);
    if (at.key && at.key.length !== key.length) return undefined;
    const rows = await settled(
      this.#db
        .select()
        .from(table)
        .where(and(eq(orgColumn(table), this.#org), at.key && after(key, at.key)))
        .orderBy(...key)
        .limit(limit),
    );
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const next = last
      ? { index: at.index, key: key.map((column) => last[propertyOf(table, column)]) }
      : { index: at.index + 1, key: undefined };
    return {
      table: nameOf(table),
      rows: rows.map((row) => byColumnName(found, row)),
      next: next.index < ORG_TABLES.length ? writeCursor(next.index, next.key) : undefined,
    };
  }

  /**
   * Deletes in batches of at most a thousand rows per table, until nothing is left or `goOn` returns false. The audit
   * log gets its entry with the first batch. With `before` (epoch milliseconds, rounded down to the full hour, since
   * sums are kept per hour) only older rows of tables that hold history; otherwise everything except keys, settings and
   * the audit log.
   */
  async erase(before: number | undefined, stamp: AuditStamp, goOn: () => boolean): Promise<Erased> {
    const hour = before === undefined ? undefined : hourOf(before);
    const tables = ORG_TABLES.filter(({ kept, at }) => !kept && (hour === undefined || at !== undefined));
    const deleted: Record<string, number> = {};
    const entry = { ...stamp, action: "data.deleted", subject: this.#org };
    let first = true;
    for (;;) {
      const deletes = tables.map((one) => this.#db.run(deletion(one, this.#org, hour)));
      const audit = auditInsert(this.#db, this.#org, { ...entry, detail: { before: hour ?? null } });
      const results = await settled(this.#db.batch(first ? [audit, ...deletes] : nonEmpty(deletes)));
      const counts = results.slice(first ? 1 : 0).map(({ rowsAffected }) => rowsAffected);
      first = false;
      for (const [index, { table }] of tables.entries()) {
        const count = counts[index] ?? 0;
        if (count > 0) deleted[nameOf(table)] = (deleted[nameOf(table)] ?? 0) + count;
      }
      if (!counts.some((count) => count >= ROWS_PER_DELETE)) return { deleted, done: true };
      if (!goOn()) return { deleted, done: false };
    }
  }
}

/** Selects a batch of the oldest rows of a table, or of any rows without an age. */
function deletion({ table, at, of }: OrgTable, org: string, before: number | undefined): SQL {
  const oldest = (from: SQLiteTable, column: SQL | SQLiteColumn): SQL => {
    const old = before === undefined || at === undefined ? sql`` : sql` and ${at} < ${before} order by ${at}, rowid`;
    return sql`select ${column} from ${from} where ${orgColumn(from)} = ${org}${old} limit ${ROWS_PER_DELETE}`;
  };
  // Dependent rows are deleted in the same transaction, so nothing is left without its owner.
  return before !== undefined && of
    ? sql`delete from ${table} where ${orgColumn(table)} = ${org} and ${of.id} in (${oldest(of.owner, of.ownerId)})`
    : sql`delete from ${table} where rowid in (${oldest(table, sql`rowid`)})`;
}

type Key = readonly SQLiteColumn[];

/** The primary key without the org, which every statement names anyway. */
function keyOf(table: SQLiteTable): Key {
  const { primaryKeys, columns } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return key.filter(({ name }) => name !== "org");
}

function after(key: Key, values: readonly unknown[]): SQL | undefined {
  if (key.length === 0) return undefined;
  const bound = key.map((column, index) => sql`${sql.param(values[index], column)}`);
  return sql`(${sql.join([...key], sql`, `)}) > (${sql.join(bound, sql`, `)})`;
}

function orgColumn(table: SQLiteTable): SQLiteColumn {
  const column = getTableColumns(table)["org"];
  if (!column) throw new Error(`${nameOf(table)} has no column org`);
  return column;
}

function nameOf(table: SQLiteTable): string {
  return getTableConfig(table).name;
}

function propertyOf(table: SQLiteTable, column: SQLiteColumn): string {
  return Object.entries(getTableColumns(table)).find(([, one]) => one === column)?.[0] ?? column.name;
}

function byColumnName({ table, secret = [] }: OrgTable, row: Readonly<Record<string, unknown>>) {
  const columns = Object.entries(getTableColumns(table)).filter(([, column]) => !secret.includes(column));
  return Object.fromEntries(columns.map(([property, { name }]) => [name, row[property]]));
}

const cursorParts = z.tuple([
  z.int().nonnegative(),
  z.array(z.union([z.string(), z.number(), z.boolean()])).nullable(),
]);

function writeCursor(index: number, key: readonly unknown[] | undefined): ExportCursor {
  return encodeURIComponent(JSON.stringify([index, key ?? null]));
}

function readCursor(cursor: ExportCursor) {
  try {
    const parts = cursorParts.safeParse(JSON.parse(decodeURIComponent(cursor)));
    return parts.success ? { index: parts.data[0], key: parts.data[1] ?? undefined } : undefined;
  } catch {
    return undefined;
  }
}

function nonEmpty<T>(items: readonly T[]): [T, ...T[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error("there is no table to delete from");
  return [first, ...rest];
}
