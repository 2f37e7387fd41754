/** One queue message: the record of one inference, versioned, always below the queue's limit of 128 000 bytes. */
import { z } from "zod";
import { instant } from "./instant.ts";
import type { InferenceRecord } from "./record.ts";

export const MESSAGE_SCHEMA = "modelrig.telemetry/1";

export interface TelemetryMessage {
  readonly schema: typeof MESSAGE_SCHEMA;
  readonly inference: InferenceRecord;
}

const MOST_BYTES = 120_000;

/** A record too large in spite of its fields' own bounds loses details of attempts, then attempts in its middle, then tags. */
export function messageOf(inference: InferenceRecord): TelemetryMessage {
  let kept = inference;
  if (!fits(kept)) kept = { ...kept, attempts: kept.attempts.map((one) => ({ ...one, dropped: [] })) };
  while (kept.attempts.length > 2 && !fits(kept)) {
    const part = Math.ceil(kept.attempts.length / 4);
    kept = { ...kept, attempts: [...kept.attempts.slice(0, part), ...kept.attempts.slice(-part)] };
  }
  if (!fits(kept)) kept = { ...kept, tags: {}, skipped: [] };
  return { schema: MESSAGE_SCHEMA, inference: kept };
}

function fits(inference: InferenceRecord): boolean {
  const json = JSON.stringify(inference);
  // A UTF-16 unit is at most three bytes of UTF-8: nearly every record is settled without being encoded.
  return json.length * 3 <= MOST_BYTES || new TextEncoder().encode(json).length <= MOST_BYTES;
}

const text = z.string().max(256);
const figure = z.int().nonnegative().nullable();
const failure = z.object({ class: text, reason: text.nullable(), status: figure, code: text.nullable() }).nullable();

const attempt = z.object({
  id: text.min(1),
  index: z.int().nonnegative(),
  provider: text,
  model: text,
  rung: text,
  startedAt: instant,
  latencyMs: z.int(),
  firstByteMs: z.int().nullable(),
  status: figure,
  failure,
  finish: text.nullable(),
  tokens: z.object({
    input: figure,
    uncached: figure,
    cacheRead: figure,
    cacheWrite: figure,
    output: figure,
    reasoning: figure,
  }),
  usageEstimated: z.boolean(),
  usageInconsistent: z.boolean(),
  costNano: figure,
  costEstimated: z.boolean(),
  tier: text,
  priceVersion: text.nullable(),
  dropped: z.array(text),
});

/** An inference record as it travels. */
export const inferenceRecord = z.object({
  id: text.min(1),
  org: text.min(1),
  keyId: text.nullable(),
  lane: text,
  route: text.nullable(),
  routeHash: text.nullable(),
  variant: text.nullable(),
  arm: text.nullable(),
  run: text.nullable(),
  step: text.nullable(),
  stream: z.boolean(),
  startedAt: instant,
  latencyMs: z.int(),
  firstByteMs: z.int().nullable(),
  provider: text.nullable(),
  model: text.nullable(),
  rung: text.nullable(),
  failure,
  finish: text.nullable(),
  conformant: z.boolean().nullable(),
  costNano: figure,
  costEstimated: z.boolean(),
  simulated: z.boolean(),
  tags: z.record(text, text),
  skipped: z.array(z.object({ candidate: text, why: text })),
  attempts: z.array(attempt),
});

const message = z.object({ schema: z.literal(MESSAGE_SCHEMA), inference: inferenceRecord });

/** The record in a message body, or `undefined` where this is none of ours or not one we can read. */
export function readMessage(body: unknown): InferenceRecord | undefined {
  const parsed = message.safeParse(body);
  return parsed.success ? parsed.data.inference : undefined;
}
