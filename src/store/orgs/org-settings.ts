import { eq } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import { DEFAULT_SETTINGS, type OrgSettings } from "../../runs/custody.ts";
import type { SettingsStore } from "../../runs/ports.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { orgSettings } from "../tables/org-settings.ts";
import { auditInsert } from "./audit-log.ts";

export class OwnSettings implements SettingsStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async get(): Promise<OrgSettings> {
    const [row] = await settled(this.#db.select().from(orgSettings).where(eq(orgSettings.org, this.#org)));
    if (!row) return DEFAULT_SETTINGS;
    const { custody, artifactMaxBytes } = row;
    return { custody, artifactMaxBytes, retentionDays: row.retentionDays ?? undefined };
  }

  async put(settings: OrgSettings, stamp: AuditStamp): Promise<void> {
    const { custody, artifactMaxBytes, retentionDays } = settings;
    const columns = {
      custody,
      artifactMaxBytes,
      retentionDays: retentionDays ?? null,
      updatedAt: stamp.at,
      updatedBy: stamp.by,
    };
    await settled(
      this.#db.batch([
        this.#db
          .insert(orgSettings)
          .values({ org: this.#org, ...columns })
          .onConflictDoUpdate({ target: orgSettings.org, set: columns }),
        auditInsert(this.#db, this.#org, {
          ...stamp,
          action: "settings.changed",
          subject: "settings",
          detail: { custody, artifactMaxBytes, retentionDays: retentionDays ?? null },
        }),
      ]),
    );
  }
}
