/** What the SDK sends to `POST /v1/ingest`: a batch of things that happened, each with the id its sender gave it. */
import { z } from "zod";
import { usdToNano } from "../money/nano-usd.ts";
import { inferenceRecord } from "../record/inference-record.ts";
import { LANES } from "../record/lane.ts";
import { tags } from "../record/tag.ts";
import { LONGEST_CALL_MS, MOST_COST_USD, MOST_TOKENS } from "../telemetry/recorded.ts";
import { artifactLink, artifactSaved } from "./artifact.ts";
import { grade } from "./grade.ts";
import { reportedId, runEnd, runStart } from "./run.ts";

export const INGEST_SCHEMA = "modelrig.ingest/1";

/** Items of one batch; also bounded by the gateway's limit on bodies. */
export const MOST_ITEMS = 500;

/** Clocks may be set back during a call: a duration may be negative. */
const ms = z.int().min(-LONGEST_CALL_MS).max(LONGEST_CALL_MS);
const tokens = z.int().nonnegative().max(MOST_TOKENS).nullable();
const costNano = z.int().nonnegative().max(usdToNano(MOST_COST_USD)).nullable();

const { element: attempt } = inferenceRecord.shape.attempts;

/** What a call of one's own is held to, for calls that others report. */
const reportedInference = inferenceRecord.extend({
  latencyMs: ms,
  firstByteMs: ms.nullable(),
  costNano,
  reservedNano: costNano.default(null),
  attempts: z.array(
    attempt.extend({
      latencyMs: ms,
      firstByteMs: ms.nullable(),
      costNano,
      reservedNano: costNano.default(null),
      tokens: z.object({
        ...{ input: tokens, uncached: tokens, cacheRead: tokens },
        ...{ cacheWrite: tokens, output: tokens, reasoning: tokens },
      }),
    }),
  ),
  id: reportedId,
  lane: z.enum(LANES),
  run: reportedId.nullable(),
  step: reportedId.nullable(),
  tags,
});

export const ingestItem = z.discriminatedUnion("type", [
  /** The record of `modelrig.telemetry/1`; org and key are the sender's own, whatever it says. */
  z.strictObject({ type: z.literal("inference"), inference: reportedInference }),
  z.strictObject({ type: z.literal("run_start"), run: runStart }),
  z.strictObject({ type: z.literal("run_end"), run: runEnd }),
  z.strictObject({ type: z.literal("artifact"), artifact: artifactSaved }),
  z.strictObject({ type: z.literal("link"), link: artifactLink }),
  z.strictObject({ type: z.literal("grade"), grade }),
]);

export type IngestItem = z.infer<typeof ingestItem>;

/** The body of `POST /v1/ingest`. Items are judged one by one, so here they may be anything. */
export const ingestRequest = z.strictObject({
  schema: z.literal(INGEST_SCHEMA),
  items: z.array(z.unknown()).max(MOST_ITEMS),
});

/**
 * `stored`: it is in the database. `duplicate`: it was there already; nothing changed. `later`: it names a subject that
 * may still be on its way; send it again. `refused`: it never will be taken; `code` and `message` say why.
 */
export const ITEM_STATUSES = ["stored", "duplicate", "later", "refused"] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export interface ItemResult {
  /** Position in the batch. */
  readonly index: number;
  readonly status: ItemStatus;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}
