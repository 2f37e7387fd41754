import { eq } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { orgs } from "../tables/orgs.ts";
import { auditInsertIfChanged } from "./audit-log.ts";

export interface Org {
  readonly id: string;
  readonly slug: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export class OrgDirectory {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** By id or by slug. */
  async find(name: string): Promise<Org | undefined> {
    const byId = await settled(this.#db.select().from(orgs).where(eq(orgs.id, name)));
    if (byId[0]) return byId[0];
    const bySlug = await settled(this.#db.select().from(orgs).where(eq(orgs.slug, name)));
    return bySlug[0];
  }

  async list(): Promise<readonly Org[]> {
    return await settled(this.#db.select().from(orgs).orderBy(orgs.createdAt, orgs.id));
  }

  /** Returns the org with that slug; creates it with the given id where there is none. Safe to run twice at once. */
  async ensure(org: { readonly id: string; readonly slug: string }, stamp: AuditStamp): Promise<Org> {
    const [made] = await settled(
      this.#db.batch([
        this.#db
          .insert(orgs)
          .values({ ...org, createdAt: stamp.at })
          .onConflictDoNothing()
          .returning(),
        auditInsertIfChanged(this.#db, org.id, { ...stamp, action: "org.created", subject: org.slug }),
      ]),
    );
    if (made[0]) return made[0];
    const found = await this.find(org.slug);
    if (!found) throw new Error(`the org id ${org.id} is in use by another org`);
    return found;
  }
}
