import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { retryDelaySeconds } from "../../../src/telemetry/backoff.ts";
import { type ConsumerPorts, consumeTelemetry } from "../../../src/telemetry/consumer.ts";
import { MESSAGE_SCHEMA, messageOf, PACK_SCHEMA } from "../../../src/telemetry/message.ts";
import type { QueueMessage } from "../../../src/telemetry/ports.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { anInference } from "../../support/store/inferences.ts";

/** A queue as Cloudflare's: at least once, in any order, with retries that count up. */
class TestQueue {
  waiting: { id: string; body: unknown; attempts: number }[] = [];
  readonly acked: string[] = [];
  #serial = 0;

  send(body: unknown): void {
    this.#serial += 1;
    this.waiting.push({ id: `msg_${this.#serial}`, body: JSON.parse(JSON.stringify(body)), attempts: 0 });
  }

  take(count: number): QueueMessage[] {
    return this.waiting.splice(0, count).map((entry) => {
      const attempts = entry.attempts + 1;
      return {
        id: entry.id,
        body: entry.body,
        timestamp: new Date(0),
        attempts,
        ack: () => void this.acked.push(entry.id),
        retry: () => void this.waiting.push({ ...entry, attempts }),
      };
    });
  }
}

let local: Awaited<ReturnType<typeof localStore>>;
let ports: ConsumerPorts;
beforeEach(async () => {
  local = await localStore();
  ports = { sink: local.store.telemetry, now: () => 1_000, random: () => 0 };
});
afterEach(async () => {
  local.store.close();
  await local.remove();
});

const stored = async () =>
  (await local.store.forOrg("org_a").inferences.list({ limit: 10_000 }, undefined)).map(({ id }) => id).sort();

describe("the consumer", () => {
  it("stores each inference and its attempts exactly once, redelivered in any order and in any batches", async () => {
    const all = Array.from({ length: 40 }, () => anInference());
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...all, ...all, ...all], { minLength: all.length }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
        async (deliveries, sizes) => {
          const queue = new TestQueue();
          for (const inference of deliveries) queue.send(messageOf([recordOf(inference)]));
          const batches: QueueMessage[][] = [];
          for (let turn = 0; queue.waiting.length > 0; turn += 1)
            batches.push(queue.take(sizes[turn % sizes.length] ?? 1));
          // Consumers run side by side.
          await Promise.all(batches.map((batch) => consumeTelemetry(batch, ports)));
          expect(queue.acked).toHaveLength(deliveries.length);
          for (const id of new Set(deliveries.map((inference) => inference.id))) {
            expect((await local.store.forOrg("org_a").inferences.get(id, undefined))?.attempts).toHaveLength(1);
          }
        },
      ),
      { numRuns: 15 },
    );
    const ids = await stored();
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("loses nothing and doubles nothing while the database is away and comes back, under load", async () => {
    const queue = new TestQueue();
    const sent: string[] = [];
    const produce = (count: number) => {
      for (let each = 0; each < count; each += 1) {
        const inference = anInference();
        sent.push(inference.id);
        queue.send(messageOf([recordOf(inference)]));
      }
    };
    produce(100);
    await consumeTelemetry(queue.take(60), ports);
    await local.stop();
    let retried = 0;
    for (let outage = 0; outage < 5; outage += 1) {
      produce(50);
      const report = await consumeTelemetry(queue.take(100), ports);
      expect(report).toMatchObject({ stored: 0, cause: { fault: "unreachable" } });
      retried += report.retried;
    }
    expect(retried).toBeGreaterThan(200);
    // The server dies in the middle of writes, too.
    await local.start();
    const cut = Promise.all([consumeTelemetry(queue.take(100), ports), local.stop()]);
    await cut;
    await local.start();
    while (queue.waiting.length > 0) await consumeTelemetry(queue.take(100), ports);
    expect(await stored()).toEqual([...sent].sort());
  });

  it("leaves what can never be read to the queue's own dead letters, and stores the rest of its batch", async () => {
    const queue = new TestQueue();
    const good = anInference();
    const foreign = ["poison", { schema: "modelrig.telemetry/9" }, { schema: PACK_SCHEMA, inferences: [] }, null];
    for (const body of [...foreign, messageOf([recordOf(good)])]) queue.send(body);
    expect(await consumeTelemetry(queue.take(10), ports)).toMatchObject({ stored: 1, retried: 4, lagMs: 1_000 });
    expect(queue.waiting.map(({ body }) => body)).toEqual(foreign);
    expect(await stored()).toEqual([good.id]);
  });

  it("lets no record that the database refuses hold the others back", async () => {
    const queue = new TestQueue();
    const all = Array.from({ length: 33 }, () => anInference());
    for (const inference of all) queue.send(messageOf([recordOf(inference)]));
    const refused = new Set([all[3]?.id, all[20]?.id]);
    const sink: ConsumerPorts["sink"] = {
      insertInferences: async (records) => {
        if (records.some(({ id }) => refused.has(id))) throw new Error("refused");
        await local.store.telemetry.insertInferences(records);
      },
      isUnavailable: () => false,
    };
    expect(await consumeTelemetry(queue.take(100), { ...ports, sink })).toMatchObject({ stored: 31, retried: 2 });
    expect(await stored()).toEqual(
      all
        .map(({ id }) => id)
        .filter((id) => !refused.has(id))
        .sort(),
    );
  });
});

