import { afterEach, describe, expect, inject, test } from "vitest";
import { type Gateway, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const providers = () => [upstreamProvider("up", inject("upstreamUrl"))];
const routes = [route("demo.a", ["up/echo"]), route("demo.b", ["up/echo"])];

const opened: Gateway[] = [];
const open = (key: string): Gateway => {
  const gateway = openGateway({ routes, providers: providers(), key });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

const error = async (response: Response) => ((await response.json()) as { error: Record<string, unknown> }).error;

describe("without a key", () => {
  test.each(["/health", "/openapi.json", "/llms.txt"])("%s answers", async (path) => {
    const gateway = openGateway({ routes, key: undefined });
    expect((await gateway.fetch(path)).status).toBe(200);
  });

  test.each([
    ["POST", "/v1/chat/completions"],
    ["POST", "/v1/run/demo.a"],
    ["GET", "/v1/models"],
    ["GET", "/v1/whoami"],
    ["GET", "/metrics"],
    ["GET", "/v1/nothing"],
    ["POST", "/dev/drain"],
    ["POST", "/dev/reload"],
  ])("%s %s does not", async (method, path) => {
    const gateway = openGateway({ routes, key: undefined });
    const response = await gateway.fetch(path, { method, ...(method === "POST" && { body: "{}" }) });
    expect(response.status).toBe(path.startsWith("/dev/") ? 404 : 401);
    expect(await error(response)).toMatchObject({ message: expect.any(String), code: expect.any(String) });
  });
});

describe("a key", () => {
  test("is taken as a bearer token and as x-api-key", async () => {
    const gateway = openGateway({ routes, key: undefined });
    const key = inject("key");
    for (const headers of [{ authorization: `Bearer ${key}` }, { "x-api-key": key }]) {
      const response = await gateway.fetch("/v1/whoami", { headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ org: { id: inject("org") } });
    }
  });

  test.each(["revoked", "expired"] as const)("that is %s is refused with 401", async (kind) => {
    const response = await open(inject("keys")[kind]).fetch("/v1/whoami");
    expect(response.status).toBe(401);
    expect(await error(response)).toMatchObject({ code: "invalid_api_key" });
  });

  test.each(["rig_sk_unknown", "sk-something", "🙂"])(
    "nobody knows (%s) is refused with 401 and not echoed",
    async (key) => {
      const gateway = openGateway({ routes, key: undefined });
      const response = await gateway.fetch("/v1/whoami", { headers: { "x-api-key": encodeURIComponent(key) } });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain(encodeURIComponent(key));
    },
  );

  test("opens only what its scopes say", async () => {
    const reader = open(inject("keys").readOnly);
    expect((await reader.fetch("/metrics")).status).toBe(200);
    const refused = await reader.chat({ model: "demo.a", messages: user("hi") });
    expect(refused.status).toBe(403);
    expect(await error(refused)).toMatchObject({ code: "missing_scope" });
    expect((await open(inject("keys").callOnly).fetch("/metrics")).status).toBe(403);
  });

  test("reaches only the routes it was given, by every way of naming one", async () => {
    const gateway = open(inject("keys").oneRoute);
    expect((await gateway.chat({ model: "demo.a", messages: user("hi") })).status).toBe(200);
    for (const model of ["demo.b", "demo.b@default", "up/echo"]) {
      expect((await gateway.chat({ model, messages: user("hi") })).status).toBe(403);
    }
    expect((await gateway.run("demo.b", { input: {} })).status).toBe(403);
    const listed = (await (await gateway.fetch("/v1/models")).json()) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual(["demo.a"]);
  });
});
