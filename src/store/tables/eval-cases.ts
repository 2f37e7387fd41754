import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ReplayPayload } from "../../replay/replay-payload.ts";
import type { EvalCaseOrigin } from "../../runs/eval-case.ts";

/** Goldens: an input with the output expected for it, saved on purpose by a user. */
export const evalCases = sqliteTable(
  "eval_cases",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    task: text("task").notNull(),
    input: text("input", { mode: "json" }).$type<ReplayPayload>().notNull(),
    /** Any JSON value. */
    expected: text("expected", { mode: "json" }).$type<unknown>().notNull(),
    /** True when a person corrected `expected`, so that it differs from the artifact. */
    corrected: integer("corrected", { mode: "boolean" }).notNull(),
    origin: text("origin").$type<EvalCaseOrigin>().notNull(),
    artifact: text("artifact"),
    run: text("run"),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    /** Archived cases are kept, but bake-offs no longer use them. */
    archivedAt: integer("archived_at"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("eval_cases_org_task").on(table.org, table.task, table.createdAt),
  ],
);
