import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { InferenceRecord } from "../../record/inference-record.ts";

/** Times are epoch or elapsed milliseconds, money is nano-dollars; null = unknown or not applicable, never zero. */
export const inferences = sqliteTable(
  "inferences",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    ts: integer("ts").notNull(),
    lane: text("lane").notNull(),
    route: text("route"),
    routeHash: text("route_hash"),
    variant: text("variant"),
    arm: text("arm"),
    run: text("run"),
    step: text("step"),
    keyId: text("key_id"),
    /** The candidate that served; null where none did. */
    provider: text("provider"),
    model: text("model"),
    rung: text("rung"),
    stream: integer("stream", { mode: "boolean" }).notNull(),
    failureClass: text("failure_class"),
    reason: text("reason"),
    status: integer("status"),
    code: text("code"),
    finish: text("finish"),
    conformant: integer("conformant", { mode: "boolean" }),
    attempts: integer("attempts").notNull(),
    latencyMs: integer("latency_ms").notNull(),
    firstByteMs: integer("first_byte_ms"),
    /** Tokens are sums over the attempts that reported them. */
    inputTokens: integer("input_tokens"),
    uncachedTokens: integer("uncached_tokens"),
    cacheReadTokens: integer("cache_read_tokens"),
    cacheWriteTokens: integer("cache_write_tokens"),
    outputTokens: integer("output_tokens"),
    reasoningTokens: integer("reasoning_tokens"),
    costNano: integer("cost_nano"),
    /** Amount that envelopes hold in place of an unknown bill. */
    reservedNano: integer("reserved_nano"),
    estimated: integer("estimated", { mode: "boolean" }).notNull(),
    /** Tier and price of the attempt that served, else of the last one. */
    tier: text("tier"),
    priceVersion: text("price_version"),
    simulated: integer("simulated", { mode: "boolean" }).notNull(),
    tags: text("tags", { mode: "json" }).$type<InferenceRecord["tags"]>().notNull(),
    /** Null = no candidate was skipped. */
    skipped: text("skipped", { mode: "json" }).$type<InferenceRecord["skipped"]>(),
  },
  (table) => [
    // Ids also come from clients (SDK, ingest), so an id is unique only within its org.
    primaryKey({ columns: [table.org, table.id] }),
    index("inferences_org_ts").on(table.org, table.ts),
    index("inferences_org_route_ts").on(table.org, table.route, table.ts),
    index("inferences_org_run").on(table.org, table.run, table.ts).where(sql`run is not null`),
  ],
);
