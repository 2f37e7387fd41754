import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { staleHours } from "../tables/rollups.ts";

export const HOUR_MS = 3_600_000;

/** Returns the start of an instant's hour, epoch milliseconds. */
export function hourOf(ts: number): number {
  return Math.floor(ts / HOUR_MS) * HOUR_MS;
}

/** The same in SQL, where a remainder has the sign of its left side. */
export function hourSql(ts: SQLWrapper): SQL {
  return sql`(${ts} - ((${ts} % ${sql.raw(String(HOUR_MS))}) + ${sql.raw(String(HOUR_MS))}) % ${sql.raw(String(HOUR_MS))})`;
}

/**
 * Marks the hours of these records, unless the statement before it, their insert, added none of them. The hour of a
 * repeated record beside a new one is marked too, and gets the same sums again.
 */
export function markStale(records: readonly { readonly org: string; readonly ts: number }[]): SQL {
  const hours = new Set(records.map(({ org, ts }) => JSON.stringify([org.toWellFormed(), hourOf(ts)])));
  return sql`insert into ${staleHours} (org, hour) select value ->> 0, value ->> 1 from json_each(${`[${[...hours].join()}]`})
    where changes() > 0 on conflict do nothing`;
}