describe("a pack of records", () => {
  const refusing = (id: string): ConsumerPorts["sink"] => ({
    insertInferences: async (records) => {
      if (records.some((record) => record.id === id)) throw new Error("refused");
      await local.store.telemetry.insertInferences(records);
    },
    isUnavailable: (cause) => local.store.telemetry.isUnavailable(cause),
  });
  /** Three records, of which the second is none, or one the database refuses. */
  const packs = () => {
    const [first, second, third] = [anInference(), anInference(), anInference()].map(recordOf);
    if (!first || !second || !third) throw new Error("three records were made");
    const unreadable = { ...second, attempts: "none" };
    return [
      { bad: second, body: messageOf([first, second, third]), good: [first.id, third.id], sink: refusing(second.id) },
      {
        bad: unreadable,
        body: { schema: PACK_SCHEMA, inferences: [first, unreadable, third] },
        good: [first.id, third.id],
      },
    ];
  };

  it("is stored without its bad record, which comes again by itself and holds nothing up", async () => {
    for (const { bad, body, good, sink } of packs()) {
      const queue = new TestQueue();
      queue.send(body);
      const resend = async (bodies: readonly unknown[]) => bodies.forEach((one) => void queue.send(one));
      const own = { ...ports, resend, ...(sink && { sink }) };
      expect(await consumeTelemetry(queue.take(10), own)).toMatchObject({ stored: 2, resent: 1, retried: 0 });
      expect(queue.acked).toHaveLength(1);
      expect(queue.waiting.map((one) => one.body)).toEqual([{ schema: MESSAGE_SCHEMA, inference: bad }]);
      expect(await consumeTelemetry(queue.take(10), own)).toMatchObject({ stored: 0, resent: 0, retried: 1 });
      expect(await stored()).toEqual(expect.arrayContaining(good));
    }
  });

  it("is stored without its bad record, and comes again whole, where nothing can be sent to the queue", async () => {
    for (const resend of [undefined, () => Promise.reject(new Error("away"))]) {
      for (const { body, good, sink } of packs()) {
        const queue = new TestQueue();
        queue.send(body);
        const own = { ...ports, resend, ...(sink && { sink }) };
        for (const turn of [1, 2]) {
          expect(await consumeTelemetry(queue.take(10), own)).toMatchObject({ resent: 0, retried: 1 });
          expect(queue.waiting, `turn ${turn}`).toHaveLength(1);
        }
        expect(await stored()).toEqual(expect.arrayContaining(good));
      }
    }
  });

  it("comes again whole while the database is away, and is stored once", async () => {
    const all = Array.from({ length: 5 }, () => anInference());
    const queue = new TestQueue();
    queue.send(messageOf(all.map(recordOf)));
    await local.stop();
    expect(await consumeTelemetry(queue.take(10), ports)).toMatchObject({ stored: 0, retried: 1, resent: 0 });
    await local.start();
    for (const _ of [1, 2]) {
      const { body } = queue.waiting[0] ?? {};
      queue.send(body);
    }
    expect(await consumeTelemetry(queue.take(10), ports)).toMatchObject({ stored: 15, retried: 0 });
    expect(await stored()).toEqual(all.map(({ id }) => id).sort());
  });

  it("is one of many in a batch: records are written in transactions of at most 500", async () => {
    const sizes: number[] = [];
    const sink: ConsumerPorts["sink"] = {
      insertInferences: async (records) => void sizes.push(records.length),
      isUnavailable: () => false,
    };
    const queue = new TestQueue();
    for (let pack = 0; pack < 13; pack += 1) {
      queue.send(messageOf(Array.from({ length: 80 }, () => recordOf(anInference()))));
    }
    expect(await consumeTelemetry(queue.take(100), { ...ports, sink })).toMatchObject({ stored: 1_040 });
    expect(sizes).toEqual([500, 500, 40]);
  });
});

describe("retry delays", () => {
  it("double up to five minutes, and spread", () => {
    const full = [1, 2, 3, 4, 9, 10, 100].map((attempts) => retryDelaySeconds(attempts, () => 0));
    expect(full).toEqual([1, 2, 4, 8, 256, 300, 300]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const delay = retryDelaySeconds(attempts, () => random);
          return Number.isInteger(delay) && delay >= 1 && delay <= 300;
        },
      ),
    );
  });
});
