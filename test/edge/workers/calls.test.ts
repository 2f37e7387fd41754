import { afterEach, describe, expect, inject, test } from "vitest";
import type { Seen } from "../../support/upstreams/behaving-upstream.ts";
import { candidate, type GatewayOptions, ladder, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false };
const FORMAT = (schema: unknown) => ({ type: "json_schema", json_schema: { name: "s", schema, strict: true } });

const providers = () => [
  upstreamProvider("up", inject("upstreamUrl")),
  upstreamProvider("loose", inject("upstreamUrl"), { capabilities: {}, models: {} }),
];

const none = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };
const routes = [
  route("demo.plain", [candidate("up/echo", { params: { temperature: 0.2, max_tokens: 50 } })]),
  route("demo.json", ["up/echo"], { output: { schema: SCHEMA, ladder }, retry: none }),
  route("demo.ladder", ["up/status-503", "up/echo"], { retry: none }),
  route("demo.trial", [candidate("up/echo", { trial: true })]),
  route("demo.template", ["up/echo"], {
    template: { system: "Be brief.", user: "Say {{ word }}" },
    input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    variants: [{ name: "loud", template: { user: "Shout {{ word }}" } }],
  }),
];

const open = (options: GatewayOptions = {}) => openGateway({ routes, providers: providers(), ...options });
const gateway = open();
afterEach(() => gateway.settled());

const content = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
const error = async (response: Response) => ((await response.json()) as { error: Record<string, unknown> }).error;

async function seen(marker: string): Promise<Seen> {
  return await (await fetch(`${inject("upstreamUrl")}/seen?marker=${marker}`)).json();
}

describe("a chat call", () => {
  test("to a route gets the caller's messages answered, and every header told", async () => {
    const response = await gateway.chat({ model: "demo.plain", messages: user("mark-head") });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-modelrig-inference-id": expect.stringMatching(/^inf_/),
      "x-modelrig-served": "up/echo",
      "x-modelrig-rung": "none",
      "x-modelrig-attempts": "1",
    });
    expect(await content(response)).toBe("mark-head");
  });

  test("to a raw model costs exactly what its price says", async () => {
    const response = await gateway.chat({ model: "up/m-1", messages: user("hi") });
    expect(response.headers.get("x-modelrig-cost-usd")).toBe("0.000025000");
  });

  test("leaves the cost header out where the price is unknown", async () => {
    const response = await gateway.chat({ model: "up/echo", messages: user("hi") });
    expect(response.headers.has("x-modelrig-cost-usd")).toBe(false);
  });

  test("has candidate params where it says nothing, and its own fields where it does", async () => {
    await gateway.chat({ model: "demo.plain", messages: user("mark-params-1") });
    await gateway.chat({ model: "demo.plain", messages: user("mark-params-2"), temperature: 0.9 });
    expect((await seen("mark-params-1")).requests[0]?.body).toMatchObject({ temperature: 0.2 });
    expect((await seen("mark-params-2")).requests[0]?.body).toMatchObject({ temperature: 0.9 });
  });

  test("keeps unknown fields and large integers as they were written", async () => {
    const body = `{"model":"up/echo","messages":[{"role":"user","content":"mark-big"}],"future":{"id":2512292042121000001}}`;
    await gateway.fetch("/v1/chat/completions", { method: "POST", body });
    const raw = await (await fetch(`${inject("upstreamUrl")}/seen?marker=mark-big`)).text();
    const { requests } = await seen("2512292042121000001");
    expect(raw).toContain("mark-big");
    expect(requests).toHaveLength(1);
  });

  test("falls to the next candidate on an infrastructure failure, and says so", async () => {
    const response = await gateway.chat({ model: "demo.ladder", messages: user("hi") });
    expect(response.headers.get("x-modelrig-served")).toBe("up/echo");
    expect(response.headers.get("x-modelrig-attempts")).toBe("2");
  });

  test("is never served by a trial candidate", async () => {
    const response = await gateway.chat({ model: "demo.trial", messages: user("hi") });
    expect(response.status).toBe(503);
    expect(await error(response)).toMatchObject({ failure_class: "no_candidate" });
  });

  test.each([
    ["no.such.route", 404],
    ["demo.plain@nope", 404],
    ["nobody/model", 404],
    ["auto", 404],
    ["auto:batch", 404],
    ["has space", 400],
    ["../etc/passwd", 400],
    ["", 400],
  ])("to the model %j is refused with %i", async (model, status) => {
    const response = await gateway.chat({ model, messages: user("hi") });
    expect(response.status).toBe(status);
    expect(await error(response)).toMatchObject({ param: expect.anything() });
  });

  test("passes an upstream's Retry-After on", async () => {
    const response = await gateway.chat({ model: "up/status-429", messages: user("hi") });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await error(response)).toMatchObject({
      failure_class: "capacity_shed",
      inference_id: expect.stringMatching(/^inf_/),
      attempts: expect.arrayContaining([expect.objectContaining({ provider: "up", status: 429 })]),
    });
  });
});

