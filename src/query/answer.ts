/** The answer to a query, as JSON of the HTTP API. */
import { z } from "zod";

const queryColumn = z.object({
  name: z.string(),
  type: z
    .enum(["text", "integer", "number", "usd", "boolean", "time", "date"])
    .describe("usd is an exact decimal text with nine places; time is ISO 8601"),
});

export const queryAnswer = z.object({
  columns: z.array(queryColumn),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  row_count: z.int(),
  truncated: z.boolean().describe("There are more rows than were answered."),
  limit: z.int(),
  timezone: z.string().describe("In which times without an offset are read, buckets cut and times shown"),
  source: z
    .enum(["rows", "rollups"])
    .describe("rollups: hourly sums, and rows where an hour is not whole or not summed"),
  notes: z.array(z.string()).describe("What the figures leave out or mix"),
  elapsed_ms: z.number(),
});

export const queryExplanation = z.object({
  explain: z.object({
    source: z.enum(["rows", "rollups"]),
    why_not_rollups: z.array(z.string()),
    sql: z.string(),
    args: z.array(z.union([z.string(), z.number(), z.null()])),
    columns: z.array(queryColumn),
    timezone: z.string(),
    limit: z.int(),
    notes: z.array(z.string()),
  }),
});

export type QueryAnswer = z.output<typeof queryAnswer>;
export type QueryExplanation = z.output<typeof queryExplanation>;
