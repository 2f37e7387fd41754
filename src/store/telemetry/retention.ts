import { and, eq, isNotNull, lt, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged } from "../orgs/audit-log.ts";
import { artifacts } from "../tables/artifacts.ts";
import { attempts } from "../tables/attempts.ts";
import { auditLog } from "../tables/audit-log.ts";
import { inferences } from "../tables/inferences.ts";
import { inferenceRollups, movedInferences, retentionMarks, staleHours, tagRollups } from "../tables/rollups.ts";
import { addToAllRollups, addToRollups, addToTagRollups, dropWideTags, findGrownTags } from "./rollup-sql.ts";
import { markOf } from "./rollups.ts";
import { HOUR_MS, hourOf, hourSql } from "./stale-hours.ts";

/** Raw rows are moved out in steps of this much time, so that few rows are read raw meanwhile. */
const STEP_MS = 24 * HOUR_MS;
/**
 * How long a moved inference is recognised by its id: queues keep messages for at most 14 days, the SDK its records for
 * 30.
 */
const MOVED_KNOWN_MS = 100 * 24 * HOUR_MS;

interface Edge {
  /** Oldest raw row and oldest hour without a rollup, from the mark on. */
  readonly oldest: number | null;
  readonly stale: number | null;
}

/** Removes rows that an org no longer keeps, and leaves its hourly sums unchanged. */
export class OrgRetention {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /**
   * Moves the mark forward, at most to the hour of `horizon`, by at most a day of rows, and never past an hour that
   * waits for its rollup. Returns true where it moved. From then on the sums of the hours passed are the raw rows that
   * are left plus what `moveRaw` has moved, so that every reader sees each record once at any moment.
   */
  async advance(horizon: number): Promise<boolean> {
    const db = this.#db;
    const org = this.#org;
    const mark = markOf(org);
    const [edge] = await settled(
      db.all<Edge>(sql`select
        (select min(ts) from ${inferences} i where i.org = ${org} and i.ts >= ${mark}) as oldest,
        (select min(hour) from ${staleHours} s where s.org = ${org} and s.hour >= ${mark}) as stale`),
    );
    if (!edge || edge.oldest === null) return false;
    const to = Math.min(hourOf(horizon), hourOf(edge.oldest) + STEP_MS, edge.stale ?? Number.MAX_SAFE_INTEGER);
    if (to <= edge.oldest) return false;
    const settledHours = sql`not exists (select 1 from ${staleHours} s where s.org = ${org} and s.hour >= ${mark} and s.hour < ${to})`;
    const passed = (table: typeof inferenceRollups | typeof tagRollups) =>
      and(eq(table.org, org), lt(table.hour, to), sql`${table.hour} >= ${mark}`, settledHours);
    const [, , moved] = await settled(
      db.batch([
        db.delete(inferenceRollups).where(passed(inferenceRollups)),
        db.delete(tagRollups).where(passed(tagRollups)),
        // Another upkeep was faster, or a record was late: nothing is done here.
        db.all(sql`insert into ${retentionMarks} (org, before) select ${org}, ${to} where ${to} > ${mark} and ${settledHours}
          on conflict (org) do update set before = excluded.before returning before`),
      ]),
    );
    return moved.length > 0;
  }

  /**
   * Adds up to `limit` raw rows from before the mark to the sums of their hours and deletes them with their attempts,
   * in one transaction, with an entry in the audit log. Returns how many inferences were moved; fewer than `limit` =
   * none is left.
   */
  async moveRaw(limit: number, stamp: AuditStamp): Promise<number> {
    const db = this.#db;
    const org = this.#org;
    // Selects the same rows in every statement of the transaction, because they are deleted last. Names are spelled out
    // for the audit's own select.
    const chosen = (what: string) => sql`select ${sql.raw(what)} from ${inferences} c
      where c.org = ${org} and c.ts < ${markOf(org)} order by c.ts, c.rowid limit ${limit}`;
    const rows = sql`${inferences}.rowid in (${chosen("c.rowid")})`;
    const hours = sql`select distinct ${hourSql(sql.raw("ts"))} from (${chosen("c.ts")})`;
    const ids = chosen("c.id");
    const results = await settled(
      db.batch([
        db.run(addToRollups(rows)),
        db.run(addToAllRollups(rows)),
        db.run(addToTagRollups(rows)),
        db.run(sql`insert into ${movedInferences} (org, id, moved_at) select ${org}, id, ${stamp.at} from (${ids})
          where true on conflict do nothing`),
        db
          .delete(movedInferences)
          .where(and(eq(movedInferences.org, org), lt(movedInferences.movedAt, stamp.at - MOVED_KNOWN_MS))),
        db.run(findGrownTags(org, hours)),
        db.run(dropWideTags(org, hours)),
        db.run(sql`insert into ${auditLog} (org, ts, actor, action, subject, detail)
          select ${org}, ${stamp.at}, ${stamp.by}, 'telemetry.deleted', 'raw rows past retention', json_object(
            'inferences', count(*), 'from', min(ts), 'to', max(ts),
            'attempts', (select count(*) from ${attempts} a where a.org = ${org} and a.inference in (${ids})))
          from (${chosen("c.ts")}) having count(*) > 0`),
        db.delete(attempts).where(and(eq(attempts.org, org), sql`${attempts.inference} in (${ids})`)),
        // Before the mark every reader reads raw rows anyway.
        db.delete(staleHours).where(and(eq(staleHours.org, org), sql`${staleHours.hour} < ${markOf(org)}`)),
        db.run(sql`delete from ${inferences} where ${rows}`),
      ]),
    );
    return results.at(-1)?.rowsAffected ?? 0;
  }

  /**
   * Deletes the text of up to `limit` artifacts older than `horizon`, with an entry in the audit log; their hash, size
   * and lineage stay. Returns how many lost it.
   */
  async forgetArtifacts(horizon: number, limit: number, stamp: AuditStamp): Promise<number> {
    const db = this.#db;
    const old = and(eq(artifacts.org, this.#org), lt(artifacts.createdAt, horizon), isNotNull(artifacts.content));
    const chosen = db.select({ id: artifacts.id }).from(artifacts).where(old).orderBy(artifacts.createdAt).limit(limit);
    const [forgotten] = await settled(
      db.batch([
        db
          .update(artifacts)
          .set({ content: null, withheld: "retention" })
          .where(and(old, sql`${artifacts.id} in ${chosen}`)),
        auditInsertIfChanged(db, this.#org, {
          ...stamp,
          action: "artifacts.forgotten",
          subject: "content past retention",
          detail: { before: new Date(horizon).toISOString() },
        }),
      ]),
    );
    return forgotten.rowsAffected;
  }
}
