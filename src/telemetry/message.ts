/** One queue message: the record of one inference, versioned, always below the queue's limit of 128 000 bytes. */
import { z } from "zod";
import { type InferenceRecord, inferenceRecord } from "../record/inference-record.ts";

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

const message = z.object({ schema: z.literal(MESSAGE_SCHEMA), inference: inferenceRecord });

/** The record in a message body, or `undefined` where this is none of ours or not one we can read. */
export function readMessage(body: unknown): InferenceRecord | undefined {
  const parsed = message.safeParse(body);
  return parsed.success ? parsed.data.inference : undefined;
}
