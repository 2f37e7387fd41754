import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { uuidv7obj } from "uuidv7";
import { FAILURE_CLASSES, failure } from "../../src/failure/failure.ts";
import { writtenTags } from "../../src/identity/authorize.ts";
import { nanoToUsdText, nanoUsd } from "../../src/money/nano-usd.ts";
import { instant } from "../../src/record/instant.ts";
import { MOST_TAGS } from "../../src/record/tag.ts";
import { type RecordedCall, recordedCall, recordedInference } from "../../src/telemetry/recorded.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, HttpFault } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { parseBody } from "./listing.ts";

const { shape } = recordedCall;
const tokens = shape.usage.unwrap().shape;

/** The fields of `recordedCall` in the words of HTTP. */
export const recordRequest = z
  .strictObject({
    id: shape.id.describe("Your own id of the call: reporting it again changes nothing."),
    provider: shape.provider,
    model: shape.model,
    usage: z
      .strictObject({
        input_tokens: tokens.tokensIn.describe("The whole input, cached tokens included."),
        output_tokens: tokens.tokensOut.describe("The whole output, reasoning included."),
        cached_tokens: tokens.tokensCached,
        cache_write_tokens: tokens.cacheWriteTokens,
        reasoning_tokens: tokens.reasoningTokens,
      })
      .optional()
      .describe("As the provider reported it; leave out what it did not report."),
    cost_usd: shape.costUsd.describe("What the provider says it billed; wins over the price book."),
    tier: shape.servedTier.describe("The tier that served, in the provider's word; absent = standard."),
    latency_ms: shape.latencyMs,
    first_byte_ms: shape.firstByteMs,
    started_at: z.iso
      .datetime({ offset: true })
      .refine((at) => instant.safeParse(Date.parse(at)).success)
      .optional()
      .describe("Absent = now less the latency."),
    stream: shape.stream,
    run: shape.run,
    step: shape.stepKey,
    tags: shape.tags,
    finish_reason: shape.finishReason.describe("The provider's own word."),
    failure_class: z.enum(FAILURE_CLASSES).optional().describe("Absent = the call succeeded."),
  })
  .openapi("RecordRequest");

export const recordAnswer = z
  .object({
    inference_id: z.string(),
    cost_usd: z.string().nullable().describe("Exact decimal dollars, nine places; null = price or usage unknown."),
    price_version: z.string().nullable(),
    usage_inconsistent: z.boolean().describe("The counts contradict each other; the larger reading is billed."),
    duplicate: z
      .boolean()
      .describe("The id was there already; nothing changed, and the figures are those first reported."),
  })
  .openapi("RecordAnswer");

/** `POST /v1/record`: a call made without this gateway, by whoever made it. In the database when it is answered. */
export function record(app: Hono<AppEnv>): void {
  app.post("/v1/record", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    const body = parseBody(recordRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const tags = { ...body.tags, ...writtenTags(principal) };
    if (Object.keys(tags).length > MOST_TAGS) throw badRequest(`more than ${MOST_TAGS} tags`, "too_many_tags", "tags");
    const reported = recordedInference(
      { ...callOf(body), tags },
      {
        org: principal.org,
        keyId: principal.keyId,
        now: runtime.now(),
        prices: runtime.prices,
        simulated: (provider) => runtime.providers.find(provider)?.simulated === true,
        newId: (prefix) => `${prefix}_${uuidv7obj().toHex()}`,
      },
    );
    const store = runtime.store();
    const { inferences } = store.forOrg(principal.org);
    const first = body.id === undefined ? undefined : await inferences.get(reported.id, principal.rowScope);
    if (!first) await store.telemetry.insertInferences([reported]);
    // Of a row this key may not see, nothing is said but that its id is taken; what was reported is not there.
    if (principal.rowScope && !first && !(await inferences.get(reported.id, principal.rowScope))) throw idTaken();
    const [attempt] = reported.attempts;
    const known = first
      ? { costNano: first.inference.costNano, priceVersion: first.inference.priceVersion, attempt: first.attempts[0] }
      : { costNano: reported.costNano, priceVersion: attempt?.priceVersion ?? null, attempt };
    return c.json({
      inference_id: reported.id,
      cost_usd: known.costNano === null ? null : nanoToUsdText(nanoUsd(known.costNano)),
      price_version: known.priceVersion,
      usage_inconsistent: known.attempt?.usageInconsistent ?? false,
      duplicate: first !== undefined,
    } satisfies z.output<typeof recordAnswer>);
  });
}

function idTaken(): HttpFault {
  const message = "a call that this key may not see has this id";
  return new HttpFault(409, failure("bad_request", message, { code: "id_taken", param: "id" }));
}

function callOf({ usage, ...body }: z.output<typeof recordRequest>): RecordedCall {
  return {
    id: body.id,
    provider: body.provider,
    model: body.model,
    usage: usage && {
      tokensIn: usage.input_tokens,
      tokensOut: usage.output_tokens,
      tokensCached: usage.cached_tokens,
      cacheWriteTokens: usage.cache_write_tokens,
      reasoningTokens: usage.reasoning_tokens,
    },
    costUsd: body.cost_usd,
    servedTier: body.tier,
    latencyMs: body.latency_ms,
    firstByteMs: body.first_byte_ms,
    startedAt: body.started_at === undefined ? undefined : Date.parse(body.started_at),
    stream: body.stream,
    run: body.run,
    stepKey: body.step,
    finishReason: body.finish_reason,
    failureClass: body.failure_class,
  };
}
