import type { InferenceRecord } from "../record/inference-record.ts";
import { retryDelaySeconds } from "./backoff.ts";
import { MESSAGE_SCHEMA } from "./message.ts";
import type { QueueMessage, TelemetrySink } from "./ports.ts";
import { readMessage } from "./read-message.ts";

export interface ConsumerPorts {
  readonly sink: TelemetrySink;
  readonly now: () => number;
  readonly random: () => number;
  /**
   * Sends bodies to the queue, each as a separate message. Where it is absent or rejects, a pack with a bad record is
   * retried whole, which stores nothing twice.
   */
  readonly resend?: ((bodies: readonly unknown[]) => Promise<unknown>) | undefined;
}

interface ConsumerReport {
  readonly stored: number;
  /**
   * Messages left in the queue for another delivery. The queue itself moves messages that can never be stored to the
   * dead letters.
   */
  readonly retried: number;
  /** Records taken out of a pack that they would have blocked; each is delivered again by itself. */
  readonly resent: number;
  /** Age of the oldest message when the batch was done. */
  readonly lagMs: number;
  /** Why records could not be stored; the last of several. */
  readonly cause?: unknown;
}

/** Most records written in one transaction. */
const MOST_WRITTEN = 500;

/** One message, and the result of its records. */
interface Delivery {
  readonly message: QueueMessage;
  readonly size: number;
  /** Records that cannot be read, or that the database refuses. */
  readonly bad: unknown[];
  /** True when the database failed before all records were stored. */
  away: boolean;
}

interface Item {
  readonly record: InferenceRecord;
  readonly delivery: Delivery;
}

/** Stores a batch; a message is acknowledged once all its records are stored or sent again. Never throws. */
export async function consumeTelemetry(
  messages: readonly QueueMessage[],
  ports: ConsumerPorts,
): Promise<ConsumerReport> {
  const tally = { stored: 0, retried: 0, resent: 0, cause: undefined as unknown };
  const retry = (message: QueueMessage): void => {
    message.retry({ delaySeconds: retryDelaySeconds(message.attempts, ports.random) });
    tally.retried += 1;
  };
  const store = async (items: readonly Item[]): Promise<void> => {
    if (items.length === 0) return;
    try {
      await ports.sink.insertInferences(items.map(({ record }) => record));
    } catch (cause) {
      tally.cause = cause;
      const [only] = items;
      if (ports.sink.isUnavailable(cause)) {
        for (const { delivery } of items) delivery.away = true;
      } else if (only && items.length === 1) {
        only.delivery.bad.push(only.record);
      } else {
        // One refused record must not block the others, so the group is halved until that record is alone.
        const middle = Math.ceil(items.length / 2);
        await store(items.slice(0, middle));
        await store(items.slice(middle));
      }
    }
  };

  const deliveries: Delivery[] = [];
  const items: Item[] = [];
  for (const message of messages) {
    const read = readMessage(message.body);
    if (!read) {
      retry(message);
      continue;
    }
    const size = read.records.length + read.unreadable.length;
    const delivery: Delivery = { message, size, bad: [...read.unreadable], away: false };
    deliveries.push(delivery);
    items.push(...read.records.map((record) => ({ record, delivery })));
  }
  for (let at = 0; at < items.length; at += MOST_WRITTEN) await store(items.slice(at, at + MOST_WRITTEN));

  for (const { message, size, bad, away } of deliveries) {
    if (away || (bad.length > 0 && (size === 1 || !(await isResent(bad, ports))))) {
      retry(message);
      continue;
    }
    message.ack();
    tally.resent += bad.length;
    tally.stored += size - bad.length;
  }
  const oldest = Math.min(...messages.map(({ timestamp }) => timestamp.getTime()));
  return { ...tally, lagMs: messages.length === 0 ? 0 : Math.max(0, ports.now() - oldest) };
}

async function isResent(bad: readonly unknown[], { resend }: ConsumerPorts): Promise<boolean> {
  if (!resend) return false;
  try {
    await resend(bad.map((inference) => ({ schema: MESSAGE_SCHEMA, inference })));
    return true;
  } catch {
    // The pack stays in the queue, and is counted as retried.
    return false;
  }
}
