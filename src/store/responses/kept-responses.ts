import { and, eq, gt, lte, or, type SQL, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { ItemHolder, ResponseChain, ResponseRow, ResponseStore } from "../../responses/ports.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged } from "../orgs/audit-log.ts";
import { keptResponseItems, keptResponses } from "../tables/kept-responses.ts";
import { orgSettings } from "../tables/org-settings.ts";

type Row = typeof keptResponses.$inferSelect;

/** A server ends an answer of more bytes; characters of sealed texts read at once. */
const CHARACTERS_PER_READ = 4_000_000;
const DAY_MS = 86_400_000;

export class OrgResponses implements ResponseStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async keep(row: ResponseRow, items: readonly string[], used: readonly string[]): Promise<boolean> {
    const db = this.#db;
    const org = this.#org;
    const { id, previous = null, reach, keyId, createdAt, expiresAt, sealed } = row;
    const kept = sql`exists (select 1 from ${keptResponses} where org = ${org} and id = ${id})`;
    const [inserted] = await settled(
      db.batch([
        db.run(sql`insert into ${keptResponses}
          (org, id, previous, reach, key_id, created_at, expires_at, store_key, sealed)
          select ${org}, ${id}, ${previous}, ${reach}, ${keyId}, ${createdAt}, ${expiresAt}, ${sealed.key}, ${sealed.text}
          where ${this.#allowed()} on conflict do nothing`),
        db.run(sql`insert into ${keptResponseItems} (org, item, response)
          select ${org}, value, ${id} from json_each(${JSON.stringify(items)}) where ${kept} on conflict do nothing`),
        db.run(sql`update ${keptResponses} set expires_at = max(expires_at, ${expiresAt})
          where org = ${org} and id in (select value from json_each(${JSON.stringify(used)})) and ${kept}`),
      ]),
    );
    return inserted.rowsAffected > 0;
  }

  async chain(id: string, now: number, maxLength: number): Promise<ResponseChain> {
    const rows: ResponseRow[] = [];
    let length = 0;
    for (let next: string | undefined = id; next !== undefined; next = rows.at(-1)?.previous) {
      if (length > maxLength) return { rows, end: "too_long" };
      const read = await this.#stretch(next, now);
      if (read.length === 0) return { rows, end: "cut" };
      for (const row of read) length += row.sealed.text.length;
      rows.push(...read);
    }
    return { rows, end: length > maxLength ? "too_long" : "whole" };
  }

  /** A response and some of those before it, in two round trips. */
  async #stretch(id: string, now: number): Promise<readonly ResponseRow[]> {
    const org = this.#org;
    const alive = (table: string) =>
      sql.raw(`${table}.org`).append(sql` = ${org} and ${sql.raw(table)}.expires_at > ${now}`);
    const rows = await settled(
      this.#db.all<{ id: string }>(sql`with recursive chain (id, previous, step, characters) as (
          select k.id, k.previous, 0, length(k.sealed) from ${keptResponses} k
            where ${alive("k")} and k.id = ${id} and ${this.#allowed()}
          union all
          select k.id, k.previous, c.step + 1, c.characters + length(k.sealed) from chain c, ${keptResponses} k
            where ${alive("k")} and k.id = c.previous and c.characters < ${CHARACTERS_PER_READ}
        ) select id from chain order by step`),
    );
    const read = new Map(
      (
        await this.#read(
          rows.map((row) => row.id),
          now,
        )
      ).map((row) => [row.id, row]),
    );
    return rows.flatMap((row) => read.get(row.id) ?? []);
  }

  async holders(items: readonly string[], now: number): Promise<readonly ItemHolder[]> {
    if (items.length === 0) return [];
    return await settled(
      this.#db
        .select({
          item: keptResponseItems.item,
          response: keptResponseItems.response,
          reach: keptResponses.reach,
          length: sql<number>`length(${keptResponses.sealed})`,
          newest: sql<number>`max(${keptResponses.createdAt})`.as("newest"),
        })
        .from(keptResponseItems)
        .innerJoin(
          keptResponses,
          and(eq(keptResponses.org, this.#org), eq(keptResponses.id, keptResponseItems.response)),
        )
        .where(
          and(
            eq(keptResponseItems.org, this.#org),
            sql`${keptResponseItems.item} in (select value from json_each(${JSON.stringify(items)}))`,
            gt(keptResponses.expiresAt, now),
            this.#allowed(),
          ),
        )
        // The other columns are those of the newest row (SQLite, "bare columns in an aggregate query").
        .groupBy(keptResponseItems.item, keptResponses.reach)
        .orderBy(sql`newest desc`),
    );
  }

  async some(ids: readonly string[], now: number): Promise<readonly ResponseRow[]> {
    if (ids.length <= 1) return await this.#read(ids, now);
    const lengths = await settled(
      this.#db
        .select({ id: keptResponses.id, length: sql<number>`length(${keptResponses.sealed})` })
        .from(keptResponses)
        .where(this.#alive(ids, now)),
    );
    const rows: ResponseRow[] = [];
    for (const together of inReads(lengths)) rows.push(...(await this.#read(together, now)));
    return rows;
  }

  async #read(ids: readonly string[], now: number): Promise<readonly ResponseRow[]> {
    if (ids.length === 0) return [];
    const rows = await settled(this.#db.select().from(keptResponses).where(this.#alive(ids, now)));
    return rows.map(rowOf);
  }

  #alive(ids: readonly string[], now: number) {
    return and(
      eq(keptResponses.org, this.#org),
      sql`${keptResponses.id} in (select value from json_each(${JSON.stringify(ids)}))`,
      gt(keptResponses.expiresAt, now),
      this.#allowed(),
    );
  }

  async delete(id: string, stamp: AuditStamp): Promise<boolean> {
    const db = this.#db;
    const ofThis = and(eq(keptResponseItems.org, this.#org), eq(keptResponseItems.response, id));
    const [, deleted] = await settled(
      db.batch([
        db.delete(keptResponseItems).where(ofThis),
        db.delete(keptResponses).where(and(eq(keptResponses.org, this.#org), eq(keptResponses.id, id))),
        auditInsertIfChanged(db, this.#org, { ...stamp, action: "response.deleted", subject: id }),
      ]),
    );
    return deleted.rowsAffected > 0;
  }

  async allowed(): Promise<boolean> {
    const [row] = await settled(this.#db.all<{ allowed: number }>(sql`select ${this.#allowed()} as allowed`));
    return row?.allowed === 1;
  }

  /**
   * Deletes up to `limit` responses that expired by `now` or are past the org's retention, and any where its custody no
   * longer allows them. Returns how many.
   */
  async expire(now: number, limit: number): Promise<number> {
    const db = this.#db;
    const retained = sql`select ${now} - ${orgSettings.retentionDays} * ${DAY_MS} from ${orgSettings}
      where ${orgSettings.org} = ${this.#org}`;
    const over = or(
      lte(keptResponses.expiresAt, now),
      sql`${keptResponses.createdAt} < (${retained})`,
      sql`not ${this.#allowed()}`,
    );
    const chosen = sql`select id from ${keptResponses} where ${and(eq(keptResponses.org, this.#org), over)}
      order by expires_at, id limit ${limit}`;
    const [, deleted] = await settled(
      db.batch([
        db
          .delete(keptResponseItems)
          .where(and(eq(keptResponseItems.org, this.#org), sql`${keptResponseItems.response} in (${chosen})`)),
        db.delete(keptResponses).where(and(eq(keptResponses.org, this.#org), sql`${keptResponses.id} in (${chosen})`)),
      ]),
    );
    return deleted.rowsAffected;
  }

  #allowed(): SQL {
    return sql`exists (select 1 from ${orgSettings} where ${orgSettings.org} = ${this.#org} and ${orgSettings.custody} = 'content')`;
  }
}

/** Ids in groups whose texts one answer can hold; a larger text is read alone. */
function inReads(texts: readonly { readonly id: string; readonly length: number }[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let left = 0;
  for (const { id, length } of texts) {
    if (length > left) {
      groups.push([]);
      left = CHARACTERS_PER_READ;
    }
    groups.at(-1)?.push(id);
    left -= length;
  }
  return groups;
}

function rowOf({ storeKey, sealed, previous, org: _org, ...row }: Row): ResponseRow {
  return { ...row, previous: previous ?? undefined, sealed: { key: storeKey, text: sealed } };
}
