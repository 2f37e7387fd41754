import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProbedCapability } from "../../registry/capability.ts";

/** Probes of models, as measured with the org's own keys. Append-only: the newest of a capability counts. */
export const capabilities = sqliteTable(
  "capabilities",
  {
    org: text("org").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    capability: text("capability").$type<ProbedCapability>().notNull(),
    measuredAt: integer("measured_at").notNull(),
    n: integer("n").notNull(),
    passed: integer("passed").notNull(),
    low: real("low").notNull(),
    high: real("high").notNull(),
    /** Null = some probe's cost is unknown. */
    costNano: integer("cost_nano"),
    simulated: integer("simulated", { mode: "boolean" }).notNull(),
    /** Identifies the set of probes, so that figures of different sets are not mixed. */
    method: text("method").notNull(),
    measuredBy: text("measured_by").notNull(),
  },
  (table) => [primaryKey({ columns: [table.org, table.provider, table.model, table.capability, table.measuredAt] })],
);
