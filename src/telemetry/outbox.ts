import type { Clock } from "../call/time/clock.ts";
import { GroupSender } from "../call/time/group-sender.ts";
import { messageOf, type QueuedTelemetry, type SizedRecord } from "./message.ts";

/**
 * Records of one message. Its size stays below 100 kB, because a consumer may have to send each record again in one
 * batch of 100.
 */
const CAPACITY = { items: 100, size: 99_000 };
/** A single record does not wait; under load records gather for at most 25 ms. */
const WAIT = { lingerMs: 25, unhurried: false, patienceMs: 3_000 };

interface OutboxPorts {
  /** Resolves once the queue accepted the message; rejects where it refused it. */
  readonly send: (message: QueuedTelemetry) => Promise<unknown>;
  readonly clock: Clock;
}

/** Sends one isolate's records to the queue, those that end together in one message. */
export class Outbox {
  readonly #sender: GroupSender<SizedRecord, void>;

  constructor({ send, clock }: OutboxPorts) {
    this.#sender = new GroupSender<SizedRecord, void>({
      async send(records) {
        await send(messageOf(records.map(({ inference }) => inference)));
        return records.map(() => undefined);
      },
      capacity: CAPACITY,
      sizeOf: ({ bytes }) => bytes,
      clock,
    });
  }

  /** Resolves once the queue accepted the record; rejects where it refused the message that contained it. */
  async send(record: SizedRecord): Promise<void> {
    await this.#sender.send(record, WAIT);
  }
}