describe("a schema", () => {
  test("of the route validates what the caller did not ask to be JSON", async () => {
    expect((await gateway.chat({ model: "demo.json", messages: user('{"a":1}') })).status).toBe(200);
    const bad = await gateway.chat({ model: "demo.json", messages: user('{"a":"one"}') });
    expect(bad.status).toBe(422);
    expect(await error(bad)).toMatchObject({ failure_class: "content_invalid" });
  });

  test("equal to the route's own is accepted, another is refused", async () => {
    const shuffled = {
      additionalProperties: false,
      required: ["a"],
      properties: { a: { type: "integer" } },
      type: "object",
    };
    const same = await gateway.chat({
      model: "demo.json",
      messages: user('{"a":1}'),
      response_format: FORMAT(shuffled),
    });
    expect(same.status).toBe(200);
    const other = await gateway.chat({
      model: "demo.json",
      messages: user("{}"),
      response_format: FORMAT({ type: "object" }),
    });
    expect(other.status).toBe(400);
    expect(await error(other)).toMatchObject({ failure_class: "invariant_violation", param: "response_format" });
  });

  test("on a raw model is enforced where the provider can, and refused where it is not known to", async () => {
    const enforced = await gateway.chat({
      model: "up/m-1",
      messages: user('{"a":2}'),
      response_format: FORMAT(SCHEMA),
    });
    expect(enforced.headers.get("x-modelrig-rung")).toBe("native_strict");
    const refused = await gateway.chat({
      model: "loose/echo",
      messages: user("mark-loose"),
      response_format: FORMAT(SCHEMA),
    });
    expect(refused.status).toBe(400);
    expect(await error(refused)).toMatchObject({ failure_class: "invariant_violation" });
    expect((await seen("mark-loose")).requests).toHaveLength(0);
  });
});

describe("a run", () => {
  test("renders the template with the variables and answers output, text and meta", async () => {
    const response = await gateway.run("demo.template", { input: { word: "mark-run" }, stepKey: "s1", run: "r1" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      output: "Say mark-run",
      text: "Say mark-run",
      meta: { route: "demo.template", variant: "default", served: "up/echo", attempts: 1, simulated: false },
    });
    expect((await seen("mark-run")).requests[0]?.body).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Say mark-run" },
      ],
    });
  });

  test("takes a variant's own template", async () => {
    const response = await gateway.run("demo.template", { input: { word: "x" }, variant: "loud" });
    expect(await response.json()).toMatchObject({ text: "Shout x", meta: { variant: "loud" } });
  });

  test.each([
    [{ input: {} }, "/input"],
    [{ input: { word: 7 } }, "/input"],
    [{}, "input"],
    [{ input: { word: "x" }, temprature: 1 }, undefined],
    [{ input: { word: "x" }, run: "not an id" }, "run"],
    [{ input: { word: "x" }, tags: { "bad key": "v" } }, "tags"],
  ])("of %j is refused with 400", async (body, param) => {
    const response = await gateway.run("demo.template", body);
    expect(response.status).toBe(400);
    if (param) expect(await error(response)).toMatchObject({ param: expect.stringContaining(param) });
  });

  test("of a route without a template, or of no route, is refused", async () => {
    expect((await gateway.run("demo.plain", { input: {} })).status).toBe(400);
    expect((await gateway.run("demo.nothing", { input: {} })).status).toBe(404);
    expect((await gateway.run("demo.template", { input: { word: "x" }, variant: "nope" })).status).toBe(404);
  });

  test("gives the validated JSON as output where the route has a schema", async () => {
    const json = route("demo.run-json", ["up/echo"], {
      output: { schema: SCHEMA, ladder },
      template: { user: '```json\n{"a": {{ n }},}\n```' },
    });
    const own = open({ routes: [json] });
    const response = await own.run("demo.run-json", { input: { n: 3 } });
    expect(await response.json()).toMatchObject({ output: { a: 3 } });
    await own.settled();
  });
});

describe("the documents", () => {
  test("the OpenAPI document is 3.1, names every endpoint, and every reference in it resolves", async () => {
    const document = (await (await gateway.fetch("/openapi.json")).json()) as Record<string, unknown>;
    expect(document["openapi"]).toMatch(/^3\.1/);
    const paths = Object.keys(document["paths"] as object);
    expect(paths).toEqual(
      expect.arrayContaining([
        "/v1/chat/completions",
        "/v1/run/{route}",
        "/v1/models",
        "/v1/whoami",
        "/metrics",
        "/health",
      ]),
    );
    for (const [, reference = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference
        .split("/")
        .reduce<unknown>((node, step) => (node as Record<string, unknown>)?.[step], document);
      expect(found, reference).toBeDefined();
    }
  });

  test("models lists routes, variants and declared models", async () => {
    const { data } = (await (await gateway.fetch("/v1/models")).json()) as { data: { id: string }[] };
    const ids = data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["demo.template", "demo.template@loud", "up/m-1"]));
    expect(ids.filter((id) => id.startsWith("sim/"))).toEqual([]);
  });

  test("the simulated provider serves only where it is enabled, and is labelled", async () => {
    const simulated = [route("demo.sim", ["sim/atlas-small"])];
    const off = open({ routes: simulated });
    expect((await off.chat({ model: "demo.sim", messages: user("hi") })).status).toBe(503);
    const on = open({ routes: simulated, env: { MODELRIG_SIM: "1" } });
    const response = await on.chat({ model: "demo.sim", messages: user("hi") });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-modelrig-simulated")).toBe("true");
    await Promise.all([off.settled(), on.settled()]);
  });
});
