import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SwapDirection } from "../../proposal/direction.ts";
import type { SwapBaseline, SwapState } from "../../swap/swap.ts";

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
    approvedAt: integer("executed_at").notNull(),
    approvedBy: text("executed_by").notNull(),
    revertedAt: integer("reverted_at"),
    revertedBy: text("reverted_by"),
    state: text("state").$type<SwapState>().notNull().default("approved"),
    /** The route as the patch leaves it: hash of its bundle, digest of what it serves. Null in older rows. */
    promisedHash: text("promised_hash"),
    promisedServes: text("promised_serves"),
    servingSince: integer("serving_since"),
    abandonedAt: integer("abandoned_at"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    uniqueIndex("swaps_org_proposal").on(table.org, table.proposal),
    index("swaps_org_executed").on(table.org, table.approvedAt),
    index("swaps_org_state").on(table.org, table.state),
  ],
);
