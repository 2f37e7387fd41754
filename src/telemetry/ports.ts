import type { InferenceRecord } from "./record.ts";

/** Where records end. Repeating a record is harmless: the first one with an id stays. Rejects when none were written. */
export interface TelemetrySink {
  insertInferences(records: readonly InferenceRecord[]): Promise<void>;
}
