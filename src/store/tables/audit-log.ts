import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Every change of state: actor, action and subject. Append-only. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer("id").primaryKey(),
    org: text("org").notNull(),
    ts: integer("ts").notNull(),
    /** A key id, or `cli:<user>` for changes made with the database token. */
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    subject: text("subject").notNull(),
    detail: text("detail", { mode: "json" }).$type<Readonly<Record<string, unknown>>>(),
  },
  (table) => [index("audit_log_org_ts").on(table.org, table.ts)],
);
