/** Binds telemetry's recorder to the queue, and counts what is on its way. */
import { withDeadline } from "../../durable/remote.ts";
import type { Recorder } from "../../src/call/ports.ts";
import type { Clock } from "../../src/call/time/clock.ts";
import { isUnavailable } from "../../src/store/database/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import type { QueuedTelemetry, SizedRecord } from "../../src/telemetry/message.ts";
import { Outbox } from "../../src/telemetry/outbox.ts";
import type { TelemetrySink } from "../../src/telemetry/ports.ts";
import { createRecorder } from "../../src/telemetry/recorder.ts";
import type { Activity } from "../isolate/activity.ts";
import { logError } from "../log.ts";
import type { Background } from "../runtime.ts";

/** A queue that is silent for longer counts as refusing; what it takes all the same is stored once. */
const SEND_DEADLINE_MS = 10_000;

interface RecorderNeeds {
  /** Absent = there is no queue. */
  readonly outbox: Outbox | undefined;
  readonly openStore: () => Promise<Store>;
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

export function telemetryRecorder({ outbox, openStore, activity, clock, background }: RecorderNeeds): Recorder {
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
    sink: lazySink(openStore),
    waitUntil: (work) => background(activity.track(work)),
    sleep: clock.sleep,
    random: Math.random,
    onTrouble: ({ type, org, inference, cause }) => logError(`telemetry ${type}`, cause, { org, inference }),
  });
}

export function telemetryResend(queue: Queue<unknown>): (bodies: readonly unknown[]) => Promise<unknown> {
  return (bodies) => queue.sendBatch(bodies.map((body) => ({ body, contentType: "json" })));
}

/** A database that is not configured is one that is away. */
export function lazySink(openStore: () => Promise<Store>): TelemetrySink {
  return {
    insertInferences: async (records) => await (await openStore()).telemetry.insertInferences(records),
    isUnavailable,
  };
}

/** Says so in the log where a provider does not know a declared model: other candidates hide it from callers. */
export function alertingRecorder(recorder: Recorder, org: string): Recorder {
  return {
    record(inference) {
      for (const { provider, model, failure } of inference.attempts) {
        if (failure?.reason === "model_not_found")
          logError("model not found", undefined, { org, provider, model, route: inference.route ?? inference.lane });
      }
      recorder.record(inference);
    },
  };
}
