/**
 * Sends one isolate's records to the queue. A single record is sent at once; while a send is running, records gather
 * and leave together in one message. Requests share only plain data: every send is made by one member of the group,
 * within its own request, and every member keeps its own request open, with a timer of its own, until the group was
 * accepted.
 */
import type { Clock } from "../call/time/clock.ts";
import { messageOf, type QueuedTelemetry, type SizedRecord } from "./message.ts";

/**
 * Bytes of records, so that a message stays below 100 kB. A consumer may have to send each of them again in one batch
 * of 100.
 */
const MOST_PACK_BYTES = 99_000;
const MOST_PACK_RECORDS = 100;
/**
 * Milliseconds that a group gathers, counted from its first member. Applies only under load: a single record does not
 * wait.
 */
const LINGER_MS = 25;
/**
 * A sender whose request was ended reports nothing. After this many milliseconds its members, and those behind them,
 * continue without it.
 */
const PATIENCE_MS = 3_000;

interface OutboxPorts {
  /** Resolves once the queue accepted the message; rejects where it refused it. */
  readonly send: (message: QueuedTelemetry) => Promise<unknown>;
  readonly clock: Clock;
}

type Turn =
  | { readonly type: "accepted" }
  | { readonly type: "refused"; readonly cause: unknown }
  /** True when this member sends the next group. */
  | { readonly type: "lead" }
  | { readonly type: "overdue" };

interface Member {
  readonly record: SizedRecord;
  readonly joinedAt: number;
  tell: (turn: Turn) => void;
}

export class Outbox {
  readonly #ports: OutboxPorts;
  #gathering: Member[] = [];
  /** The sender that is running, or chosen to be the next. */
  #leading: { readonly since: number } | undefined;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  /** Resolves once the queue accepted the record; rejects where it refused the message that contained it. */
  async send(record: SizedRecord): Promise<void> {
    const { clock } = this.#ports;
    const member: Member = { record, joinedAt: clock.now(), tell: () => undefined };
    if (!this.#isLed()) return await this.#lead(member);
    const turn = await this.#joined(member);
    switch (turn.type) {
      case "accepted":
        return;
      case "refused":
        throw turn.cause;
      case "lead": {
        const lingers = member.joinedAt + LINGER_MS - clock.now();
        if (lingers > 0) await clock.sleep(lingers);
        return await this.#lead(member);
      }
      case "overdue":
        // The record may have been sent already: a second one with its id changes nothing.
        return await this.#lead(member);
    }
  }

  /** A leader that was silent for this long is assumed to have ended. */
  #isLed(): boolean {
    return this.#leading !== undefined && this.#ports.clock.now() - this.#leading.since < PATIENCE_MS;
  }

  async #joined(member: Member): Promise<Turn> {
    this.#gathering.push(member);
    let stopWaiting = (): void => undefined;
    const turn = await new Promise<Turn>((resolve) => {
      member.tell = resolve;
      stopWaiting = this.#ports.clock.after(PATIENCE_MS, () => resolve({ type: "overdue" }));
    });
    stopWaiting();
    return turn;
  }

  /** Sends a group that begins with `first`. Runs up to the send without awaiting. */
  async #lead(first: Member): Promise<void> {
    const leading = { since: this.#ports.clock.now() };
    this.#leading = leading;
    const group = this.#take(first);
    let turn: Turn = { type: "accepted" };
    try {
      await this.#ports.send(messageOf(group.map(({ record }) => record.inference)));
    } catch (cause) {
      turn = { type: "refused", cause };
    }
    for (const member of group) member.tell(turn);
    if (this.#leading === leading) this.#appoint();
    if (turn.type === "refused") throw turn.cause;
  }

  /** The chosen sender's record stays in the group, so that another member sends it if that request has ended. */
  #appoint(): void {
    const [next] = this.#gathering;
    this.#leading = next && { since: this.#ports.clock.now() };
    next?.tell({ type: "lead" });
  }

  #take(first: Member): readonly Member[] {
    const group = [first];
    const left: Member[] = [];
    let room = MOST_PACK_BYTES - first.record.bytes;
    for (const member of this.#gathering) {
      if (member === first) continue;
      const fits = left.length === 0 && group.length < MOST_PACK_RECORDS && member.record.bytes <= room;
      if (fits) room -= member.record.bytes;
      (fits ? group : left).push(member);
    }
    this.#gathering = left;
    return group;
  }
}
