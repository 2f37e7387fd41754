import type { InferenceRecord } from "../record/inference-record.ts";

/** Where records end. */
export interface TelemetrySink {
  /** All of them or none. Repeating a record is harmless: the first one with an id stays. */
  insertInferences(records: readonly InferenceRecord[]): Promise<void>;
  /** Whether a rejection was the database's trouble, so that the same records may succeed later. */
  isUnavailable(cause: unknown): boolean;
}

/** A sink that also tells what was new to it. */
export interface TelemetryStore extends TelemetrySink {
  /** As `insertInferences`; by the records' order, whether each was added, or was there before. */
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
