/** Binds telemetry's recorder and consumer to the queue, and counts what is on its way. */
import type { Clock, Recorder } from "../src/call/ports.ts";
import { isUnavailable } from "../src/store/database/store-error.ts";
import type { Store } from "../src/store/store.ts";
import { consumeTelemetry } from "../src/telemetry/consumer.ts";
import type { TelemetryMessage } from "../src/telemetry/message.ts";
import type { QueueMessage, TelemetrySink } from "../src/telemetry/ports.ts";
import { createRecorder } from "../src/telemetry/recorder.ts";
import type { Activity } from "./activity.ts";
import { logError } from "./log.ts";
import type { Background, Runtime } from "./runtime.ts";

/** Undeliverable records wait here, and are tried again every hour for as long as the queue keeps them. */
const DEAD_LETTERS = /-dead$/;
const DEAD_LETTER_DELAY_SECONDS = 3_600;

interface RecorderNeeds {
  readonly queue: Queue<TelemetryMessage> | undefined;
  readonly store: () => Store;
  readonly activity: Activity;
  readonly clock: Clock;
  readonly background: Background;
}

export function telemetryRecorder({ queue, store, activity, clock, background }: RecorderNeeds): Recorder {
  const send = async (message: TelemetryMessage): Promise<void> => {
    activity.queued += 1;
    try {
      await queue?.send(message, { contentType: "json" });
    } catch (error) {
      activity.queued -= 1;
      throw error;
    }
  };
  return createRecorder({
    send: queue && send,
    sink: lazySink(store),
    waitUntil: (work) => background(activity.track(work)),
    sleep: clock.sleep,
    random: Math.random,
    onTrouble: ({ type, org, inference, cause }) => logError(`telemetry ${type}`, cause, { org, inference }),
  });
}

export async function consumeBatch(batch: MessageBatch, { activity, store, now }: Runtime): Promise<void> {
  const messages = DEAD_LETTERS.test(batch.queue) ? batch.messages.map(hourly) : batch.messages;
  const report = await consumeTelemetry(messages, { sink: lazySink(store), now, random: Math.random });
  activity.queued = Math.max(0, activity.queued - report.stored - report.deadLettered);
  if (report.retried > 0) logError("telemetry comes again later", report.cause, { records: report.retried });
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

/** A database that is not configured is one that is away: rejections, never a throw. */
function lazySink(store: () => Store): TelemetrySink {
  return {
    insertInferences: async (records) => await store().telemetry.insertInferences(records),
    isUnavailable,
  };
}
