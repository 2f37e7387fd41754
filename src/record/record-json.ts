/** The record as JSON of the HTTP API: names in snake case, ISO times, exact decimal dollars. */
import { z } from "zod";
import { attemptRecord, failureRecord, inferenceRecord } from "./inference-record.ts";
import { snakeKeys } from "./snake-keys.ts";

const { class: failureClass, reason, code } = failureRecord.shape;
const figures = {
  ts: z.iso.datetime(),
  failure_class: failureClass.nullable().describe("null = it succeeded."),
  reason,
  code,
  tokens: z
    .object(snakeKeys(attemptRecord.shape.tokens.shape))
    .describe("null = not reported. Of an inference: sums over its attempts."),
  cost_usd: z.string().nullable().describe("Exact decimal dollars, nine places; null = unknown."),
  reserved_usd: z
    .string()
    .nullable()
    .describe("What spend envelopes hold in place of a bill that is unknown; null = known, or under no limit."),
};

/** Fields with another form or another name in the API. */
const told = { startedAt: true, failure: true, costNano: true, reservedNano: true } as const;

export const attemptJson = z.object({
  ...snakeKeys(attemptRecord.omit({ ...told, index: true, tokens: true }).shape),
  ...figures,
});

export const inferenceJson = z.object({
  ...snakeKeys(inferenceRecord.omit({ ...told, org: true, keyId: true, attempts: true }).shape),
  ...figures,
  key: inferenceRecord.shape.keyId.describe("Id of the key that made or reported it."),
  status: failureRecord.shape.status,
  attempts: z.int(),
  tier: attemptRecord.shape.tier.nullable().describe("Of the attempt that served, else of the last one."),
  price_version: attemptRecord.shape.priceVersion,
});
