import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SwapDirection } from "../../proposal/direction.ts";
import type { SwapBaseline } from "../../swap/swap.ts";

export const swaps = sqliteTable(
  "swaps",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    proposal: text("proposal").notNull(),
    route: text("route").notNull(),
    variant: text("variant").notNull(),
    direction: text("direction").$type<SwapDirection>().notNull(),
    /** The incumbent as measured; written once. */
    baseline: text("baseline", { mode: "json" }).$type<SwapBaseline>().notNull(),
    path: text("path").notNull(),
    patch: text("patch").notNull(),
    executedAt: integer("executed_at").notNull(),
    executedBy: text("executed_by").notNull(),
    revertedAt: integer("reverted_at"),
    revertedBy: text("reverted_by"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    uniqueIndex("swaps_org_proposal").on(table.org, table.proposal),
    index("swaps_org_executed").on(table.org, table.executedAt),
  ],
);
