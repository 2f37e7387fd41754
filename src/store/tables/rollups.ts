import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/*
 * Hourly sums of inferences, and how they and the raw rows add up. A reader takes, per org, in one statement or in one
 * read transaction:
 *
 *   before the retention mark        the rollup and whatever raw rows are there: each record is in exactly one of them
 *   from the mark on, in stale_hours the raw rows alone; the rollup of that hour, if any, is out of date
 *   from the mark on, not stale      either: the rollup and the raw rows say the same
 *
 * A tag listed in wide_tags for an hour (by its name, or `*` for every tag of that hour) has no rows in tag_rollups for it:
 * take the raw rows or, before the mark, say that this breakdown is gone. docs/retention.md tells the whole story.
 */

/**
 * Sums of the inferences of one hour in one group. A mean is a sum divided by its own count; null never counts as zero.
 */
const sums = () => ({
  n: integer("n").notNull(),
  attempts: integer("attempts").notNull(),
  failed: integer("failed").notNull(),
  /** Inferences with a known cost, and their total cost. */
  priced: integer("priced").notNull(),
  costNano: integer("cost_nano").notNull(),
  costNanoMin: integer("cost_nano_min"),
  costNanoMax: integer("cost_nano_max"),
  conformant: integer("conformant").notNull(),
  nonconformant: integer("nonconformant").notNull(),
  /** Conformant inferences with a known cost, which the odometer uses. */
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

const group = () => ({
  org: text("org").notNull(),
  /** Start of the hour, epoch milliseconds. */
  hour: integer("hour").notNull(),
  lane: text("lane").notNull(),
  simulated: integer("simulated", { mode: "boolean" }).notNull(),
});

/** `''` replaces null, because a key column must be equal to itself. */
export const inferenceRollups = sqliteTable(
  "inference_rollups",
  {
    ...group(),
    route: text("route").notNull(),
    variant: text("variant").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    failureClass: text("failure_class").notNull(),
    ...sums(),
  },
  (table) => [
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
    // The odometer reads the whole history of one route.
    index("inference_rollups_org_route_hour").on(table.org, table.route, table.hour),
  ],
);

/**
 * The same per value of each tag: an inference with three tags counts in three groups. Grouped by lane only: with the
 * route as well, an hour of ordinary traffic would have as many groups as rows. A query about a tag on one route, model
 * or failure class reads raw rows. The empty tag means everything: one group per hour, lane and simulated, from which
 * the rows without a tag are derived.
 */
export const tagRollups = sqliteTable(
  "tag_rollups",
  { ...group(), tag: text("tag").notNull(), value: text("value").notNull(), ...sums() },
  (table) => [
    primaryKey({ columns: [table.org, table.tag, table.hour, table.value, table.lane, table.simulated] }),
    index("tag_rollups_org_hour").on(table.org, table.hour),
  ],
);

/** Tags with so many values in an hour that sums per value would be as long as the hour itself. `*` = every tag. */
export const wideTags = sqliteTable(
  "wide_tags",
  { org: text("org").notNull(), hour: integer("hour").notNull(), tag: text("tag").notNull() },
  (table) => [primaryKey({ columns: [table.org, table.hour, table.tag] })],
);

/** Hours with rows added after their rollup was made, or without a rollup: they are read raw until upkeep has run. */
export const staleHours = sqliteTable(
  "stale_hours",
  { org: text("org").notNull(), hour: integer("hour").notNull() },
  (table) => [primaryKey({ columns: [table.org, table.hour] })],
);

/**
 * Raw rows of hours before this one have been, or are being, moved into the rollups; late rows are moved as they
 * arrive.
 */
export const retentionMarks = sqliteTable("retention_marks", {
  org: text("org").primaryKey(),
  before: integer("before").notNull(),
});

/** Ids of inferences whose raw rows retention has moved, so that a repeated delivery is not counted twice. */
export const movedInferences = sqliteTable(
  "moved_inferences",
  { org: text("org").notNull(), id: text("id").notNull(), movedAt: integer("moved_at").notNull() },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("moved_inferences_org_moved").on(table.org, table.movedAt),
  ],
);
