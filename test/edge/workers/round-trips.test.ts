import { afterEach, describe, expect, inject, test } from "vitest";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import { openGateway, route, upstreamProvider, user } from "../gateway.ts";

const PRICED = "up/m-1";
const routes = [
  route("demo.free", [PRICED]),
  route("demo.limited", [PRICED], { budget: { perDay: usdToNano(5) } }),
  route("demo.per-call", [PRICED], { budget: { perCall: usdToNano(1) } }),
];
const gateway = openGateway({ routes, providers: [upstreamProvider("up", inject("upstreamUrl"))] });
afterEach(() => gateway.settled());

/** One call of its own lets the isolate learn the key, the pins and the breakers. */
async function warm(model: string): Promise<void> {
  await (await gateway.chat({ model, messages: user("warm") })).text();
  await gateway.settled();
  gateway.resetTrips();
}

describe("on a warm isolate", () => {
  test.each(["demo.free", "demo.per-call"])(
    "a healthy call on %s makes no round trip before its answer",
    async (model) => {
      await warm(model);
      const response = await gateway.chat({ model, messages: user("hi") });
      expect(gateway.trips).toEqual({ objects: 0, database: 0 });
      expect(response.status).toBe(200);
      await response.text();
      await gateway.settled();
      expect(gateway.trips.objects).toBe(0);
    },
  );

  test("nor does a stream, before its first byte or after", async () => {
    await warm("demo.free");
    const response = await gateway.chat({ model: "demo.free", messages: user("hello there"), stream: true });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(first?.done).toBe(false);
    expect(gateway.trips).toEqual({ objects: 0, database: 0 });
    while (!(await reader?.read())?.done);
    await gateway.settled();
    expect(gateway.trips.objects).toBe(0);
  });

  test("a route with a daily limit pays exactly one, to its envelope", async () => {
    await warm("demo.limited");
    const response = await gateway.chat({ model: "demo.limited", messages: user("hi") });
    expect(response.status, await response.clone().text()).toBe(200);
    expect(gateway.trips.database).toBe(0);
    await response.text();
    await gateway.settled();
    expect(gateway.trips.objects).toBe(2); // reserve before, settle after
  });
});

describe("a cold isolate", () => {
  test("looks the key, the pins and the registry up once, however many calls come at once", async () => {
    const cold = openGateway({ routes, providers: [upstreamProvider("up", inject("upstreamUrl"))] });
    cold.resetTrips();
    const calls = Array.from({ length: 8 }, () => cold.chat({ model: "demo.free", messages: user("hi") }));
    for (const response of await Promise.all(calls)) expect(response.status).toBe(200);
    expect(cold.trips.database).toBeLessThanOrEqual(3);
    await cold.settled();
  });
});

describe("with the database away", () => {
  const away = { TURSO_DATABASE_URL: "http://127.0.0.1:1" };

  test("what needs no key answers, and keys are refused as unavailable, not as wrong", async () => {
    const cut = openGateway({ routes, env: away });
    expect((await cut.fetch("/health")).status).toBe(200);
    const response = await cut.chat({ model: "demo.free", messages: user("hi") });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    await cut.settled();
  });
});
