import { and, asc, count, eq, gte, lte, min, type SQL, sql } from "drizzle-orm";
import { type NanoUsd, nanoUsd } from "../../money/nano-usd.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { inferences } from "../tables/inferences.ts";
import { inferenceRollups, retentionMarks, staleHours, tagRollups, wideTags } from "../tables/rollups.ts";
import { addToAllRollups, addToRollups, addToTagRollups, findWideTags } from "./rollup-sql.ts";
import { HOUR_MS, hourOf } from "./stale-hours.ts";

/** Live traffic that one variant of a route served since an instant. */
interface Served {
  readonly conformant: number;
  /** Conformant with a known cost. */
  readonly conformantPriced: number;
  /** Calls with a known cost, failed ones included, and their total cost. */
  readonly priced: number;
  readonly cost: NanoUsd;
  /** Calls answered by the simulated provider, among all that are counted here. */
  readonly simulated: number;
}

/** Hourly sums of one org. */
export class OrgRollups {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /**
   * Returns the hours to roll up that had ended by `endedBy`, oldest first, without those before the retention mark.
   */
  async staleHours(endedBy: number, limit: number): Promise<readonly number[]> {
    const rows = await settled(
      this.#db
        .select({ hour: staleHours.hour })
        .from(staleHours)
        .where(
          and(
            eq(staleHours.org, this.#org),
            lte(staleHours.hour, endedBy - HOUR_MS),
            gte(staleHours.hour, markOf(this.#org)),
          ),
        )
        .orderBy(asc(staleHours.hour))
        .limit(limit),
    );
    return rows.map(({ hour }) => hour);
  }

  /** Returns how many hours wait for their rollup, and the oldest of them. */
  async lag(): Promise<{ readonly hours: number; readonly oldest: number | undefined }> {
    const [row] = await settled(
      this.#db
        .select({ hours: count(), oldest: min(staleHours.hour) })
        .from(staleHours)
        .where(and(eq(staleHours.org, this.#org), gte(staleHours.hour, markOf(this.#org)))),
    );
    return { hours: row?.hours ?? 0, oldest: row?.oldest ?? undefined };
  }

  /**
   * Makes the sums of one hour again from its raw rows and removes its mark, in one transaction: a record that arrives
   * meanwhile is either counted or marks the hour again. An hour before the retention mark stays as it is.
   */
  async rollUp(hour: number): Promise<void> {
    const db = this.#db;
    const org = this.#org;
    const whole = sql`${hour} >= ${markOf(org)}`;
    const rows = sql`${inferences.org} = ${org} and ${inferences.ts} >= ${hour} and ${inferences.ts} < ${hour + HOUR_MS} and ${whole}`;
    await settled(
      db.batch([
        db.delete(inferenceRollups).where(and(eq(inferenceRollups.org, org), eq(inferenceRollups.hour, hour), whole)),
        db.delete(tagRollups).where(and(eq(tagRollups.org, org), eq(tagRollups.hour, hour), whole)),
        db.delete(wideTags).where(and(eq(wideTags.org, org), eq(wideTags.hour, hour), whole)),
        db.run(addToRollups(rows)),
        db.run(findWideTags(org, hour, rows)),
        db.run(addToAllRollups(rows)),
        db.run(addToTagRollups(rows)),
        db.delete(staleHours).where(and(eq(staleHours.org, org), eq(staleHours.hour, hour), whole)),
      ]),
    );
  }

  /**
   * Returns the live traffic of one variant from the first full hour at or after `since` (epoch milliseconds). Whole
   * hours, because only they remain after retention and the figure must not change then. The odometer is computed from
   * it.
   */
  async servedSince(route: string, variant: string, since: number): Promise<Served> {
    const from = hourOf(since + HOUR_MS - 1);
    const org = this.#org;
    const mark = markOf(org);
    const raw = sql`select conformant, cost_nano, simulated from ${inferences} i
      where i.org = ${org} and i.route = ${route} and i.variant = ${variant} and i.lane = 'live' and i.ts >= ${from}`;
    const marked = sql`from ${staleHours} s where s.org = ${org}`;
    // Cross join: the engine keeps the order and looks rows up by hour, of which there are few.
    const recent = sql`select i.conformant, i.cost_nano, i.simulated from ${staleHours} s cross join ${inferences} i
      where s.org = ${org} and s.hour >= ${mark} and s.hour >= ${from} and i.org = s.org and i.route = ${route}
        and i.ts >= s.hour and i.ts < s.hour + ${HOUR_MS} and i.variant = ${variant} and i.lane = 'live'`;
    const [row] = await settled(
      this.#db.all<Record<keyof Served, number>>(sql`
        select coalesce(sum(conformant), 0) as conformant, coalesce(sum(conformant_priced), 0) as "conformantPriced",
          coalesce(sum(priced), 0) as priced, coalesce(sum(cost_nano), 0) as cost, coalesce(sum(simulated_n), 0) as simulated
        from (
          select conformant, conformant_priced, priced, cost_nano, case when simulated then n else 0 end as simulated_n
            from ${inferenceRollups} r
            where r.org = ${org} and r.route = ${route} and r.hour >= ${from} and r.variant = ${variant} and r.lane = 'live'
              and (r.hour < ${mark} or r.hour not in (select hour ${marked}))
          union all select ${figuresOf} from (${raw} and i.ts < ${mark})
          union all select ${figuresOf} from (${recent})
        )`),
    );
    return {
      conformant: row?.conformant ?? 0,
      conformantPriced: row?.conformantPriced ?? 0,
      priced: row?.priced ?? 0,
      cost: nanoUsd(row?.cost ?? 0),
      simulated: row?.simulated ?? 0,
    };
  }
}

/** Sums of raw rows in the columns of a rollup. */
const figuresOf = sql`count(case when conformant then 1 end), count(case when conformant then cost_nano end),
  count(cost_nano), sum(cost_nano), count(case when simulated then 1 end)`;

/** Only rollups are complete before this instant; 0 where nothing was ever removed. */
export function markOf(org: string): SQL {
  return sql`coalesce((select m.before from ${retentionMarks} m where m.org = ${org}), 0)`;
}
