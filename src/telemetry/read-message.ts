import { z } from "zod";
import { type InferenceRecord, inferenceRecord } from "../record/inference-record.ts";
import { MESSAGE_SCHEMA, PACK_SCHEMA } from "./message.ts";

const message = z.object({ schema: z.literal(MESSAGE_SCHEMA), inference: inferenceRecord });
const pack = z.object({ schema: z.literal(PACK_SCHEMA), inferences: z.array(z.unknown()).min(1) });

interface ReadMessage {
  readonly records: readonly InferenceRecord[];
  /** Placeholder in a pack for an entry that is no record. */
  readonly unreadable: readonly unknown[];
}

/**
 * Returns the records of a message body, or `undefined` where the body is not a telemetry message. Each record of a
 * pack is read separately.
 */
export function readMessage(body: unknown): ReadMessage | undefined {
  const single = message.safeParse(body);
  if (single.success) return { records: [single.data.inference], unreadable: [] };
  const packed = pack.safeParse(body);
  if (!packed.success) return undefined;
  const records: InferenceRecord[] = [];
  const unreadable: unknown[] = [];
  for (const one of packed.data.inferences) {
    const read = inferenceRecord.safeParse(one);
    if (read.success) records.push(read.data);
    else unreadable.push(one);
  }
  return { records, unreadable };
}
