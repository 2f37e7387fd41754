import { and, eq, sql } from "drizzle-orm";
import { type KeptSample, MOST_KEPT } from "../../bakeoff/execution/kept-sample.ts";
import type { QualityMetric } from "../../bakeoff/execution/sample.ts";
import type { KeptSampleStore, StoredSample } from "../../bakeoff/ports.ts";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsert, auditInsertIfChanged } from "../orgs/audit-log.ts";
import { bakeoffSamples } from "../tables/hosted-bakeoffs.ts";

export class OrgBakeoffSamples {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  of(bakeoff: string): KeptSampleStore {
    return new BakeoffSamples(this.#db, this.#org, bakeoff);
  }
}

class BakeoffSamples implements KeptSampleStore {
  readonly #db: Database;
  readonly #org: string;
  readonly #bakeoff: string;

  constructor(db: Database, org: string, bakeoff: string) {
    this.#db = db;
    this.#org = org;
    this.#bakeoff = bakeoff;
  }

  async put(samples: readonly KeptSample[], stamp: AuditStamp): Promise<number | undefined> {
    const [row] = await settled(
      this.#db.select({ kept: sql<number>`count(*)` }).from(bakeoffSamples).where(this.#these()),
    );
    if ((row?.kept ?? 0) + samples.length > MOST_KEPT) return undefined;
    const rows = samples.map(({ quality, ...sample }) => ({
      org: this.#org,
      bakeoff: this.#bakeoff,
      ...sample,
      quality: quality ?? null,
      createdAt: stamp.at,
    }));
    const { org, bakeoff, input, arm } = bakeoffSamples;
    const set = {
      request: sql`excluded.request`,
      output: sql`excluded.output`,
      quality: sql`excluded.quality`,
      createdAt: sql`excluded.created_at`,
    };
    await settled(
      this.#db.batch([
        this.#db
          .insert(bakeoffSamples)
          .values(rows)
          .onConflictDoUpdate({ target: [org, bakeoff, input, arm], set }),
        auditInsert(this.#db, this.#org, {
          ...stamp,
          action: "bakeoff.samples_kept",
          subject: this.#bakeoff,
          detail: { samples: rows.length },
        }),
      ]),
    );
    return rows.length;
  }

  async list(): Promise<readonly StoredSample[]> {
    const rows = await settled(
      this.#db.select().from(bakeoffSamples).where(this.#these()).orderBy(bakeoffSamples.input, bakeoffSamples.arm),
    );
    return rows.map(({ input, arm, request, output, quality, createdAt }) => ({
      input,
      arm,
      request,
      output,
      ...(quality && { quality: { ...quality, metric: quality.metric as QualityMetric } }),
      createdAt,
    }));
  }

  async delete(stamp: AuditStamp): Promise<number> {
    const [gone] = await settled(
      this.#db.batch([
        this.#db.delete(bakeoffSamples).where(this.#these()).returning({ input: bakeoffSamples.input }),
        auditInsertIfChanged(this.#db, this.#org, {
          ...stamp,
          action: "bakeoff.samples_deleted",
          subject: this.#bakeoff,
        }),
      ]),
    );
    return gone.length;
  }

  #these() {
    return and(eq(bakeoffSamples.org, this.#org), eq(bakeoffSamples.bakeoff, this.#bakeoff));
  }
}
