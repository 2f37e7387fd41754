import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Sums of the inferences of one hour in one group. A mean is a sum over its own count; null never counts as zero. */
const sums = () => ({
  n: integer("n").notNull(),
  attempts: integer("attempts").notNull(),
  failed: integer("failed").notNull(),
  /** Inferences with a known cost, and what they cost together. */
  priced: integer("priced").notNull(),
  costNano: integer("cost_nano").notNull(),
  costNanoMin: integer("cost_nano_min"),
  costNanoMax: integer("cost_nano_max"),
  conformant: integer("conformant").notNull(),
  nonconformant: integer("nonconformant").notNull(),
  /** Conformant with a known cost: what an odometer counts. */
  conformantPriced: integer("conformant_priced").notNull(),
  latencyMs: integer("latency_ms").notNull(),
  latencyMsMin: integer("latency_ms_min").notNull(),
  latencyMsMax: integer("latency_ms_max").notNull(),
  inputTokens: integer("input_tokens").notNull(),
  inputTokensN: integer("input_tokens_n").notNull(),
  cacheReadTokens: integer("cache_read_tokens").notNull(),
  cacheReadTokensN: integer("cache_read_tokens_n").notNull(),
  cacheWriteTokens: integer("cache_write_tokens").notNull(),
  cacheWriteTokensN: integer("cache_write_tokens_n").notNull(),
  outputTokens: integer("output_tokens").notNull(),
  outputTokensN: integer("output_tokens_n").notNull(),
  reasoningTokens: integer("reasoning_tokens").notNull(),
  reasoningTokensN: integer("reasoning_tokens_n").notNull(),
});

/** `''` stands for null: a key column must compare equal to itself. */
const group = () => ({
  org: text("org").notNull(),
  /** Start of the hour, epoch milliseconds. */
  hour: integer("hour").notNull(),
  lane: text("lane").notNull(),
  route: text("route").notNull(),
  variant: text("variant").notNull(),
  provider: text("provider").notNull(),
  model: text("model").notNull(),
  failureClass: text("failure_class").notNull(),
  simulated: integer("simulated", { mode: "boolean" }).notNull(),
});

export const inferenceRollups = sqliteTable("inference_rollups", { ...group(), ...sums() }, (table) => [
  primaryKey({
    columns: [
      table.org,
      table.hour,
      table.lane,
      table.route,
      table.variant,
      table.provider,
      table.model,
      table.failureClass,
      table.simulated,
    ],
  }),
]);

/** The same per value of each tag: an inference with three tags counts in three groups, once per key. */
export const tagRollups = sqliteTable(
  "tag_rollups",
  { ...group(), tag: text("tag").notNull(), value: text("value").notNull(), ...sums() },
  (table) => [
    primaryKey({
      columns: [
        table.org,
        table.tag,
        table.hour,
        table.value,
        table.lane,
        table.route,
        table.variant,
        table.provider,
        table.model,
        table.failureClass,
        table.simulated,
      ],
    }),
  ],
);

/** Hours whose rows changed after their rollup was made, or that have none yet: read raw until upkeep comes by. */
export const staleHours = sqliteTable(
  "stale_hours",
  { org: text("org").notNull(), hour: integer("hour").notNull() },
  (table) => [primaryKey({ columns: [table.org, table.hour] })],
);

/** How far an org's raw rows are gone: before this hour only rollups tell. */
export const retentionMarks = sqliteTable(
  "retention_marks",
  { org: text("org").primaryKey(), before: integer("before").notNull() },
  (table) => [index("retention_marks_before").on(table.before)],
);
