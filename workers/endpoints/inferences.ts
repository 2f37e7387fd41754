import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { LANES } from "../../src/call/inference.ts";
import { FAILURE_CLASSES } from "../../src/failure/failure.ts";
import { nanoToUsdText, nanoUsd } from "../../src/money/nano-usd.ts";
import type { AttemptRow, GradeRow, InferenceFilter, InferenceRow } from "../../src/store/inferences.ts";
import { isTagName } from "../../src/telemetry/tag.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, notFound } from "../fault.ts";
import { isoOf, next, pageOf, pageQuery, parseParams, time } from "./listing.ts";

const MOST_LISTED = 500;

const word = z.string().nullable();
const figure = z.int().nullable();
const usd = z.string().nullable().describe("Exact decimal dollars, nine places; null = unknown.");
const tokens = z
  .object({
    input: figure,
    uncached: figure,
    cache_read: figure,
    cache_write: figure,
    output: figure,
    reasoning: figure,
  })
  .describe("null = not reported. Of an inference: sums over its attempts.");

export const inference = z
  .object({
    id: z.string(),
    ts: z.iso.datetime(),
    ...{ lane: z.string(), route: word, route_hash: word, variant: word, arm: word, run: word, step: word },
    key: word.describe("Id of the key that made or reported it."),
    ...{ provider: word, model: word, rung: word },
    stream: z.boolean(),
    ...{ failure_class: word, reason: word, status: figure, code: word, finish: word },
    conformant: z.boolean().nullable().describe("null = no schema governed the call."),
    attempts: z.int(),
    latency_ms: z.int(),
    first_byte_ms: figure,
    tokens,
    cost_usd: usd,
    cost_estimated: z.boolean(),
    tier: word,
    price_version: word,
    simulated: z.boolean(),
    tags: z.record(z.string(), z.string()),
    skipped: z.array(z.object({ candidate: z.string(), why: z.string() })),
  })
  .openapi("InferenceRecord");

const attempt = z.object({
  id: z.string(),
  ts: z.iso.datetime(),
  ...{ provider: z.string(), model: z.string(), rung: z.string() },
  ...{ failure_class: word, reason: word, status: figure, code: word, finish: word },
  latency_ms: z.int(),
  first_byte_ms: figure,
  tokens,
  usage_estimated: z.boolean(),
  usage_inconsistent: z.boolean(),
  cost_usd: usd,
  cost_estimated: z.boolean(),
  tier: z.string(),
  price_version: word,
  dropped: z.array(z.string()),
});

const inferenceGrade = z.object({
  id: z.string(),
  score: z.number(),
  kind: z.string(),
  grader: z.string(),
  comment: word,
  created_at: z.iso.datetime(),
});

export const inferenceList = z.object({ inferences: z.array(inference), next }).openapi("InferenceList");

export const inferenceDetail = z
  .object({
    inference,
    attempts: z.array(attempt),
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
    return c.json({ inferences: shown.map(inferenceJson), next } satisfies z.output<typeof inferenceList>);
  });

  app.get("/v1/inferences/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const found = await runtime.store().forOrg(principal.org).inferences.get(c.req.param("id"), principal.rowScope);
    if (!found) throw notFound("no such inference", "inference_not_found", "id");
    return c.json({
      inference: inferenceJson(found.inference),
      attempts: found.attempts.map(attemptJson),
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

function inferenceJson(row: InferenceRow): z.output<typeof inference> {
  return {
    id: row.id,
    ts: isoOf(row.ts),
    lane: row.lane,
    route: row.route,
    route_hash: row.routeHash,
    variant: row.variant,
    arm: row.arm,
    run: row.run,
    step: row.step,
    key: row.keyId,
    provider: row.provider,
    model: row.model,
    rung: row.rung,
    stream: row.stream,
    failure_class: row.failureClass,
    reason: row.reason,
    status: row.status,
    code: row.code,
    finish: row.finish,
    conformant: row.conformant,
    attempts: row.attempts,
    latency_ms: row.latencyMs,
    first_byte_ms: row.firstByteMs,
    tokens: tokensJson(row),
    cost_usd: usdOf(row.costNano),
    cost_estimated: row.estimated,
    tier: row.tier,
    price_version: row.priceVersion,
    simulated: row.simulated,
    tags: { ...row.tags },
    skipped: [...(row.skipped ?? [])],
  };
}

function attemptJson(row: AttemptRow): z.output<typeof attempt> {
  return {
    id: row.id,
    ts: isoOf(row.ts),
    provider: row.provider,
    model: row.model,
    rung: row.rung,
    failure_class: row.failureClass,
    reason: row.reason,
    status: row.status,
    code: row.code,
    finish: row.finish,
    latency_ms: row.latencyMs,
    first_byte_ms: row.firstByteMs,
    tokens: tokensJson(row),
    usage_estimated: row.usageEstimated,
    usage_inconsistent: row.usageInconsistent,
    cost_usd: usdOf(row.costNano),
    cost_estimated: row.estimated,
    tier: row.tier,
    price_version: row.priceVersion,
    dropped: [...(row.dropped ?? [])],
  };
}

function gradeJson({ id, score, kind, grader, comment, createdAt }: GradeRow): z.output<typeof inferenceGrade> {
  return { id, score, kind, grader, comment, created_at: isoOf(createdAt) };
}

function tokensJson(row: InferenceRow | AttemptRow): z.output<typeof tokens> {
  return {
    input: row.inputTokens,
    uncached: row.uncachedTokens,
    cache_read: row.cacheReadTokens,
    cache_write: row.cacheWriteTokens,
    output: row.outputTokens,
    reasoning: row.reasoningTokens,
  };
}

function usdOf(nano: number | null): string | null {
  return nano === null ? null : nanoToUsdText(nanoUsd(nano));
}
