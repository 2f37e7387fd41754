import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const orgs = sqliteTable("orgs", {
  id: text("id").primaryKey(),
  /** Name that people type and read: lower-case letters, digits and dashes. */
  slug: text("slug").notNull().unique(),
  createdAt: integer("created_at").notNull(),
});
