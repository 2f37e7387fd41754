import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
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
 * Marks the hours of these records, unless the statement before it, their insert, found all of them there already. The
 * hour of one that came again beside a new one is marked too, and summed once more to the same sums.
 */
export function markStale(records: readonly { readonly org: string; readonly ts: number }[]): SQL {
  const hours = new Set(records.map(({ org, ts }) => JSON.stringify([org.toWellFormed(), hourOf(ts)])));
  return sql`insert into ${staleHours} (org, hour) select value ->> 0, value ->> 1 from json_each(${`[${[...hours].join()}]`})
    where changes() > 0 on conflict do nothing`;
}
