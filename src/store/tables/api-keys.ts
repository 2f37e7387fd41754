import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { RowScope } from "../../identity/principal.ts";
import type { Scope } from "../../identity/scope.ts";

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    org: text("org").notNull(),
    /** SHA-256 of the key, hex; the key itself is not stored. */
    hash: text("hash").notNull().unique(),
    /** `rig_sk_…9c4`. */
    display: text("display").notNull(),
    label: text("label"),
    scopes: text("scopes", { mode: "json" }).$type<readonly Scope[]>().notNull(),
    /** Null = everything. */
    routes: text("routes", { mode: "json" }).$type<readonly string[]>(),
    fixedTags: text("fixed_tags", { mode: "json" }).$type<Readonly<Record<string, string>>>().notNull(),
    rowScope: text("row_scope", { mode: "json" }).$type<RowScope>(),
    monthlyLimitNano: integer("monthly_limit_nano"),
    expiresAt: integer("expires_at"),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    revokedAt: integer("revoked_at"),
    revokedBy: text("revoked_by"),
  },
  (table) => [index("api_keys_org").on(table.org, table.createdAt)],
);
