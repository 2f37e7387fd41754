/** Binds telemetry's recorder and consumer to the queue, and counts what is on its way. */
import { withDeadline } from "../durable/remote.ts";
import type { Recorder } from "../src/call/ports.ts";
import type { Clock } from "../src/call/time/clock.ts";
import { isUnavailable } from "../src/store/database/store-error.ts";
import type { Store } from "../src/store/store.ts";
import { consumeTelemetry } from "../src/telemetry/consumer.ts";
import type { QueuedTelemetry, SizedRecord } from "../src/telemetry/message.ts";
import { Outbox } from "../src/telemetry/outbox.ts";
import type { QueueMessage, TelemetrySink } from "../src/telemetry/ports.ts";
import { createRecorder } from "../src/telemetry/recorder.ts";
import type { Activity } from "./activity.ts";
import { logError } from "./log.ts";
import type { Background, Runtime } from "./runtime.ts";

/** Undeliverable records wait here, and are tried again every hour for as long as the queue keeps them. */
const DEAD_LETTERS = /-dead$/;
const DEAD_LETTER_DELAY_SECONDS = 3_600;
/** A queue that is silent for longer counts as refusing; what it takes all the same is stored once. */
const SEND_DEADLINE_MS = 10_000;

interface RecorderNeeds {
  /** Absent = there is no queue. */
  readonly outbox: Outbox | undefined;
  readonly store: () => Store;
  readonly activity: Activity;
  readonly clock: Clock;
  readonly background: Background;
}

/** One per isolate: what its calls leave behind together travels together. */
export function telemetryOutbox(queue: Queue<unknown>, clock: Clock): Outbox {
  const send = (message: QueuedTelemetry) =>
    withDeadline(SEND_DEADLINE_MS, queue.send(message, { contentType: "json" }));
  return new Outbox({ send, clock });
}

export function telemetryRecorder({ outbox, store, activity, clock, background }: RecorderNeeds): Recorder {
  const send = async (record: SizedRecord): Promise<void> => {
    activity.queued += 1;
    try {
      await outbox?.send(record);
    } catch (error) {
      activity.queued -= 1;
      throw error;
    }
  };
  return createRecorder({
    send: outbox && send,
    sink: lazySink(store),
    waitUntil: (work) => background(activity.track(work)),
    sleep: clock.sleep,
    random: Math.random,
    onTrouble: ({ type, org, inference, cause }) => logError(`telemetry ${type}`, cause, { org, inference }),
  });
}

export function telemetryResend(queue: Queue<unknown>): (bodies: readonly unknown[]) => Promise<unknown> {
  return (bodies) => queue.sendBatch(bodies.map((body) => ({ body, contentType: "json" })));
}

export async function consumeBatch(batch: MessageBatch, runtime: Runtime): Promise<void> {
  const { activity, store, now, resendTelemetry: resend } = runtime;
  const messages = DEAD_LETTERS.test(batch.queue) ? batch.messages.map(hourly) : batch.messages;
  const report = await consumeTelemetry(messages, { sink: lazySink(store), now, random: Math.random, resend });
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

/** A database that is not configured is one that is away: rejections, never a throw. */
function lazySink(store: () => Store): TelemetrySink {
  return {
    insertInferences: async (records) => await store().telemetry.insertInferences(records),
    isUnavailable,
  };
}
