import { sql } from "drizzle-orm";
import type { AttemptRecord, FailureRecord, InferenceRecord } from "../../record/inference-record.ts";
import type { TokenCounts } from "../../record/token-counts.ts";
import type { TelemetryStore } from "../../telemetry/ports.ts";
import { totalTokens } from "../../telemetry/record.ts";
import type { Database } from "../database/database.ts";
import { insertedValue, insertRows } from "../database/insert-rows.ts";
import { isUnavailable, settled } from "../database/store-error.ts";
import { insertImpliedRuns } from "../runs/implied-runs.ts";
import { attempts } from "../tables/attempts.ts";
import { inferences } from "../tables/inferences.ts";
import { movedInferences } from "../tables/rollups.ts";
import { markStale } from "./stale-hours.ts";

/** Writes an inference and its attempts in one transaction; an existing record changes nothing. */
export class TelemetryWriter implements TelemetryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  isUnavailable(cause: unknown): boolean {
    return isUnavailable(cause);
  }

  async insertInferences(records: readonly InferenceRecord[]): Promise<void> {
    if (records.length === 0) return;
    const [insert, ...besides] = this.#statements(records);
    await settled(this.#db.batch([this.#db.run(insert), ...besides]));
  }

  async insertReported(records: readonly InferenceRecord[]): Promise<readonly boolean[]> {
    if (records.length === 0) return [];
    const [insert, ...besides] = this.#statements(records);
    const returning = this.#db.all<{ org: string; id: string }>(sql`${insert} returning org, id`);
    const [written] = await settled(this.#db.batch([returning, ...besides]));
    const added = new Set(written.map(({ org, id }) => JSON.stringify([org, id])));
    return records.map(({ org, id }) => added.delete(JSON.stringify([org.toWellFormed(), id.toWellFormed()])));
  }

  /** In this order: hours are marked where the insert before it added something, attempts are added where their call is. */
  #statements(records: readonly InferenceRecord[]) {
    const rows = records.map(inferenceRow);
    return [
      insertRows(inferences, rows, { where: neverMoved }),
      this.#db.run(markStale(rows)),
      this.#db.run(insertRows(attempts, records.flatMap(attemptRows), { where: callIsThere })),
      this.#db.run(insertImpliedRuns(records.flatMap(runMention))),
    ] as const;
  }
}

/** Retention has not counted and removed it before. */
const neverMoved = sql`not exists (select 1 from ${movedInferences} m
  where m.org = ${insertedValue(inferences, "org")} and m.id = ${insertedValue(inferences, "id")})`;

const callIsThere = sql`exists (select 1 from ${inferences} i
  where i.org = ${insertedValue(attempts, "org")} and i.id = ${insertedValue(attempts, "inference")})`;

function runMention({ org, run, startedAt }: InferenceRecord) {
  return run === null ? [] : [{ org, run, at: startedAt }];
}

function inferenceRow(record: InferenceRecord): Whole<typeof inferences.$inferInsert> {
  const { startedAt, failure, costEstimated, attempts: tried, skipped, ...same } = record;
  const billed = billedAttempt(record);
  return {
    ...same,
    ts: startedAt,
    ...failureColumns(failure),
    status: failure?.status ?? null,
    attempts: tried.length,
    ...tokenColumns(totalTokens(tried)),
    estimated: costEstimated,
    tier: billed?.tier ?? null,
    priceVersion: billed?.priceVersion ?? null,
    skipped: skipped.length > 0 ? skipped : null,
  };
}

function attemptRows({ org, id: inference, attempts: all }: InferenceRecord): Whole<typeof attempts.$inferInsert>[] {
  return all.map(({ index: _index, startedAt, failure, tokens, costEstimated, dropped, ...same }, position) => ({
    ...same,
    org,
    inference,
    position,
    ts: startedAt,
    ...failureColumns(failure),
    ...tokenColumns(tokens),
    estimated: costEstimated,
    dropped: dropped.length > 0 ? dropped : null,
  }));
}

/** A row that leaves no column to its default: what a record gains must be stored or named here. */
type Whole<Row> = { readonly [Column in keyof Required<Row>]: Exclude<Row[Column], undefined> };

function failureColumns(failure: FailureRecord | null) {
  return { failureClass: failure?.class ?? null, reason: failure?.reason ?? null, code: failure?.code ?? null };
}

function tokenColumns(tokens: TokenCounts) {
  return {
    inputTokens: tokens.input,
    uncachedTokens: tokens.uncached,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    outputTokens: tokens.output,
    reasoningTokens: tokens.reasoning,
  };
}

/** The attempt that served, else the last one. A repair may serve in the place of an earlier attempt: take the latest. */
function billedAttempt({ attempts: all, provider, model }: InferenceRecord): AttemptRecord | undefined {
  return all.findLast((attempt) => attempt.provider === provider && attempt.model === model) ?? all.at(-1);
}
