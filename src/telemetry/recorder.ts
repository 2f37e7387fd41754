import type { Inference } from "../call/inference.ts";
import type { Clock, Recorder } from "../call/ports.ts";
import { DIRECT_WRITE_PAUSES_MS } from "./backoff.ts";
import { messageOf, type TelemetryMessage } from "./message.ts";
import type { TelemetrySink } from "./ports.ts";
import { recordOf } from "./record.ts";

/** Something went wrong on the way. Only `lost` means that the record will not arrive. */
export interface RecorderTrouble {
  readonly type: "queue_refused" | "write_failed" | "lost";
  readonly org: string;
  readonly inference: string;
  readonly cause: unknown;
}

export interface RecorderPorts {
  /** Absent = there is no queue; records are written straight to the database. */
  readonly send?: ((message: TelemetryMessage) => Promise<unknown>) | undefined;
  readonly sink: TelemetrySink;
  /** Keeps the host alive until the work is done, after the response has gone. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly sleep: Clock["sleep"];
  readonly random: () => number;
  readonly onTrouble: (trouble: RecorderTrouble) => void;
}

/**
 * Hands each record to the queue at once, so that the send has begun before the response ends. Where the queue refuses,
 * the record is written to the database directly, with a few retries: should both have taken it, its id makes it one.
 */
export function createRecorder(ports: RecorderPorts): Recorder {
  return {
    record(inference) {
      ports.waitUntil(deliver(inference, ports));
    },
  };
}

/** Runs up to the send without a pause; never rejects. */
async function deliver(inference: Inference, ports: RecorderPorts): Promise<void> {
  const trouble = (type: RecorderTrouble["type"], cause: unknown): void =>
    ports.onTrouble({ type, org: inference.org, inference: inference.id, cause });
  try {
    const message = messageOf(recordOf(inference));
    if (ports.send) {
      try {
        await ports.send(message);
        return;
      } catch (cause) {
        trouble("queue_refused", cause);
      }
    }
    await writeDirect(message, ports, (cause) => trouble("write_failed", cause));
  } catch (cause) {
    trouble("lost", cause);
  }
}

async function writeDirect(
  { inference }: TelemetryMessage,
  { sink, sleep, random }: RecorderPorts,
  onFailure: (cause: unknown) => void,
): Promise<void> {
  for (const pause of DIRECT_WRITE_PAUSES_MS) {
    try {
      await sink.insertInferences([inference]);
      return;
    } catch (cause) {
      if (!sink.isUnavailable(cause)) throw cause;
      onFailure(cause);
    }
    await sleep(pause * (1 - random() / 2));
  }
  await sink.insertInferences([inference]);
}
