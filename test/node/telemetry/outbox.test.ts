import { beforeEach, describe, expect, it } from "vitest";
import { type QueuedTelemetry, sizedRecord } from "../../../src/telemetry/message.ts";
import { Outbox } from "../../../src/telemetry/outbox.ts";
import { readMessage } from "../../../src/telemetry/read-message.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { type HandClock, handClock, settle } from "../../support/engine/hand-clock.ts";
import { anInference } from "../../support/store/inferences.ts";

/** A send that the test answers. */
interface Sent {
  readonly body: QueuedTelemetry;
  readonly ids: readonly string[];
  accept(): Promise<void>;
  refuse(cause: Error): Promise<void>;
}

let clock: HandClock;
let sends: Sent[];
let outbox: Outbox;
/** Ids of records whose sender was told that the queue has them, or that it refused them. */
let accepted: string[];
let refused: string[];

beforeEach(() => {
  clock = handClock();
  sends = [];
  accepted = [];
  refused = [];
  outbox = new Outbox({
    clock,
    send: (body) =>
      new Promise((resolve, reject) => {
        const ids = readMessage(body)?.records.map(({ id }) => id) ?? [];
        sends.push({
          body,
          ids,
          accept() {
            resolve(undefined);
            return settle();
          },
          refuse(cause) {
            reject(cause);
            return settle();
          },
        });
      }),
  });
});

function end(id: string, words = "word"): void {
  const record = sizedRecord(recordOf(anInference({ id, tags: { words } })));
  outbox.send(record).then(
    () => accepted.push(id),
    () => refused.push(id),
  );
}

const groups = () => sends.map(({ ids }) => ids.join(" "));

describe("the outbox", () => {
  it("has begun the send of a lone record when it returns, in a message of one record", async () => {
    end("a");
    expect(groups()).toEqual(["a"]);
    expect(sends[0]?.body).toMatchObject({ schema: "modelrig.telemetry/1" });
    await sends[0]?.accept();
    expect(accepted).toEqual(["a"]);
    end("b");
    expect(groups()).toEqual(["a", "b"]);
    expect(clock.timers).toBe(0);
  });

  it("gathers what ends while a send is under way, and sends it in one message within 25 ms of its first record", async () => {
    end("a");
    for (const id of ["b", "c"]) end(id);
    await clock.turn(10);
    await sends[0]?.accept();
    end("d");
    expect(groups()).toEqual(["a"]);
    await clock.turn(14);
    expect(groups()).toEqual(["a"]);
    await clock.turn(1);
    expect(groups()).toEqual(["a", "b c d"]);
    expect(accepted).toEqual(["a"]);
    await sends[1]?.accept();
    expect(accepted).toEqual(["a", "b", "c", "d"]);
    expect(clock.timers).toBe(0);
  });

  it("does not linger where the send before took longer than that", async () => {
    end("a");
    end("b");
    await clock.turn(40);
    await sends[0]?.accept();
    expect(groups()).toEqual(["a", "b"]);
  });

  it("tells every member of a refused message, and none of the next", async () => {
    end("a");
    for (const id of ["b", "c"]) end(id);
    await clock.turn(30);
    await sends[0]?.accept();
    end("d");
    await sends[1]?.refuse(new Error("queue full"));
    expect(refused).toEqual(["b", "c"]);
    await clock.turn(25);
    await sends[2]?.accept();
    expect(accepted).toEqual(["a", "d"]);
  });

  it("goes on where a send throws on the spot", async () => {
    const throwing = new Outbox({
      clock,
      send: () => {
        throw new Error("no such binding");
      },
    });
    await expect(throwing.send(sizedRecord(recordOf(anInference())))).rejects.toThrow("no such binding");
    await expect(throwing.send(sizedRecord(recordOf(anInference())))).rejects.toThrow("no such binding");
  });

  it("keeps every message below 100 kB, in the order in which the records ended", async () => {
    end("first");
    const ids = Array.from({ length: 150 }, (_, index) => `r${index}`);
    for (const id of ids) end(id, "é".repeat(150));
    for (let at = 0; at < sends.length; at += 1) {
      await sends[at]?.accept();
      await clock.turn(25);
    }
    const bytes = sends.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(100_000);
    expect(sends.length).toBeLessThan(8);
    expect(sends.flatMap((sent) => sent.ids)).toEqual(["first", ...ids]);
    expect(accepted).toEqual(["first", ...ids]);
  });

  it("does not wait for the answer to an earlier message", async () => {
    end("a");
    await clock.turn(10);
    end("b");
    await clock.turn(15);
    end("c");
    expect(groups()).toEqual(["a"]);
    await clock.turn(10);
    expect(groups()).toEqual(["a", "b c"]);
    await sends[1]?.accept();
    expect(accepted).toEqual(["b", "c"]);
    await sends[0]?.accept();
    expect(accepted).toEqual(["b", "c", "a"]);
  });

  it("sends a member's record once more where the sender of its group was silent for three seconds", async () => {
    end("a");
    for (const id of ["b", "c"]) end(id);
    await clock.turn(25);
    expect(groups()).toEqual(["a", "b c"]);
    await clock.turn(2_999);
    expect(groups()).toEqual(["a", "b c"]);
    await clock.turn(1);
    expect(groups()).toEqual(["a", "b c", "c"]);
    await sends[2]?.accept();
    expect(accepted).toEqual(["c"]);
  });

  it("is led anew by the next record where a leader never comes back", async () => {
    end("a");
    await clock.turn(3_000);
    end("b");
    expect(groups()).toEqual(["a", "b"]);
    end("c");
    await sends[1]?.accept();
    await clock.turn(25);
    expect(groups()).toEqual(["a", "b", "c"]);
  });

  it("loses no record of a member whose request ended before its turn to send: another takes it along", async () => {
    end("a");
    end("b");
    end("c");
    await sends[0]?.accept();
    // It was `b`'s turn, and its request is gone: nothing it waits for ever wakes it.
    expect(groups()).toEqual(["a"]);
    const { after, sleep } = clock;
    const dead = () => () => undefined;
    Object.assign(clock, { after: dead, sleep: () => new Promise(() => undefined) });
    end("d");
    Object.assign(clock, { after, sleep });
    await clock.turn(2_999);
    end("e");
    await clock.turn(3_000);
    expect(new Set(sends.flatMap(({ ids }) => ids))).toEqual(new Set(["a", "b", "c", "d", "e"]));
  });
});
