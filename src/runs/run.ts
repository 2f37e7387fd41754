/** One execution of a pipeline, as its callers report it. */
import { z } from "zod";
import { isTagName, LONGEST_TAG_VALUE, MOST_TAGS } from "../telemetry/tag.ts";

export const RUN_STATUSES = ["running", "succeeded", "failed", "canceled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Ids of runs, steps, artifacts and grades: short words, so that they can stand in URLs, tables and object names. */
export const reportedId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/);
export const label = z.string().min(1).max(200);
/** Epoch milliseconds. */
export const instant = z.int().nonnegative().max(8_640_000_000_000_000);

export const tags = z
  .record(z.string(), z.string().max(LONGEST_TAG_VALUE))
  .refine((all) => Object.keys(all).every(isTagName) && Object.keys(all).length <= MOST_TAGS, {
    message: `at most ${MOST_TAGS} tags, named by letters, digits, _ . and -`,
  });

export const runStart = z.strictObject({
  id: reportedId,
  pipeline: label,
  episodeKey: label.optional(),
  environment: label.optional(),
  subject: label.optional(),
  feature: label.optional(),
  tags: tags.optional(),
  startedAt: instant,
});

export const runEnd = z.strictObject({
  id: reportedId,
  status: z.enum(["succeeded", "failed", "canceled"]),
  endedAt: instant,
});

export type RunStart = z.infer<typeof runStart>;
export type RunEnd = z.infer<typeof runEnd>;
