import { and, count, desc, eq, gte, inArray, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type NanoUsd, nanoUsd } from "../../money/nano-usd.ts";
import type { Rows } from "../../runs/ports.ts";
import type { Database } from "../database/database.ts";
import { drizzled } from "../database/drizzle-fragment.ts";
import { sql as fragment } from "../database/fragment.ts";
import { nanoSum, nanoSumOf } from "../database/nano-sum.ts";
import { carries } from "../database/row-scope.ts";
import { settled } from "../database/store-error.ts";
import { type AuditEntry, auditInsert } from "../orgs/audit-log.ts";
import { attempts } from "../tables/attempts.ts";
import { grades } from "../tables/grades.ts";
import { inferences } from "../tables/inferences.ts";
import { staleHours } from "../tables/rollups.ts";
import { hourSql } from "./stale-hours.ts";

export type InferenceRow = Omit<typeof inferences.$inferSelect, "org">;
export type AttemptRow = Omit<typeof attempts.$inferSelect, "org">;
export type GradeRow = Omit<typeof grades.$inferSelect, "org">;

interface InferenceFilter {
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  readonly lane?: string | undefined;
  readonly route?: string | undefined;
  readonly variant?: string | undefined;
  /** The candidate that served. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** `none` = the call did not fail. */
  readonly failureClass?: string | undefined;
  readonly run?: string | undefined;
  readonly step?: string | undefined;
  readonly keyId?: string | undefined;
  readonly conformant?: boolean | undefined;
  readonly simulated?: boolean | undefined;
  /** Rows that have all of these tags with these values. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Only rows after this one in the list. */
  readonly after?: { readonly ts: number; readonly id: string } | undefined;
  readonly limit: number;
}

interface InferenceDetail {
  readonly inference: InferenceRow;
  readonly attempts: readonly AttemptRow[];
  /** Newest first: the first grade of a grader counts. */
  readonly grades: readonly GradeRow[];
}

/** Counts of a span of time, one row per lane, route, served model and failure class. */
export interface UsageRow {
  readonly lane: string;
  readonly route: string | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly failureClass: string | undefined;
  readonly inferences: number;
  readonly attempts: number;
  /** Sum of the known costs; absent where none is known. */
  readonly costNanoUsd: bigint | undefined;
  readonly latencyMsTotal: number;
}

/** Most ids in one `IN (…)`; the engine allows 32 766 bound values. */
const IDS_PER_QUERY = 1_000;

