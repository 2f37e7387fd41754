import { and, count, desc, eq, gte, inArray, lt, sum } from "drizzle-orm";
import { type NanoUsd, nanoUsd } from "../money/nano-usd.ts";
import type { Database } from "./database.ts";
import { settled } from "./store-error.ts";
import { attempts } from "./tables/attempts.ts";
import { inferences } from "./tables/inferences.ts";

export type InferenceRow = Omit<typeof inferences.$inferSelect, "org">;
export type AttemptRow = Omit<typeof attempts.$inferSelect, "org">;

export interface InferenceFilter {
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  readonly route?: string | undefined;
  readonly run?: string | undefined;
  readonly limit: number;
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
  readonly costNanoUsd: number | undefined;
  readonly latencyMsTotal: number;
}

/** Ids of one `IN (…)`; the engine allows 32 766 bound values. */
const IDS_PER_QUERY = 1_000;

export class OrgInferences {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /** Newest first. */
  async list(filter: InferenceFilter): Promise<readonly InferenceRow[]> {
    const { since, until, route, run, limit } = filter;
    return await settled(
      this.#db
        .select()
        .from(inferences)
        .where(
          and(
            eq(inferences.org, this.#org),
            since === undefined ? undefined : gte(inferences.ts, since),
            until === undefined ? undefined : lt(inferences.ts, until),
            route === undefined ? undefined : eq(inferences.route, route),
            run === undefined ? undefined : eq(inferences.run, run),
          ),
        )
        .orderBy(desc(inferences.ts), desc(inferences.id))
        .limit(limit),
    );
  }

  async get(
    id: string,
  ): Promise<{ readonly inference: InferenceRow; readonly attempts: readonly AttemptRow[] } | undefined> {
    const [[inference], rows] = await settled(
      this.#db.batch([
        this.#db
          .select()
          .from(inferences)
          .where(and(eq(inferences.org, this.#org), eq(inferences.id, id))),
        this.#db
          .select()
          .from(attempts)
          .where(and(eq(attempts.org, this.#org), eq(attempts.inference, id)))
          .orderBy(attempts.position),
      ]),
    );
    return inference && { inference, attempts: rows };
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
          attempts: sum(inferences.attempts),
          costNano: sum(inferences.costNano),
          latencyMs: sum(inferences.latencyMs),
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
      attempts: Number(row.attempts ?? 0),
      costNanoUsd: row.costNano === null ? undefined : Number(row.costNano),
      latencyMsTotal: Number(row.latencyMs ?? 0),
    }));
  }

  /** Cost of each of these attempts that has arrived; `undefined` = arrived, cost unknown. */
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
