import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { LookRecord } from "../../bakeoff/evidence/look-record.ts";

/** Results of each bake-off, question by question, as figures under digests. Rows are added, never summed up. */
export const evidenceLooks = sqliteTable(
  "evidence_looks",
  {
    /** Order in which looks were recorded, which is the order in which they count. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    org: text("org").notNull(),
    route: text("route").notNull(),
    bakeoff: text("bakeoff").notNull(),
    at: integer("at").notNull(),
    look: text("look", { mode: "json" }).$type<LookRecord>().notNull(),
  },
  (table) => [
    uniqueIndex("evidence_looks_org_bakeoff").on(table.org, table.bakeoff),
    index("evidence_looks_org_route").on(table.org, table.route, table.id),
  ],
);

/** Key of the digests in an org's looks. */
export const evidenceSalts = sqliteTable("evidence_salts", {
  org: text("org").primaryKey(),
  salt: text("salt").notNull(),
});
