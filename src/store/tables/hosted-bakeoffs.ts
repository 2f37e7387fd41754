import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Bake-offs that run at the edge, over eval cases. The report of a finished one is in `bakeoffs`. */
export const hostedBakeoffs = sqliteTable(
  "hosted_bakeoffs",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    route: text("route").notNull(),
    state: text("state").$type<"queued" | "running" | "cancelling" | "cancelled" | "done" | "failed">().notNull(),
    /** The resolved request: enough to continue after the instance was evicted. */
    plan: text("plan", { mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
    /** Number of samples planned. */
    planned: integer("planned").notNull(),
    error: text("error"),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("hosted_bakeoffs_org_created").on(table.org, table.createdAt),
  ],
);

/** Samples of a hosted bake-off as they finish, so that none is paid for twice. Figures only. */
export const hostedSamples = sqliteTable(
  "hosted_samples",
  {
    org: text("org").notNull(),
    bakeoff: text("bakeoff").notNull(),
    arm: text("arm").notNull(),
    input: text("input").notNull(),
    /** A line of the bake-off's journal. */
    sample: text("sample", { mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.org, table.bakeoff, table.input, table.arm] })],
);

/** Outputs that a user chose to keep for review with `--keep-outputs`; the only text of calls that leaves a machine. */
export const bakeoffSamples = sqliteTable(
  "bakeoff_samples",
  {
    org: text("org").notNull(),
    bakeoff: text("bakeoff").notNull(),
    input: text("input").notNull(),
    arm: text("arm").notNull(),
    /** Rendered input, JSON text. */
    request: text("request").notNull(),
    output: text("output").notNull(),
    quality: text("quality", { mode: "json" }).$type<{ readonly metric: string; readonly score: number }>(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.org, table.bakeoff, table.input, table.arm] })],
);
