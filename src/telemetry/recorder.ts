import type { Inference } from "../call/inference.ts";
import type { Recorder } from "../call/ports.ts";
import type { Clock } from "../call/time/clock.ts";
import type { InferenceRecord } from "../record/inference-record.ts";
import { DIRECT_WRITE_PAUSES_MS } from "./backoff.ts";
import { type SizedRecord, sizedRecord } from "./message.ts";
import type { TelemetrySink } from "./ports.ts";
import { recordOf } from "./record.ts";

/** An error on the way to the database. Only `lost` means that the record will not arrive. */
export interface RecorderTrouble {
  readonly type: "queue_refused" | "write_failed" | "lost";
  readonly org: string;
  readonly inference: string;
  readonly cause: unknown;
}

export interface RecorderPorts {
  /** Absent = there is no queue; records are written straight to the database. */
  readonly send?: ((record: SizedRecord) => Promise<unknown>) | undefined;
  readonly sink: TelemetrySink;
  /** Keeps the host running until the work is done, after the response has been sent. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly sleep: Clock["sleep"];
  readonly random: () => number;
  readonly onTrouble: (trouble: RecorderTrouble) => void;
}

/**
 * Sends each record at once, so that its send has begun, or it has joined a gathering group, before the response ends.
 * Where the queue refuses, the record is written to the database directly, with a few retries. If both accepted it, its
 * id makes it one row.
 */
export function createRecorder(ports: RecorderPorts): Recorder {
  return {
    record(inference) {
      ports.waitUntil(deliver(inference, ports));
    },
  };
}

/** Runs up to the send without awaiting; never rejects. */
async function deliver(inference: Inference, ports: RecorderPorts): Promise<void> {
  const trouble = (type: RecorderTrouble["type"], cause: unknown): void =>
    ports.onTrouble({ type, org: inference.org, inference: inference.id, cause });
  try {
    const record = sizedRecord(recordOf(inference));
    if (ports.send) {
      try {
        await ports.send(record);
        return;
      } catch (cause) {
        trouble("queue_refused", cause);
      }
    }
    await writeDirect(record.inference, ports, (cause) => trouble("write_failed", cause));
  } catch (cause) {
    trouble("lost", cause);
  }
}

async function writeDirect(
  inference: InferenceRecord,
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
