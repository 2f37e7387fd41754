import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import { openStore } from "../../../src/store/store.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { CYCLES } from "../../../workers/background/cycles.ts";
import worker from "../../../workers/index.ts";
import { anInference } from "../../support/store/inferences.ts";
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

test("the hourly upkeep sums ended hours, and moves what is past retention into sums", async () => {
  const store = openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });
  const deed = { by: "test", at: Date.now() };
  const org = await store.orgs.ensure({ id: "org_upkeep", slug: "upkeep" }, deed);
  const { inferences, rollups, settings } = store.forOrg(org.id);
  await settings.put({ ...(await settings.get()), retentionDays: 31 }, deed);
  const days = 86_400_000;
  const [old, young] = [40, 2].map((age) =>
    recordOf(anInference({ org: org.id, id: `inf_${age}`, startedAt: deed.at - age * days })),
  );
  if (!old || !young) throw new Error("two records were made");
  await store.telemetry.insertInferences([old, young]);
  const served = () => rollups.servedSince("example.summarize", "default", 0);
  const before = await served();
  expect(before.conformant).toBe(2);
  await worker.scheduled(createScheduledController({ cron: CYCLES.upkeep }), openGateway({}).env);
  expect(await rollups.lag()).toEqual({ hours: 0, oldest: undefined });
  expect(await inferences.attemptCosts([...old.attempts, ...young.attempts].map(({ id }) => id))).toEqual(
    new Map(young.attempts.map(({ id, costNano }) => [id, costNano])),
  );
  expect(await served()).toEqual(before);
  store.close();
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
