import { and, asc, eq, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import { nanoUsd } from "../../money/nano-usd.ts";
import { newestRows, type ProbedRow } from "../../registry/record.ts";
import type { Database } from "../database/database.ts";
import { insertRows } from "../database/insert-rows.ts";
import { settled } from "../database/store-error.ts";
import { auditInsert } from "../orgs/audit-log.ts";
import { capabilities } from "../tables/capabilities.ts";

/** Measurements of models made with the keys of one org. */
export class OrgCapabilities {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /** Adds measurements; one of the same model, capability and instant stays as it is. */
  async add(rows: readonly ProbedRow[], stamp: AuditStamp): Promise<void> {
    if (rows.length === 0) return;
    await settled(
      this.#db.batch([
        this.#db.run(
          insertRows(
            capabilities,
            rows.map((row) => ({
              org: this.#org,
              provider: row.provider,
              model: row.model,
              capability: row.capability,
              measuredAt: Date.parse(row.measuredAt),
              n: row.n,
              passed: row.passed,
              low: row.low,
              high: row.high,
              costNano: row.cost ?? null,
              simulated: row.simulated,
              method: row.method,
              measuredBy: stamp.by,
            })),
          ),
        ),
        auditInsert(this.#db, this.#org, {
          ...stamp,
          action: "registry.measured",
          subject: "registry",
          detail: { models: [...new Set(rows.map(({ provider, model }) => `${provider}/${model}`))] },
        }),
      ]),
    );
  }

  /** Returns the newest measurement of each capability of each model. */
  async newest(): Promise<readonly ProbedRow[]> {
    const { org, provider, model, capability, measuredAt } = capabilities;
    const latest = this.#db
      .select({ provider, model, capability, at: sql<number>`max(${measuredAt})`.as("at") })
      .from(capabilities)
      .where(eq(org, this.#org))
      .groupBy(provider, model, capability)
      .as("latest");
    const rows = await settled(
      this.#db
        .select({ row: capabilities })
        .from(capabilities)
        .innerJoin(
          latest,
          and(
            eq(provider, latest.provider),
            eq(model, latest.model),
            eq(capability, latest.capability),
            eq(measuredAt, latest.at),
          ),
        )
        .where(eq(org, this.#org))
        .orderBy(asc(provider), asc(model), asc(capability)),
    );
    return newestRows(rows.map(({ row }) => probedRow(row)));
  }
}

function probedRow(row: typeof capabilities.$inferSelect): ProbedRow {
  const { provider, model, n, passed, low, high, simulated, method } = row;
  return {
    provider,
    model,
    capability: row.capability,
    n,
    passed,
    low,
    high,
    measuredAt: new Date(row.measuredAt).toISOString(),
    cost: row.costNano === null ? undefined : nanoUsd(row.costNano),
    simulated,
    method,
  };
}
