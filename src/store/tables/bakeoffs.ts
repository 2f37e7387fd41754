import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";

/** Reports of bake-offs: figures only, no text of any call. */
export const bakeoffs = sqliteTable(
  "bakeoffs",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    route: text("route").notNull(),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at").notNull(),
    partial: integer("partial", { mode: "boolean" }).notNull(),
    /** Variant whose proposal the report supports; null = none. */
    proposes: text("proposes"),
    report: text("report", { mode: "json" }).$type<BakeoffReport>().notNull(),
    createdBy: text("created_by").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("bakeoffs_org_finished").on(table.org, table.finishedAt),
    index("bakeoffs_org_route").on(table.org, table.route, table.finishedAt),
  ],
);
