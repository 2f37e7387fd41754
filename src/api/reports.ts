/** Calls that others made and report: batches of an SDK, and single ones. */
import { z } from "zod";
import { FAILURE_CLASSES } from "../failure/failure.ts";
import { time } from "../intake/fields.ts";
import { type IngestItem, ITEM_STATUSES, ingestItem, ingestRequest, MOST_ITEMS } from "../runs/ingest.ts";
import { recordedCall } from "../telemetry/recorded.ts";
import { endpoint } from "./endpoint.ts";

export const ingestAnswer = z
  .object({
    accepted: z.int().describe("Items that are in the database now, those that were there before included."),
    items: z
      .array(
        z.object({
          index: z.int().describe("Position in the batch."),
          status: z.enum(ITEM_STATUSES),
          code: z.string().optional(),
          message: z.string().optional(),
        }),
      )
      .describe("Items that this batch did not store, in their order. Every other one was stored by it."),
  })
  .meta({ id: "IngestAnswer" });

export const ingest = endpoint({
  operation: "ingest",
  method: "post",
  path: "/v1/ingest",
  access: "ingest",
  summary: "A batch of what an SDK buffered; every item is judged alone",
  // The handler judges the items one by one, so that one that is refused takes no other with it.
  body: ingestRequest
    .extend({ items: z.array(ingestItem as z.ZodType<IngestItem>).max(MOST_ITEMS) })
    .meta({ id: "IngestBatch" }),
  answers: {
    200: {
      description: "OK",
      json: ingestAnswer,
    },
  },
});

const { shape } = recordedCall;
const tokens = shape.usage.unwrap().shape;

/** The fields of `recordedCall` in the words of HTTP. */
const recordRequest = z
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
    started_at: time.optional().describe("Absent = now less the latency."),
    stream: shape.stream,
    run: shape.run,
    step: shape.stepKey,
    tags: shape.tags,
    finish_reason: shape.finishReason.describe("The provider's own word."),
    failure_class: z.enum(FAILURE_CLASSES).optional().describe("Absent = the call succeeded."),
  })
  .meta({ id: "RecordRequest" });

export const recordCall = endpoint({
  operation: "recordCall",
  method: "post",
  path: "/v1/record",
  access: "ingest",
  summary: "A call made without the gateway, priced and kept",
  body: recordRequest,
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          inference_id: z.string(),
          cost_usd: z.string().nullable().describe("Exact decimal dollars, nine places; null = not known."),
          price_version: z.string().nullable(),
          usage_inconsistent: z.boolean().describe("The counts contradict each other; the larger reading is billed."),
          duplicate: z
            .boolean()
            .describe(
              "The id was there already and nothing changed. The figures are those first reported, null where another " +
                "key reported them and yours may not read.",
            ),
        })
        .meta({ id: "RecordAnswer" }),
    },
  },
  faults: { 409: "Another call, which this key may not see, has the id" },
});
