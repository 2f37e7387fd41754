import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Kept, Rows, RunFilter, RunStore } from "../../runs/ports.ts";
import type { Run, RunEnd, RunStart, RunStep } from "../../runs/run.ts";
import { keptOf } from "../database/batch-answers.ts";
import type { Database } from "../database/database.ts";
import { drizzled } from "../database/drizzle-fragment.ts";
import { sql as fragment } from "../database/fragment.ts";
import { insertRows } from "../database/insert-rows.ts";
import { nanoSum, nanoSumOf } from "../database/nano-sum.ts";
import { carries } from "../database/row-scope.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged, batchEntry } from "../orgs/audit-log.ts";
import { inferences } from "../tables/inferences.ts";
import { runs } from "../tables/runs.ts";

/** Most steps of one run; more names than this are names of calls, not of steps. */
const MOST_STEPS = 1_000;

export class OrgRuns implements RunStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async start(starts: readonly RunStart[], stamp: AuditStamp): Promise<readonly Kept[]> {
    if (starts.length === 0) return [];
    const rows = starts.map((start) => ({
      org: this.#org,
      ...start,
      declared: true,
      tags: start.tags ?? {},
      status: "running" as const,
    }));
    const fillIn = sql`(org, id) do update set declared = 1, pipeline = excluded.pipeline,
      episode_key = excluded.episode_key, environment = excluded.environment, subject = excluded.subject,
      feature = excluded.feature, tags = excluded.tags, started_at = excluded.started_at
      where runs.declared = 0`;
    const [written] = await settled(
      this.#db.batch([
        this.#db.all<{ id: string }>(sql`${insertRows(runs, rows, { onConflict: fillIn })} returning id`),
        this.#logged(stamp, "run.started", starts),
      ]),
    );
    return keptOf(starts, written, ({ id }) => id);
  }

  async end(ends: readonly RunEnd[], stamp: AuditStamp): Promise<readonly Kept[]> {
    if (ends.length === 0) return [];
    const rows = ends.map((end) => ({
      org: this.#org,
      ...end,
      declared: false,
      tags: {},
      startedAt: end.endedAt,
    }));
    const onlyOnce = sql`(org, id) do update set status = excluded.status, ended_at = excluded.ended_at,
      started_at = case declared when 0 then min(started_at, excluded.started_at) else started_at end
      where runs.status = 'running'`;
    const [written] = await settled(
      this.#db.batch([
        this.#db.all<{ id: string }>(sql`${insertRows(runs, rows, { onConflict: onlyOnce })} returning id`),
        this.#logged(stamp, "run.ended", ends),
      ]),
    );
    return keptOf(ends, written, ({ id }) => id);
  }

  async get(id: string, rows: Rows): Promise<Run | undefined> {
    const [row] = await settled(
      this.#db
        .select()
        .from(runs)
        .where(and(eq(runs.org, this.#org), eq(runs.id, id), drizzled(carries(fragment`runs.tags`, rows)))),
    );
    return row && runOf(row);
  }

  async list(filter: RunFilter, rows: Rows): Promise<readonly Run[]> {
    const { since, until, after, limit } = filter;
    const named = (["pipeline", "environment", "subject", "feature", "episodeKey", "status"] as const).map((name) => {
      const wanted = filter[name];
      return wanted === undefined ? undefined : eq(runs[name], wanted);
    });
    const found = await settled(
      this.#db
        .select()
        .from(runs)
        .where(
          and(
            eq(runs.org, this.#org),
            ...named,
            since === undefined ? undefined : gte(runs.startedAt, since),
            until === undefined ? undefined : lt(runs.startedAt, until),
            after && sql`(${runs.startedAt}, ${runs.id}) < (${after.startedAt}, ${after.id})`,
            drizzled(carries(fragment`runs.tags`, rows)),
          ),
        )
        .orderBy(desc(runs.startedAt), desc(runs.id))
        .limit(limit),
    );
    return found.map(runOf);
  }

  async steps(run: string, rows: Rows): Promise<readonly RunStep[]> {
    const found = await settled(
      this.#db.all<StepRow>(sql`
        with calls as (
          select *, coalesce(failure_class, case when conformant = 0 then 'content_invalid' end) as failure,
            row_number() over (partition by step order by ts desc, id desc) as nth
          from ${inferences}
          where ${and(eq(inferences.org, this.#org), eq(inferences.run, run), drizzled(carries(fragment`inferences.tags`, rows)))}
        )
        select step, count(*) as inferences, sum(attempts) as attempts, count(failure) as failed,
          min(ts) as startedAt, max(ts + latency_ms) as endedAt, total(latency_ms) as latencyMs,
          sum(input_tokens * 1.0) as inputTokens, sum(output_tokens * 1.0) as outputTokens, ${nanoSum(sql`cost_nano`)} as costNano,
          sum(cost_nano is null) as unpriced, max(simulated) as simulated,
          max(case when nth = 1 then failure end) as lastFailure
        from calls group by step order by step is null, min(ts), step limit ${MOST_STEPS}`),
    );
    return found.map((row) => ({
      ...row,
      costNano: nanoSumOf(row.costNano) ?? null,
      simulated: row.simulated === 1,
      lastFailure: row.lastFailure ?? undefined,
    }));
  }

  #logged(stamp: AuditStamp, action: string, items: readonly { readonly id: string }[]) {
    return auditInsertIfChanged(
      this.#db,
      this.#org,
      batchEntry(
        stamp,
        action,
        items.map(({ id }) => id),
      ),
    );
  }
}

type StepRow = Omit<RunStep, "simulated" | "lastFailure" | "costNano"> & {
  readonly costNano: string | null;
  readonly simulated: number;
  readonly lastFailure: string | null;
};

function runOf(row: typeof runs.$inferSelect): Run {
  return {
    id: row.id,
    declared: row.declared,
    pipeline: row.pipeline ?? undefined,
    episodeKey: row.episodeKey ?? undefined,
    environment: row.environment ?? undefined,
    subject: row.subject ?? undefined,
    feature: row.feature ?? undefined,
    tags: row.tags,
    status: row.status,
    startedAt: row.startedAt,
    endedAt: row.endedAt ?? undefined,
  };
}
