import { afterEach, describe, expect, inject, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import { openGateway, route, upstreamProvider, user } from "../gateway.ts";

const providers = [upstreamProvider("up", inject("upstreamUrl"))];
const routes = [route("telemetry.ok", ["up/m-1"]), route("telemetry.fail", ["up/status-500"])];
const gateway = openGateway({ routes, providers });
afterEach(() => gateway.settled());

const store = () => openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });

async function stored(run: string) {
  await gateway.settled();
  return await store().forOrg(inject("org")).inferences.list({ run, limit: 100 }, undefined);
}

describe("a call is recorded", () => {
  test("once, with its route, key, cost, tags, run and step, and without a word of its content", async () => {
    const headers = { "x-modelrig-run": "run-ok", "x-modelrig-step": "s1", "x-modelrig-tags": "client=acme%2C%20inc" };
    const body = {
      model: "telemetry.ok",
      messages: user("a-very-private-word"),
      metadata: { team: "blue", client: "ignored" },
    };
    const response = await gateway.chat(body, { headers });
    const rows = await stored("run-ok");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      id: response.headers.get("x-modelrig-inference-id"),
      route: "telemetry.ok",
      lane: "live",
      step: "s1",
      costNano: 25_000,
      tags: { client: "acme, inc", team: "blue" },
    });
    expect(JSON.stringify(rows)).not.toContain("a-very-private-word");
  });

  test("with its failure class when it fails", async () => {
    await gateway.chat({ model: "telemetry.fail", messages: user("x") }, { headers: { "x-modelrig-run": "run-fail" } });
    expect((await stored("run-fail"))[0]).toMatchObject({ failureClass: "server_error" });
  });

  test("as canceled and of unknown cost when its reader leaves", async () => {
    const headers = { "x-modelrig-run": "run-left" };
    const response = await gateway.chat({ model: "up/stall", messages: user("x"), stream: true }, { headers });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await stored("run-left"))[0]).toMatchObject({ failureClass: "canceled", costNano: null });
  });

  test("straight to the database where the queue refuses it, and where there is none", async () => {
    const refusing = { send: () => Promise.reject(new Error("queue away")) };
    for (const [run, TELEMETRY] of [
      ["run-refused", refusing],
      ["run-no-queue", undefined],
    ] as const) {
      const own = openGateway({ routes, providers, env: { TELEMETRY } });
      await own.chat({ model: "telemetry.ok", messages: user("x") }, { headers: { "x-modelrig-run": run } });
      await own.settled();
      expect(await stored(run)).toHaveLength(1);
    }
  });

  test("and counted by /metrics", async () => {
    await gateway.chat(
      { model: "telemetry.ok", messages: user("x") },
      { headers: { "x-modelrig-run": "run-metrics" } },
    );
    await stored("run-metrics");
    const text = await (await gateway.fetch("/metrics")).text();
    expect(text).toMatch(/^# TYPE modelrig_inferences_last_hour gauge$/m);
    expect(text).toMatch(
      /^modelrig_inferences_last_hour\{lane="live",route="telemetry.ok",provider="up",model="m-1"\} \d+$/m,
    );
    for (const line of text.split("\n").filter((it) => it !== "" && !it.startsWith("#"))) {
      expect(line).toMatch(/^[a-z_]+\{([a-z_]+="[^"]*",?)*\} -?\d+(\.\d+)?$/);
    }
  });
});
