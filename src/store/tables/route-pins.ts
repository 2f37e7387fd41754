import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The variant that serves a route live. Append-only: the highest version applies, and going back is a new version. */
export const routePins = sqliteTable(
  "route_pins",
  {
    org: text("org").notNull(),
    route: text("route").notNull(),
    version: integer("version").notNull(),
    variant: text("variant").notNull(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
  },
  (table) => [primaryKey({ columns: [table.org, table.route, table.version] })],
);
