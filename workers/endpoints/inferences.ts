import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { FAILURE_CLASSES } from "../../src/failure/failure.ts";
import { nanoToUsdText, nanoUsd } from "../../src/money/nano-usd.ts";
import { LANES } from "../../src/record/lane.ts";
import { attemptJson, inferenceJson } from "../../src/record/record-json.ts";
import { snakeKeys } from "../../src/record/snake-keys.ts";
import { isTagName } from "../../src/record/tag.ts";
import type { AttemptRow, GradeRow, InferenceFilter, InferenceRow } from "../../src/store/telemetry/inferences.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, notFound } from "../fault.ts";
import { isoOf, next, pageOf, pageQuery, parseParams, time } from "./listing.ts";

const MOST_LISTED = 500;

export const inference = z.object(inferenceJson.shape).openapi("InferenceRecord");

const inferenceGrade = z.object({
  id: z.string(),
  score: z.number(),
  kind: z.string(),
  grader: z.string(),
  comment: z.string().nullable(),
  created_at: z.iso.datetime(),
});

export const inferenceList = z.object({ inferences: z.array(inference), next }).openapi("InferenceList");

export const inferenceDetail = z
  .object({
    inference,
    attempts: z.array(attemptJson),
    grades: z.array(inferenceGrade).describe("Newest first: the first of a grader is the one that counts."),
  })
  .openapi("InferenceDetail");

const name = z.string().min(1).max(256).optional();
const flag = z
  .enum(["true", "false"])
  .transform((said) => said === "true")
  .optional();

export const inferenceQuery = z.strictObject({
  ...{ route: name, variant: name, provider: name, model: name, run: name, step: name, key: name },
  lane: z.enum(LANES).optional(),
  failure_class: z.enum([...FAILURE_CLASSES, "none"]).optional(),
  conformant: flag,
  simulated: flag,
  since: time.optional().describe("Inclusive."),
  until: time.optional().describe("Exclusive."),
  ...pageQuery(MOST_LISTED),
});

/** `/v1/inferences`: what was called, newest first. A key with a row scope sees only the rows that carry its tags. */
export function inferences(app: Hono<AppEnv>): void {
  app.get("/v1/inferences", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const filter = filterOf(new URL(c.req.url).searchParams);
    const { limit } = filter;
    // One more than is shown tells whether there is a next page.
    const asked = { ...filter, limit: limit + 1 };
    const found = await runtime.store().forOrg(principal.org).inferences.list(asked, principal.rowScope);
    const { shown, next } = pageOf(found, limit, ({ ts }) => ts);
    return c.json({ inferences: shown.map(jsonOfInference), next } satisfies z.output<typeof inferenceList>);
  });

  app.get("/v1/inferences/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const found = await runtime.store().forOrg(principal.org).inferences.get(c.req.param("id"), principal.rowScope);
    if (!found) throw notFound("no such inference", "inference_not_found", "id");
    return c.json({
      inference: jsonOfInference(found.inference),
      attempts: found.attempts.map(jsonOfAttempt),
      grades: found.grades.map(gradeJson),
    } satisfies z.output<typeof inferenceDetail>);
  });
}

function filterOf(query: URLSearchParams): InferenceFilter {
  const plain: Record<string, string> = {};
  const tags: Record<string, string> = {};
  for (const [key, value] of query) {
    const tag = key.startsWith("tag.") ? key.slice(4) : undefined;
    const [into, as] = tag === undefined ? [plain, key] : [tags, tag];
    if (tag !== undefined && !isTagName(tag)) throw badRequest("no such tag name", "invalid_query", key);
    // Of two values only one could be meant, and which would be a guess.
    if (Object.hasOwn(into, as)) throw badRequest(`${key} is given twice`, "invalid_query", key);
    into[as] = value;
  }
  const { failure_class: failureClass, key: keyId, after, ...rest } = parseParams(inferenceQuery, plain);
  return { ...rest, failureClass, keyId, tags, after: after && { ts: after.at, id: after.id } };
}

function jsonOfInference(row: InferenceRow): z.output<typeof inference> {
  const { key_id: key, skipped, ...same } = jsonOfRow(row);
  return { ...same, key, tags: { ...row.tags }, skipped: [...(skipped ?? [])] };
}

function jsonOfAttempt(row: AttemptRow): z.output<typeof attemptJson> {
  const { inference: _inference, position: _position, ...same } = jsonOfRow(row);
  return { ...same, dropped: [...(row.dropped ?? [])] };
}

/** What the rows of both tables are shown with. */
function jsonOfRow<Row extends InferenceRow | AttemptRow>(row: Row) {
  const { ts, costNano, reservedNano, estimated, inputTokens, uncachedTokens, cacheReadTokens, ...rest } = row;
  const { cacheWriteTokens, outputTokens, reasoningTokens, ...same } = rest;
  return {
    ...snakeKeys(same),
    ts: isoOf(ts),
    tokens: {
      ...{ input: inputTokens, uncached: uncachedTokens, cache_read: cacheReadTokens, cache_write: cacheWriteTokens },
      ...{ output: outputTokens, reasoning: reasoningTokens },
    },
    cost_usd: costNano === null ? null : nanoToUsdText(nanoUsd(costNano)),
    reserved_usd: reservedNano === null ? null : nanoToUsdText(nanoUsd(reservedNano)),
    cost_estimated: estimated,
  };
}

function gradeJson({ id, score, kind, grader, comment, createdAt }: GradeRow): z.output<typeof inferenceGrade> {
  return { id, score, kind, grader, comment, created_at: isoOf(createdAt) };
}
