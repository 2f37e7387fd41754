/** What becomes of records when the queue, a sender or a consumer fails: each accepted one is stored once, none held up. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { afterEach, describe, expect, inject, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import worker from "../../../workers/index.ts";
import { type Gateway, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const providers = [upstreamProvider("up", inject("upstreamUrl"))];
const routes = [route("outbox.ok", ["up/m-1"])];
let gateway: Gateway;
afterEach(() => gateway.settled());

interface Body {
  readonly inference?: { readonly id: string };
  readonly inferences?: readonly { readonly id: string }[];
}

const idsIn = ({ inference, inferences }: Body) => (inferences ?? (inference ? [inference] : [])).map(({ id }) => id);

/** A queue whose answer to each message the test decides; what it accepted is delivered by `deliver`. */
function scriptedQueue(answer: (nth: number) => Promise<void>) {
  const bodies: Body[] = [];
  const accepted: Body[] = [];
  const take = async (body: Body): Promise<void> => {
    const copy = structuredClone(body);
    const nth = bodies.push(copy) - 1;
    await answer(nth);
    accepted.push(copy);
  };
  const queue = {
    send: take,
    sendBatch: async (messages: Iterable<{ body: Body }>) => {
      for (const { body } of messages) accepted.push(structuredClone(body));
    },
  };
  return { queue, bodies, accepted };
}

async function deliver(bodies: readonly unknown[]) {
  const messages = bodies.map((body, index) => ({ id: `${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch("modelrig-telemetry", messages);
  await worker.queue(batch, gateway.env);
  return await getQueueResult(batch, createExecutionContext());
}

async function calls(run: string, count: number): Promise<string[]> {
  const headers = { "x-modelrig-run": run };
  const responses = await Promise.all(
    Array.from({ length: count }, () => gateway.chat({ model: "outbox.ok", messages: user("x") }, { headers })),
  );
  return responses.map((response) => response.headers.get("x-modelrig-inference-id") ?? "").sort();
}

async function stored(run: string): Promise<string[]> {
  const store = openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });
  const rows = await store.forOrg(inject("org")).inferences.list({ run, limit: 100 }, undefined);
  return rows.map(({ id }) => id).sort();
}

const open = (queue: object) => {
  gateway = openGateway({ routes, providers, env: { TELEMETRY: queue } });
};

describe("records of calls that end together", () => {
  test("travel in fewer messages than there are calls, and arrive once each, also when delivered twice", async () => {
    const { queue, bodies, accepted } = scriptedQueue(() => new Promise((resolve) => setTimeout(resolve, 20)));
    open(queue);
    const ids = await calls("outbox-together", 20);
    await gateway.settled();
    expect(bodies.length).toBeLessThan(20);
    expect(accepted.flatMap(idsIn).sort()).toEqual(ids);
    expect((await deliver([...accepted, ...accepted])).retryMessages).toEqual([]);
    expect(await stored("outbox-together")).toEqual(ids);
  });

  test("are written directly, each of them, where the queue refuses their message", async () => {
    const { queue, accepted } = scriptedQueue(() => Promise.reject(new Error("queue full")));
    open(queue);
    const ids = await calls("outbox-refused", 12);
    await gateway.settled();
    expect(accepted).toEqual([]);
    expect(await stored("outbox-refused")).toEqual(ids);
  });

  test("arrive once each where the queue is slower than a member waits", async () => {
    const { queue, accepted } = scriptedQueue(
      (nth) => new Promise((resolve) => setTimeout(resolve, nth < 2 ? 3_500 : 0)),
    );
    open(queue);
    const ids = await calls("outbox-slow", 8);
    await gateway.settled();
    await deliver(accepted);
    expect(await stored("outbox-slow")).toEqual(ids);
  });

  test("arrive once each where the sender of a message never hears of it again", async () => {
    const { queue, accepted } = scriptedQueue((nth) => (nth === 0 ? new Promise(() => undefined) : Promise.resolve()));
    open(queue);
    const ids = await calls("outbox-silent", 8);
    await gateway.settled();
    await deliver(accepted);
    // What the queue never answered for is written directly in the end.
    expect(await stored("outbox-silent")).toEqual(ids);
  });

  test("are stored although one in their pack is poison, which comes again alone", async () => {
    const { queue, accepted } = scriptedQueue(() => new Promise((resolve) => setTimeout(resolve, 20)));
    open(queue);
    const ids = await calls("outbox-poison", 10);
    await gateway.settled();
    const packs = accepted.splice(0);
    const [poisoned] = packs.filter(({ inferences }) => inferences && inferences.length > 2);
    const [victim] = poisoned?.inferences ?? [];
    Object.assign(victim ?? {}, { costNano: "poison" });
    const result = await deliver(packs);
    expect(result.retryMessages).toEqual([]);
    expect(accepted).toEqual([{ schema: "modelrig.telemetry/1", inference: victim }]);
    expect(await stored("outbox-poison")).toEqual(ids.filter((id) => id !== victim?.id));
    expect((await deliver(accepted)).retryMessages).toHaveLength(1);
  });
});
