import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Custody } from "../../runs/custody.ts";

/** Settings that an org chose; a missing row means all defaults. */
export const orgSettings = sqliteTable("org_settings", {
  org: text("org").primaryKey(),
  custody: text("custody").$type<Custody>().notNull(),
  artifactMaxBytes: integer("artifact_max_bytes").notNull(),
  /** Days for which raw telemetry is kept; rollups stay. Null = for ever. */
  retentionDays: integer("retention_days"),
  updatedAt: integer("updated_at").notNull(),
  updatedBy: text("updated_by").notNull(),
});
