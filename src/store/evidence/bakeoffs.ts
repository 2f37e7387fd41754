import { and, desc, eq } from "drizzle-orm";
import type { BakeoffStore, BakeoffSummary } from "../../bakeoff/ports.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsert } from "../orgs/audit-log.ts";
import { bakeoffs } from "../tables/bakeoffs.ts";

export class OrgBakeoffs implements BakeoffStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async put(report: BakeoffReport, stamp: AuditStamp): Promise<void> {
    const figures = {
      route: report.route,
      startedAt: Date.parse(report.started_at),
      finishedAt: Date.parse(report.finished_at),
      partial: report.partial,
      proposes: report.gate.proposes ?? null,
      report,
      createdBy: stamp.by,
    };
    await settled(
      this.#db.batch([
        this.#db
          .insert(bakeoffs)
          .values({ org: this.#org, id: report.id, ...figures })
          .onConflictDoUpdate({ target: [bakeoffs.org, bakeoffs.id], set: figures }),
        auditInsert(this.#db, this.#org, {
          ...stamp,
          action: "bakeoff.recorded",
          subject: report.id,
          detail: { route: report.route, partial: report.partial },
        }),
      ]),
    );
  }

  async get(id: string): Promise<BakeoffReport | undefined> {
    const [row] = await settled(
      this.#db
        .select({ report: bakeoffs.report })
        .from(bakeoffs)
        .where(and(eq(bakeoffs.org, this.#org), eq(bakeoffs.id, id))),
    );
    return row?.report;
  }

  async list(filter: {
    readonly route?: string | undefined;
    readonly limit: number;
  }): Promise<readonly BakeoffSummary[]> {
    const rows = await settled(
      this.#db
        .select({
          id: bakeoffs.id,
          route: bakeoffs.route,
          finishedAt: bakeoffs.finishedAt,
          partial: bakeoffs.partial,
          proposes: bakeoffs.proposes,
        })
        .from(bakeoffs)
        .where(
          and(eq(bakeoffs.org, this.#org), filter.route === undefined ? undefined : eq(bakeoffs.route, filter.route)),
        )
        .orderBy(desc(bakeoffs.finishedAt), desc(bakeoffs.id))
        .limit(filter.limit),
    );
    return rows.map((row) => ({ ...row, proposes: row.proposes ?? undefined }));
  }
}
