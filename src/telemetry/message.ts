/**
 * Queue messages: one record, or several of one isolate that ended together. Versioned, and always below the queue's
 * limit of 128 000 bytes.
 */
import type { InferenceRecord } from "../record/inference-record.ts";

export const MESSAGE_SCHEMA = "modelrig.telemetry/1";
export const PACK_SCHEMA = "modelrig.telemetry/2";

interface TelemetryMessage {
  readonly schema: typeof MESSAGE_SCHEMA;
  readonly inference: InferenceRecord;
}

interface TelemetryPack {
  readonly schema: typeof PACK_SCHEMA;
  readonly inferences: readonly InferenceRecord[];
}

export type QueuedTelemetry = TelemetryMessage | TelemetryPack;

/** A record that fits a message, with the bytes of its JSON. */
export interface SizedRecord {
  readonly inference: InferenceRecord;
  readonly bytes: number;
}

const MOST_BYTES = 120_000;

export function messageOf(records: readonly InferenceRecord[]): QueuedTelemetry {
  const [first] = records;
  return first && records.length === 1
    ? { schema: MESSAGE_SCHEMA, inference: first }
    : { schema: PACK_SCHEMA, inferences: records };
}

/**
 * Shortens a record that is too large although its fields are bounded: first details of attempts, then attempts in the
 * middle, then tags.
 */
export function sizedRecord(inference: InferenceRecord): SizedRecord {
  let kept = sized(inference);
  const cut = (fields: Partial<InferenceRecord>): void => {
    kept = sized({ ...kept.inference, ...fields });
  };
  if (kept.bytes > MOST_BYTES) cut({ attempts: inference.attempts.map((one) => ({ ...one, dropped: [] })) });
  while (kept.bytes > MOST_BYTES && kept.inference.attempts.length > 2) {
    const { attempts } = kept.inference;
    const part = Math.ceil(attempts.length / 4);
    cut({ attempts: [...attempts.slice(0, part), ...attempts.slice(-part)] });
  }
  if (kept.bytes > MOST_BYTES) cut({ tags: {}, skipped: [] });
  return kept;
}

const utf8 = new TextEncoder();
const BEYOND_ASCII = /[^\0-\x7f]/;

function sized(inference: InferenceRecord): SizedRecord {
  const json = JSON.stringify(inference);
  return { inference, bytes: BEYOND_ASCII.test(json) ? utf8.encode(json).length : json.length };
}