export class OrgInferences {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /** Newest first. `rows` must always be given, so that a key's row scope is not forgotten. */
  async list(filter: InferenceFilter, rows: Rows): Promise<readonly InferenceRow[]> {
    return await settled(
      this.#db
        .select()
        .from(inferences)
        .where(and(eq(inferences.org, this.#org), ...conditions(filter), seen(rows)))
        .orderBy(desc(inferences.ts), desc(inferences.id))
        .limit(filter.limit),
    );
  }

  async get(id: string, rows: Rows): Promise<InferenceDetail | undefined> {
    const org = this.#org;
    const [[inference], tried, graded] = await settled(
      this.#db.batch([
        this.#db
          .select()
          .from(inferences)
          .where(and(eq(inferences.org, org), eq(inferences.id, id), seen(rows))),
        this.#db
          .select()
          .from(attempts)
          .where(and(eq(attempts.org, org), eq(attempts.inference, id)))
          .orderBy(attempts.position),
        this.#db
          .select()
          .from(grades)
          .where(and(eq(grades.org, org), eq(grades.subjectKind, "inference"), eq(grades.subject, id)))
          .orderBy(desc(grades.createdAt), desc(grades.id)),
      ]),
    );
    return inference && { inference, attempts: tried, grades: graded };
  }

  async usage(since: number, until: number): Promise<readonly UsageRow[]> {
    const group = [
      inferences.lane,
      inferences.route,
      inferences.provider,
      inferences.model,
      inferences.failureClass,
    ] as const;
    const rows = await settled(
      this.#db
        .select({
          lane: inferences.lane,
          route: inferences.route,
          provider: inferences.provider,
          model: inferences.model,
          failureClass: inferences.failureClass,
          inferences: count(),
          attempts: total(inferences.attempts),
          costNano: nanoSum(inferences.costNano),
          latencyMs: total(inferences.latencyMs),
        })
        .from(inferences)
        .where(and(eq(inferences.org, this.#org), gte(inferences.ts, since), lt(inferences.ts, until)))
        .groupBy(...group)
        .orderBy(...group),
    );
    return rows.map((row) => ({
      lane: row.lane,
      route: row.route ?? undefined,
      provider: row.provider ?? undefined,
      model: row.model ?? undefined,
      failureClass: row.failureClass ?? undefined,
      inferences: row.inferences,
      attempts: row.attempts,
      costNanoUsd: nanoSumOf(row.costNano),
      latencyMsTotal: row.latencyMs,
    }));
  }

  /** Stores the provider's bill of an attempt whose bill was unknown, and updates its call and its hour. */
  async correctBill(attempt: string, billed: NanoUsd, audit: AuditEntry): Promise<void> {
    const org = this.#org;
    const own = sql`org = ${org} and id = ${attempt}`;
    const call = sql`org = ${org} and id = (select inference from ${attempts} where ${own})`;
    const ofCall = sql`from ${attempts} a where a.org = ${org} and a.inference = ${inferences.id}`;
    await settled(
      this.#db.batch([
        this.#db.run(sql`update ${attempts} set cost_nano = ${billed}, reserved_nano = null where ${own}`),
        this.#db.run(sql`update ${inferences} set
          cost_nano = (select iif(sum(a.cost_nano is null) = 0, sum(a.cost_nano), null) ${ofCall}),
          reserved_nano = (select sum(a.reserved_nano) ${ofCall}) where ${call}`),
        this.#db.run(sql`insert into ${staleHours} (org, hour)
          select org, ${hourSql(sql`ts`)} from ${inferences} where ${call} on conflict do nothing`),
        auditInsert(this.#db, org, audit),
      ]),
    );
  }

  /** Returns the cost of each of these attempts that has arrived; `undefined` = arrived, cost unknown. */
  async attemptCosts(ids: readonly string[]): Promise<ReadonlyMap<string, NanoUsd | undefined>> {
    const found = new Map<string, NanoUsd | undefined>();
    for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
      const rows = await settled(
        this.#db
          .select({ id: attempts.id, costNano: attempts.costNano })
          .from(attempts)
          .where(and(eq(attempts.org, this.#org), inArray(attempts.id, ids.slice(at, at + IDS_PER_QUERY)))),
      );
      for (const { id, costNano } of rows) found.set(id, costNano === null ? undefined : nanoUsd(costNano));
    }
    return found;
  }
}

function seen(rows: Rows): SQL | undefined {
  return drizzled(carries(fragment`inferences.tags`, rows));
}

/** Read as a real: never larger than the client can read, whatever clocks reported. */
function total(column: SQLWrapper): SQL<number> {
  return sql<number>`total(${column})`;
}

function conditions(filter: InferenceFilter): (SQL | undefined)[] {
  const { since, until, failureClass, tags = {}, after } = filter;
  const equal = (column: Parameters<typeof eq>[0], value: string | boolean | undefined) =>
    value === undefined ? undefined : eq(column, value);
  return [
    since === undefined ? undefined : gte(inferences.ts, since),
    until === undefined ? undefined : lt(inferences.ts, until),
    equal(inferences.lane, filter.lane),
    equal(inferences.route, filter.route),
    equal(inferences.variant, filter.variant),
    equal(inferences.provider, filter.provider),
    equal(inferences.model, filter.model),
    failureClass === "none" ? isNull(inferences.failureClass) : equal(inferences.failureClass, failureClass),
    equal(inferences.run, filter.run),
    equal(inferences.step, filter.step),
    equal(inferences.keyId, filter.keyId),
    equal(inferences.conformant, filter.conformant),
    equal(inferences.simulated, filter.simulated),
    Object.keys(tags).length === 0 ? undefined : seen({ tags }),
    // The second comparison alone would be sufficient; the first is the one for which an index can be used.
    after && sql`${inferences.ts} <= ${after.ts} and (${inferences.ts}, ${inferences.id}) < (${after.ts}, ${after.id})`,
  ];
}
