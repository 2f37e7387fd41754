/** Body of `POST /v1/ingest`, which the SDK sends: a batch of events, each with an id from its sender. */
import { z } from "zod";
import { FAILURE_CLASSES, FAILURE_REASONS } from "../failure/failure.ts";
import { foreignWord, identifier, LONGEST_CALL_MS, tags, tokenCount } from "../intake/fields.ts";
import { MOST_COST } from "../money/cost.ts";
import { inferenceRecord } from "../record/inference-record.ts";
import { LANES } from "../record/lane.ts";
import { RUNGS } from "../route/route.ts";
import { artifactLink, artifactSaved } from "./artifact.ts";
import { recordedGrade } from "./grade.ts";
import { runEnd, runStart } from "./run.ts";

export const INGEST_SCHEMA = "modelrig.ingest/1";

/** Most items of one batch; the gateway's limit on bodies also applies. */
export const MOST_ITEMS = 500;

/** Most fields or candidates named with a call. */
const MOST_NAMED = 100;

/** Clocks may be set back during a call, so a duration may be negative. */
const ms = z.int().min(-LONGEST_CALL_MS).max(LONGEST_CALL_MS);
const tokens = tokenCount.nullable();
const costNano = z.int().nonnegative().max(MOST_COST).nullable();
const rung = z.enum([...RUNGS, "none"]);
const name = identifier.nullable();
const word = foreignWord.nullable();
const status = z.int().min(0).max(999).nullable();

const failure = z
  .object({ class: z.enum(FAILURE_CLASSES), reason: z.enum(FAILURE_REASONS).nullable(), status, code: word })
  .nullable();

const { element: attempt } = inferenceRecord.shape.attempts;

/** The rules of the gateway's own calls, applied to reported ones. */
const reportedInference = inferenceRecord.extend({
  latencyMs: ms,
  firstByteMs: ms.nullable(),
  costNano,
  reservedNano: costNano.default(null),
  attempts: z.array(
    attempt.extend({
      ...{ id: identifier, provider: identifier, model: identifier, rung, status, failure },
      latencyMs: ms,
      firstByteMs: ms.nullable(),
      costNano,
      reservedNano: costNano.default(null),
      tokens: z.object({
        ...{ input: tokens, uncached: tokens, cacheRead: tokens },
        ...{ cacheWrite: tokens, output: tokens, reasoning: tokens },
      }),
      ...{ finish: word, tier: foreignWord, priceVersion: word, dropped: z.array(foreignWord).max(MOST_NAMED) },
    }),
  ),
  id: identifier,
  lane: z.enum(LANES),
  ...{ route: name, routeHash: name, variant: name, arm: name, run: name, step: name },
  ...{ provider: name, model: name, rung: rung.nullable(), failure, finish: word },
  skipped: z.array(z.object({ candidate: foreignWord, why: foreignWord })).max(MOST_NAMED),
  tags,
});

export const ingestItem = z.discriminatedUnion("type", [
  /** The record of `modelrig.telemetry/1`; org and key are those of the sender, whatever the record contains. */
  z.strictObject({ type: z.literal("inference"), inference: reportedInference }),
  z.strictObject({ type: z.literal("run_start"), run: runStart }),
  z.strictObject({ type: z.literal("run_end"), run: runEnd }),
  z.strictObject({ type: z.literal("artifact"), artifact: artifactSaved }),
  z.strictObject({ type: z.literal("link"), link: artifactLink }),
  z.strictObject({ type: z.literal("grade"), grade: recordedGrade }),
]);

export type IngestItem = z.infer<typeof ingestItem>;

/** The body of `POST /v1/ingest`. Items are judged separately, so any value is accepted here. */
export const ingestRequest = z.strictObject({
  schema: z.literal(INGEST_SCHEMA),
  items: z.array(z.unknown()).max(MOST_ITEMS),
});

/**
 * `stored`: it was written. `duplicate`: it existed already and nothing changed. `later`: its subject may not have
 * arrived yet; send it again. `refused`: it will never be accepted; `code` and `message` give the reason.
 */
export const ITEM_STATUSES = ["stored", "duplicate", "later", "refused"] as const;
type ItemStatus = (typeof ITEM_STATUSES)[number];

export interface ItemResult {
  /** Position in the batch. */
  readonly index: number;
  readonly status: ItemStatus;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}
