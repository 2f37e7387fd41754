import type { TelemetrySink } from "../telemetry/ports.ts";
import { type AttemptRecord, type InferenceRecord, type TokenCounts, totalTokens } from "../telemetry/record.ts";
import type { Database } from "./database.ts";
import { insertImpliedRuns } from "./implied-runs.ts";
import { insertRows } from "./insert-rows.ts";
import { markStale } from "./stale-hours.ts";
import { isUnavailable, settled } from "./store-error.ts";
import { attempts } from "./tables/attempts.ts";
import { inferences } from "./tables/inferences.ts";

/** Writes an inference and its attempts in one transaction; a record that is there already changes nothing. */
export class TelemetryWriter implements TelemetrySink {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  isUnavailable(cause: unknown): boolean {
    return isUnavailable(cause);
  }

  async insertInferences(records: readonly InferenceRecord[]): Promise<void> {
    if (records.length === 0) return;
    const rows = records.map(inferenceRow);
    await settled(
      this.#db.batch([
        this.#db.run(markStale(rows)),
        this.#db.run(insertRows(inferences, rows)),
        this.#db.run(insertRows(attempts, records.flatMap(attemptRows))),
        this.#db.run(insertImpliedRuns(records.flatMap(runMention))),
      ]),
    );
  }
}

function runMention({ org, run, startedAt }: InferenceRecord) {
  return run === null ? [] : [{ org, run, at: startedAt }];
}

function inferenceRow(record: InferenceRecord): typeof inferences.$inferInsert {
  const { failure } = record;
  const billed = billedAttempt(record);
  return {
    org: record.org,
    id: record.id,
    ts: record.startedAt,
    lane: record.lane,
    route: record.route,
    routeHash: record.routeHash,
    variant: record.variant,
    arm: record.arm,
    run: record.run,
    step: record.step,
    keyId: record.keyId,
    provider: record.provider,
    model: record.model,
    rung: record.rung,
    stream: record.stream,
    failureClass: failure?.class ?? null,
    reason: failure?.reason ?? null,
    status: failure?.status ?? null,
    code: failure?.code ?? null,
    finish: record.finish,
    conformant: record.conformant,
    attempts: record.attempts.length,
    latencyMs: record.latencyMs,
    firstByteMs: record.firstByteMs,
    ...tokenColumns(totalTokens(record.attempts)),
    costNano: record.costNano,
    estimated: record.costEstimated,
    tier: billed?.tier ?? null,
    priceVersion: billed?.priceVersion ?? null,
    simulated: record.simulated,
    tags: record.tags,
    skipped: record.skipped.length > 0 ? record.skipped : null,
  };
}

function attemptRows(record: InferenceRecord): (typeof attempts.$inferInsert)[] {
  return record.attempts.map((attempt, position) => ({
    org: record.org,
    id: attempt.id,
    inference: record.id,
    position,
    ts: attempt.startedAt,
    provider: attempt.provider,
    model: attempt.model,
    rung: attempt.rung,
    failureClass: attempt.failure?.class ?? null,
    reason: attempt.failure?.reason ?? null,
    status: attempt.status,
    code: attempt.failure?.code ?? null,
    finish: attempt.finish,
    latencyMs: attempt.latencyMs,
    firstByteMs: attempt.firstByteMs,
    ...tokenColumns(attempt.tokens),
    usageEstimated: attempt.usageEstimated,
    usageInconsistent: attempt.usageInconsistent,
    costNano: attempt.costNano,
    estimated: attempt.costEstimated,
    tier: attempt.tier,
    priceVersion: attempt.priceVersion,
    dropped: attempt.dropped.length > 0 ? attempt.dropped : null,
  }));
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
