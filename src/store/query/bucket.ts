/** Hours, days, ISO weeks and months of local time, computed by the engine from bound offsets. */

import type { BucketUnit } from "../../query/syntax.ts";
import type { OffsetPeriod, TimeZone } from "../../query/time-zone.ts";
import { bind, Fragment, sql } from "../database/fragment.ts";
import { HOUR_MS } from "../telemetry/stale-hours.ts";

const DAY_MS = 24 * HOUR_MS;
/** Dates end at 8.64e15; a later value that a client reported is shown as a number. */
const LAST_INSTANT = 8_640_000_000_000_000 - 2 * DAY_MS;
/** Added before dividing, so that whole division rounds down; weeks then begin on a Monday (1 January 1970 was a Thursday). */
const SHIFT_DAYS = { day: 7, week: 10 } as const;

/** Returns the SQL of a bucket: an instant, a count of days or weeks, or `2026-07`. */
export function bucketSql(unit: BucketUnit, ts: Fragment, periods: readonly OffsetPeriod[]): Fragment {
  switch (unit) {
    case "hour": {
      // Two hours that clocks show alike stay separate, because the value is an instant.
      const part = offsetSql(ts, periods, (offset) => ((offset % HOUR_MS) + HOUR_MS) % HOUR_MS);
      return sql`((${ts} + ${part}) / 3600000 * 3600000 - ${part})`;
    }
    case "day":
      return sql`((${ts} + ${offsetSql(ts, periods, (offset) => offset + SHIFT_DAYS.day * DAY_MS)}) / 86400000)`;
    case "week":
      return sql`((${ts} + ${offsetSql(ts, periods, (offset) => offset + SHIFT_DAYS.week * DAY_MS)}) / 604800000)`;
    case "month":
      return sql`strftime('%Y-%m', (${ts} + ${offsetSql(ts, periods, (offset) => offset)}) / 1000, 'unixepoch')`;
  }
}

/** Returns the value of a bucket as text for people. */
export function bucketText(unit: BucketUnit, value: bigint | number | string, zone: TimeZone): string {
  switch (unit) {
    case "hour":
      return instantText(Number(value), zone).replace(".000", "");
    case "day":
      return dateText((Number(value) - SHIFT_DAYS.day) * DAY_MS);
    case "week":
      return dateText((Number(value) * 7 - SHIFT_DAYS.week) * DAY_MS);
    case "month":
      return String(value);
  }
}

/** `2026-07-26T09:14:05.120Z`, or with the zone's own offset. */
export function instantText(instant: number, zone: TimeZone): string {
  if (instant > LAST_INSTANT) return String(instant);
  const offset = zone.offsetAt(instant);
  const text = new Date(instant + offset).toISOString();
  if (zone.name === "UTC") return text;
  const minutes = Math.abs(Math.round(offset / 60_000));
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${text.slice(0, -1)}${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const dateText = (local: number): string =>
  local > LAST_INSTANT ? String(local) : new Date(local).toISOString().slice(0, 10);

/** The newest period comes first, because most rows are recent. */
function offsetSql(ts: Fragment, periods: readonly OffsetPeriod[], of: (offset: number) => number): Fragment {
  const values = periods
    .map(({ since, offset }) => ({ since, value: of(offset) }))
    .filter(({ value }, index, all) => value !== all[index - 1]?.value);
  const [first, ...later] = values;
  const whens = later.reverse().map(({ since, value }) => sql` WHEN ${ts} >= ${bind(since)} THEN ${bind(value)}`);
  if (whens.length === 0) return bind(first?.value ?? 0);
  return sql`CASE${Fragment.join(whens, sql``)} ELSE ${bind(first?.value ?? 0)} END`;
}
