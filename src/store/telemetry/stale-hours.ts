import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { inferences } from "../tables/inferences.ts";
import { staleHours } from "../tables/rollups.ts";

export const HOUR_MS = 3_600_000;

/** Start of the hour an instant lies in, epoch milliseconds. */
export function hourOf(ts: number): number {
  return Math.floor(ts / HOUR_MS) * HOUR_MS;
}

/** The same in SQL, whose remainder has the sign of its left side. */
export function hourSql(ts: SQLWrapper): SQL {
  return sql`(${ts} - ((${ts} % ${sql.raw(String(HOUR_MS))}) + ${sql.raw(String(HOUR_MS))}) % ${sql.raw(String(HOUR_MS))})`;
}

/**
 * Marks the hours of those records that are not there yet; goes before their insert, in the same transaction. A record
 * that comes again marks nothing.
 */
export function markStale(records: readonly { readonly org: string; readonly id: string; readonly ts: number }[]): SQL {
  const rows = records.map(({ org, id, ts }) => [org.toWellFormed(), id.toWellFormed(), hourOf(ts)]);
  return sql`insert into ${staleHours} (org, hour) select distinct value ->> 0, value ->> 2 from json_each(${JSON.stringify(rows)})
    where not exists (select 1 from ${inferences} i where i.org = value ->> 0 and i.id = value ->> 1) on conflict do nothing`;
}
