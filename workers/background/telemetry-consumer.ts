import { consumeTelemetry } from "../../src/telemetry/consumer.ts";
import type { QueueMessage } from "../../src/telemetry/ports.ts";
import { logError } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import { lazySink } from "./telemetry-queue.ts";

/** Undeliverable records wait here, and are tried again every hour for as long as the queue keeps them. */
const DEAD_LETTERS = /-dead$/;
const DEAD_LETTER_DELAY_SECONDS = 3_600;

/** Stores what a batch of the telemetry queue holds. */
export async function consumeBatch(batch: MessageBatch, runtime: Runtime): Promise<void> {
  const { activity, openStore, now, resendTelemetry: resend } = runtime;
  const messages = DEAD_LETTERS.test(batch.queue) ? batch.messages.map(hourly) : batch.messages;
  const report = await consumeTelemetry(messages, { sink: lazySink(openStore), now, random: Math.random, resend });
  activity.queued = Math.max(0, activity.queued - report.stored);
  const { retried, resent, cause } = report;
  if (retried + resent > 0) logError("telemetry comes again later", cause, { messages: retried, records: resent });
}

function hourly(message: Message): QueueMessage {
  return {
    id: message.id,
    timestamp: message.timestamp,
    body: message.body,
    attempts: message.attempts,
    ack: () => message.ack(),
    retry: () => message.retry({ delaySeconds: DEAD_LETTER_DELAY_SECONDS }),
  };
}
