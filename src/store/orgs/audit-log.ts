import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditLog } from "../tables/audit-log.ts";

export interface AuditEntry extends AuditStamp {
  /** Dotted, noun first: `key.created`, `route.pinned`. */
  readonly action: string;
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the statement that logs a change; repositories put it into the same batch as the change itself. */
export function auditInsert(db: Database, org: string, entry: AuditEntry) {
  const { by, at, action, subject, detail } = entry;
  return db.insert(auditLog).values({ org, ts: at, actor: by, action, subject, detail: detail ?? null });
}

/** The same, but only if the statement before it in the batch changed a row. */
export function auditInsertIfChanged(db: Database, org: string, { by, at, action, subject, detail }: AuditEntry) {
  const json = detail === undefined ? null : JSON.stringify(detail);
  return db
    .insert(auditLog)
    .select(sql`select null, ${org}, ${at}, ${by}, ${action}, ${subject}, ${json} where changes() > 0`);
}

/** Returns the entry of a batch: its one item as the subject, or the number of items with the first ids. */
export function batchEntry(stamp: AuditStamp, action: string, ids: readonly string[]): AuditEntry {
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return { ...stamp, action, subject: only };
  return { ...stamp, action, subject: `${ids.length} items`, detail: { ids: ids.slice(0, MOST_IDS_LOGGED) } };
}

const MOST_IDS_LOGGED = 50;

/** An entry as it was logged; `id` grows with time. */
interface AuditRow extends AuditEntry {
  readonly id: number;
}

interface AuditPage {
  readonly after?: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
}

export class OrgAuditLog {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async add(entry: AuditEntry): Promise<void> {
    await settled(auditInsert(this.#db, this.#org, entry));
  }

  /** Newest first. */
  async list(limit: number): Promise<readonly AuditRow[]> {
    return await this.page({ limit });
  }

  /** Newest first, from the place after `after` on. */
  async page({ after, limit }: AuditPage): Promise<readonly AuditRow[]> {
    const beyond =
      after && or(lt(auditLog.ts, after.at), and(eq(auditLog.ts, after.at), lt(auditLog.id, Number(after.id))));
    const rows = await settled(
      this.#db
        .select()
        .from(auditLog)
        .where(and(eq(auditLog.org, this.#org), beyond))
        .orderBy(desc(auditLog.ts), desc(auditLog.id))
        .limit(limit),
    );
    return rows.map((row) => ({
      id: row.id,
      by: row.actor,
      at: row.ts,
      action: row.action,
      subject: row.subject,
      detail: row.detail ?? undefined,
    }));
  }
}
