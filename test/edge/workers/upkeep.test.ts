import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import { openStore } from "../../../src/store/store.ts";
import { CYCLES } from "../../../workers/cycles.ts";
import worker from "../../../workers/index.ts";
import { openGateway, route, upstreamProvider, user } from "../gateway.ts";

const providers = [upstreamProvider("up", inject("upstreamUrl"))];

test("a pin decides which variant serves a route, and never beyond its declared candidates", async () => {
  const store = openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });
  const deed = { by: "test", at: Date.now() };
  await store.forOrg(inject("org")).routePins.pin("pins.pinned", "loud", deed);
  await store.forOrg(inject("org")).routePins.pin("pins.gone", "no-longer-declared", deed);
  const variants = [{ name: "loud", template: { user: "LOUD {{ word }}" } }];
  const template = { user: "say {{ word }}" };
  const routes = [
    route("pins.pinned", ["up/echo"], { template, variants }),
    route("pins.gone", ["up/echo"], { template }),
  ];
  const gateway = openGateway({ routes, providers });
  const text = async (name: string, body: Record<string, unknown> = {}) =>
    ((await (await gateway.run(name, { input: { word: "x" }, ...body })).json()) as { text: string }).text;
  expect(await text("pins.pinned")).toBe("LOUD x");
  expect(await text("pins.gone")).toBe("say x");
  await gateway.settled();
});

test("the hourly upkeep runs, also twice", async () => {
  const limited = route("upkeep.limited", ["up/m-1"], { budget: { perDay: usdToNano(1) } });
  const gateway = openGateway({ routes: [limited], providers });
  await (await gateway.chat({ model: "upkeep.limited", messages: user("x") })).text();
  await gateway.settled();
  for (let run = 0; run < 2; run += 1) {
    await worker.scheduled(createScheduledController({ cron: CYCLES.upkeep }), gateway.env);
  }
});

test("a message that is no telemetry, and any while the database is away, comes again instead of being lost", async () => {
  const context = createExecutionContext();
  const message = { id: "m1", timestamp: new Date(), attempts: 1, body: { schema: "something else" } };
  const batch = createMessageBatch("modelrig-telemetry", [message]);
  await worker.queue(batch, openGateway({}).env);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, context);
  expect(explicitAcks).toEqual([]);
  expect(retryMessages.map((retried: { msgId: string }) => retried.msgId)).toEqual(["m1"]);
});
