import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { RunStatus } from "../../runs/run.ts";

/**
 * One execution of a pipeline. A call that names a run which was not started makes a row with only its times
 * (`declared` false); a later start completes it.
 */
export const runs = sqliteTable(
  "runs",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    declared: integer("declared", { mode: "boolean" }).notNull(),
    pipeline: text("pipeline"),
    /** Caller's own key that groups runs; not unique. */
    episodeKey: text("episode_key"),
    environment: text("environment"),
    subject: text("subject"),
    feature: text("feature"),
    tags: text("tags", { mode: "json" }).$type<Readonly<Record<string, string>>>().notNull(),
    status: text("status").$type<RunStatus>().notNull(),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("runs_org_started").on(table.org, table.startedAt, table.id),
    index("runs_org_episode").on(table.org, table.episodeKey),
    index("runs_org_pipeline").on(table.org, table.pipeline, table.startedAt),
  ],
);
