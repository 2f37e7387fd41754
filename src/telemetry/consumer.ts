import type { InferenceRecord } from "../record/inference-record.ts";
import { retryDelaySeconds } from "./backoff.ts";
import { readMessage } from "./message.ts";
import type { QueueMessage, TelemetrySink } from "./ports.ts";

export interface ConsumerPorts {
  readonly sink: TelemetrySink;
  readonly now: () => number;
  readonly random: () => number;
  /**
   * Takes a body that can never be stored. Where it is absent or rejects, the message is retried until the queue itself
   * moves it to the dead letters.
   */
  readonly deadLetter?: ((body: unknown) => Promise<void>) | undefined;
}

export interface ConsumerReport {
  readonly stored: number;
  /** Left in the queue, to come again. */
  readonly retried: number;
  readonly deadLettered: number;
  /** Age of the oldest message when the batch was done. */
  readonly lagMs: number;
  /** Why records could not be stored; the last of several. */
  readonly cause?: unknown;
}

interface Delivery {
  readonly message: QueueMessage;
  readonly record: InferenceRecord;
}

/** Stores a batch; every message is acknowledged once it is in the database, else retried. Never throws. */
export async function consumeTelemetry(
  messages: readonly QueueMessage[],
  ports: ConsumerPorts,
): Promise<ConsumerReport> {
  const tally = { stored: 0, retried: 0, deadLettered: 0, cause: undefined as unknown };
  const retry = (message: QueueMessage): void => {
    message.retry({ delaySeconds: retryDelaySeconds(message.attempts, ports.random) });
    tally.retried += 1;
  };

  const store = async (deliveries: readonly Delivery[]): Promise<void> => {
    if (deliveries.length === 0) return;
    try {
      await ports.sink.insertInferences(deliveries.map(({ record }) => record));
      for (const { message } of deliveries) message.ack();
      tally.stored += deliveries.length;
    } catch (cause) {
      tally.cause = cause;
      if (deliveries.length === 1 || ports.sink.isUnavailable(cause)) {
        for (const { message } of deliveries) retry(message);
        return;
      }
      // One record the database refuses must not hold the others back: halves, until it stands alone.
      const middle = Math.ceil(deliveries.length / 2);
      await store(deliveries.slice(0, middle));
      await store(deliveries.slice(middle));
    }
  };

  const deliveries: Delivery[] = [];
  for (const message of messages) {
    const record = readMessage(message.body);
    if (record) {
      deliveries.push({ message, record });
    } else if (await moved(message, ports)) {
      message.ack();
      tally.deadLettered += 1;
    } else {
      retry(message);
    }
  }
  await store(deliveries);
  const oldest = Math.min(...messages.map(({ timestamp }) => timestamp.getTime()));
  return { ...tally, lagMs: messages.length === 0 ? 0 : Math.max(0, ports.now() - oldest) };
}

async function moved(message: QueueMessage, { deadLetter }: ConsumerPorts): Promise<boolean> {
  if (!deadLetter) return false;
  try {
    await deadLetter(message.body);
    return true;
  } catch {
    // It stays in the queue, and is counted as retried.
    return false;
  }
}
