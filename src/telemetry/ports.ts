import type { InferenceRecord } from "../record/inference-record.ts";

/** Storage for records. */
export interface TelemetrySink {
  /** Stores all of them or none. Repeating a record is harmless: the first one with an id stays. */
  insertInferences(records: readonly InferenceRecord[]): Promise<void>;
  /** True when the database caused the rejection, so that the same records may succeed later. */
  isUnavailable(cause: unknown): boolean;
}

/** Storage that also returns which records were new. */
export interface TelemetryStore extends TelemetrySink {
  /** As `insertInferences`; returns for each record, in order, whether it was added or existed already. */
  insertReported(records: readonly InferenceRecord[]): Promise<readonly boolean[]>;
}

/** A message as Cloudflare Queues delivers it. */
export interface QueueMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly body: unknown;
  /** 1 on the first delivery. */
  readonly attempts: number;
  ack(): void;
  retry(options?: { delaySeconds?: number }): void;
}
