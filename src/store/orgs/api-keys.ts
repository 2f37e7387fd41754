import { and, desc, eq, isNull } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { KeyLookup } from "../../identity/ports.ts";
import type { Principal } from "../../identity/principal.ts";
import { type NanoUsd, nanoUsd } from "../../money/nano-usd.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { apiKeys } from "../tables/api-keys.ts";
import { orgs } from "../tables/orgs.ts";
import { auditInsert, auditInsertIfChanged } from "./audit-log.ts";

/** A key to be stored: its permissions, its hash, and its displayed form. */
export interface NewKey extends Omit<Principal, "org" | "orgSlug"> {
  readonly hash: string;
  readonly display: string;
  readonly label?: string | undefined;
}

export interface StoredKey extends Omit<Principal, "orgSlug"> {
  readonly display: string;
  readonly label: string | undefined;
  readonly created: AuditStamp;
  readonly revoked: AuditStamp | undefined;
}

export class OrgKeys {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async create(key: NewKey, stamp: AuditStamp): Promise<void> {
    const detail = { display: key.display, scopes: key.scopes, routes: key.routes ?? null };
    await settled(
      this.#db.batch([
        this.#db.insert(apiKeys).values({
          id: key.keyId,
          org: this.#org,
          hash: key.hash,
          display: key.display,
          label: key.label ?? null,
          scopes: key.scopes,
          routes: key.routes ?? null,
          fixedTags: key.fixedTags,
          rowScope: key.rowScope ?? null,
          monthlyLimitNano: key.monthlyLimit ?? null,
          expiresAt: key.expiresAt ?? null,
          createdAt: stamp.at,
          createdBy: stamp.by,
        }),
        auditInsert(this.#db, this.#org, { ...stamp, action: "key.created", subject: key.keyId, detail }),
      ]),
    );
  }

  /** Newest first, revoked ones included. */
  async list(): Promise<readonly StoredKey[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.org, this.#org))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
    );
    return rows.map((row) => ({
      org: row.org,
      ...permissionsOf(row),
      display: row.display,
      label: row.label ?? undefined,
      created: { by: row.createdBy, at: row.createdAt },
      revoked: row.revokedAt === null ? undefined : { by: row.revokedBy ?? "", at: row.revokedAt },
    }));
  }

  /** Returns false where this org has no such key, or it was revoked before. */
  async revoke(keyId: string, stamp: AuditStamp): Promise<boolean> {
    const [revoked] = await settled(
      this.#db.batch([
        this.#db
          .update(apiKeys)
          .set({ revokedAt: stamp.at, revokedBy: stamp.by })
          .where(and(eq(apiKeys.org, this.#org), eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
          .returning({ id: apiKeys.id }),
        auditInsertIfChanged(this.#db, this.#org, { ...stamp, action: "key.revoked", subject: keyId }),
      ]),
    );
    return revoked.length > 0;
  }
}

export class KeyDirectory implements KeyLookup {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async findByHash(hash: string): Promise<Principal | undefined> {
    const [row] = await settled(
      this.#db
        .select({ key: apiKeys, slug: orgs.slug })
        .from(apiKeys)
        .innerJoin(orgs, eq(orgs.id, apiKeys.org))
        .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt))),
    );
    return row && { org: row.key.org, orgSlug: row.slug, ...permissionsOf(row.key) };
  }
}

function permissionsOf(row: typeof apiKeys.$inferSelect): Omit<Principal, "org" | "orgSlug"> {
  return {
    keyId: row.id,
    scopes: row.scopes,
    routes: row.routes ?? undefined,
    fixedTags: row.fixedTags,
    rowScope: row.rowScope ?? undefined,
    monthlyLimit: nanoOrUnknown(row.monthlyLimitNano),
    expiresAt: row.expiresAt ?? undefined,
  };
}

function nanoOrUnknown(amount: number | null): NanoUsd | undefined {
  return amount === null ? undefined : nanoUsd(amount);
}
