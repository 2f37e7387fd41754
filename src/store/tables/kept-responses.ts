import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Answers of `/v1/responses` that can be continued, each with the input items of its own request. */
export const keptResponses = sqliteTable(
  "kept_responses",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    /** The response that it continued. */
    previous: text("previous"),
    /** What a key must be allowed to call in order to read it: a route, or `raw:provider/model`. */
    reach: text("reach").notNull(),
    keyId: text("key_id").notNull(),
    createdAt: integer("created_at").notNull(),
    /** Moves on when the response is used as context. */
    expiresAt: integer("expires_at").notNull(),
    /** Id of the root key that `sealed` was encrypted under. */
    storeKey: text("store_key").notNull(),
    sealed: text("sealed").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("kept_responses_org_expires").on(table.org, table.expiresAt),
  ],
);

/** Which kept response holds an output item, for requests that refer to items by their ids. */
export const keptResponseItems = sqliteTable(
  "kept_response_items",
  {
    org: text("org").notNull(),
    item: text("item").notNull(),
    response: text("response").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.item, table.response] }),
    index("kept_response_items_org_response").on(table.org, table.response),
  ],
);
