import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One upstream request each. Units as in `inferences`. */
export const attempts = sqliteTable(
  "attempts",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    inference: text("inference").notNull(),
    position: integer("position").notNull(),
    ts: integer("ts").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    rung: text("rung").notNull(),
    failureClass: text("failure_class"),
    reason: text("reason"),
    status: integer("status"),
    code: text("code"),
    finish: text("finish"),
    latencyMs: integer("latency_ms").notNull(),
    firstByteMs: integer("first_byte_ms"),
    inputTokens: integer("input_tokens"),
    uncachedTokens: integer("uncached_tokens"),
    cacheReadTokens: integer("cache_read_tokens"),
    cacheWriteTokens: integer("cache_write_tokens"),
    outputTokens: integer("output_tokens"),
    reasoningTokens: integer("reasoning_tokens"),
    /** True when token figures are our own count of a truncated or canceled answer. */
    usageEstimated: integer("usage_estimated", { mode: "boolean" }).notNull(),
    /** True when the provider's figures contradict each other; the cost is then the larger reading. */
    usageInconsistent: integer("usage_inconsistent", { mode: "boolean" }).notNull(),
    costNano: integer("cost_nano"),
    /** Amount that envelopes hold in place of an unknown bill. */
    reservedNano: integer("reserved_nano"),
    estimated: integer("estimated", { mode: "boolean" }).notNull(),
    tier: text("tier").notNull(),
    priceVersion: text("price_version"),
    /** Names of request fields the upstream could not carry; null = none. */
    dropped: text("dropped", { mode: "json" }).$type<readonly string[]>(),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.inference, table.position] }),
    // Reservations are reconciled by attempt.
    index("attempts_org_id").on(table.org, table.id),
    index("attempts_org_ts").on(table.org, table.ts),
  ],
);
