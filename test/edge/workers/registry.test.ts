import { afterEach, describe, expect, inject, test } from "vitest";
import { type GatewayOptions, ladder, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false };
// A provider of this file alone: the registry belongs to the org, and outlives the test.
const options: GatewayOptions = {
  routes: [route("demo.probed", ["probed/echo"], { output: { schema: SCHEMA, ladder } })],
  providers: [upstreamProvider("probed", inject("upstreamUrl"))],
};
const opened: ReturnType<typeof openGateway>[] = [];
const open = (more: GatewayOptions = {}) => {
  const gateway = openGateway({ ...options, ...more });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

const row = (fields: Record<string, unknown> = {}) => ({
  provider: "probed",
  model: "echo",
  capability: "native_strict",
  n: 40,
  passed: 2,
  measured_at: "2026-11-01T00:00:00.000Z",
  cost_usd: "0.010000000",
  simulated: false,
  method: "probe-v1",
  ...fields,
});
const post = (capabilities: unknown[], more: GatewayOptions = {}) =>
  open(more).fetch("/v1/registry", {
    method: "POST",
    body: JSON.stringify({ schema: "modelrig.registry/1", capabilities }),
  });
async function rungOf(gateway: ReturnType<typeof openGateway>): Promise<string | null> {
  const response = await gateway.chat({ model: "demo.probed", messages: user('{"a":1}') });
  return response.headers.get("x-modelrig-rung");
}

describe("/v1/registry", () => {
  test("what a probe settled decides the rung, beside calls that do not wait for it", async () => {
    const before = open();
    expect(await rungOf(before)).toBe("native_strict");
    expect((await post([row()])).status).toBe(201);
    const after = open();
    expect(await rungOf(after), "a new isolate goes by what is declared").toBe("native_strict");
    await after.settled();
    after.resetTrips();
    expect(await rungOf(after)).toBe("json_object");
    expect(after.trips.database, "a warm isolate asks nobody").toBe(0);
  });

  test("answers the newest of each, with its interval worked out anew and its cost exact", async () => {
    await post([
      row({ capability: "tools", measured_at: "2026-11-02T00:00:00.000Z", passed: 40, low: 0.1, high: 0.2 }),
    ]);
    await post([row({ capability: "tools", measured_at: "2026-10-02T00:00:00.000Z", passed: 1 })]);
    const answer = (await (await open().fetch("/v1/registry")).json()) as { capabilities: { capability: string }[] };
    const tools = answer.capabilities.filter(({ capability }) => capability === "tools");
    expect(tools).toEqual([
      expect.objectContaining({ passed: 40, n: 40, low: expect.closeTo(0.9124, 4), high: 1, cost_usd: "0.010000000" }),
    ]);
  });

  test("is written only by an administrator, and only what can be a measurement", async () => {
    expect((await post([row()], { key: inject("keys").readOnly })).status).toBe(403);
    expect((await post([row({ passed: 41 })])).status).toBe(400);
    expect((await post([row({ provider: "no such\nprovider" })])).status).toBe(400);
  });
});
