import { afterEach, describe, expect, inject, test } from "vitest";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import { openStore } from "../../../src/store/store.ts";
import { openGateway, route, upstreamProvider, user } from "../gateway.ts";

const price = { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" };
const provider = (name: string, dialect: "openai-chat" | "anthropic-messages" | "gemini") =>
  upstreamProvider(name, inject("dialectsUrl"), {
    dialect,
    models: { embed: { id: "embed", price, capabilities: {} } },
  });
const routes = [
  route("dialects.tight", ["oai/embed"], { budget: { perCall: usdToNano("0.00001") } }),
  route("dialects.mixed", ["ant/text", "oai/embed"], { budget: { perDay: usdToNano("1") } }),
];
const gateway = openGateway({
  routes,
  providers: [provider("oai", "openai-chat"), provider("ant", "anthropic-messages"), provider("gem", "gemini")],
});
afterEach(() => gateway.settled());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.fetch(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers });

const inferences = () =>
  openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") }).forOrg(inject("org")).inferences;

async function stored(run: string) {
  await gateway.settled();
  return await inferences().list({ run, limit: 10 }, undefined);
}

describe("embeddings", () => {
  test("are priced and recorded like any call", async () => {
    const response = await post(
      "/v1/embeddings",
      { model: "oai/embed", input: "Oslo" },
      { "x-modelrig-run": "embed-1" },
    );
    expect(response.headers.get("x-modelrig-cost-usd")).toBe("0.000008000");
    expect((await stored("embed-1"))[0]).toMatchObject({ lane: "raw", costNano: 8_000, estimated: false });
  });

  test("of a provider that reports no counts are priced by an estimate, and say so", async () => {
    const headers = { "x-modelrig-run": "embed-2" };
    await post("/v1/embeddings", { model: "gem/embed", input: ["Oslo", "Rome"] }, headers);
    expect((await stored("embed-2"))[0]).toMatchObject({ costNano: 3_000, estimated: true });
  });

  test("are refused where their worst case does not fit a limit", async () => {
    const long = "x".repeat(100);
    const refused = await post("/v1/embeddings", { model: "dialects.tight", input: long });
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ error: { failure_class: "budget_exhausted" } });
  });

  test("pass over a candidate without them", async () => {
    const response = await post("/v1/embeddings", { model: "dialects.mixed", input: "Oslo" });
    expect(response.headers.get("x-modelrig-served")).toBe("oai/embed");
  });

  test.each([
    [{ input: "x" }, "model"],
    [{ model: "oai/embed" }, "input"],
    [{ model: "oai/embed", input: [] }, "input"],
    [{ model: "oai/embed", input: ["x", ""] }, "input[1]"],
    [{ model: "oai/embed", input: "x", encoding_format: "hex" }, "encoding_format"],
    [{ model: "gem/embed", input: [1, 2, 3] }, "input"],
  ])("refuse %j by naming %s", async (body, param) => {
    const response = await post("/v1/embeddings", body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });
});

describe("what a target cannot carry", () => {
  test("is in a header, on whole and streamed answers, and in telemetry", async () => {
    for (const stream of [false, true]) {
      const headers = { "x-modelrig-run": `dropped-${stream}` };
      const body = { model: "ant/text", messages: user("x"), seed: 1, x_own: true, stream };
      const response = await post("/v1/chat/completions", body, headers);
      await response.text();
      expect(response.headers.get("x-modelrig-dropped")?.split(", ").sort()).toEqual(["seed", "x_own"]);
      const [row] = await stored(`dropped-${stream}`);
      const found = await inferences().get(row?.id ?? "", undefined);
      expect([...(found?.attempts[0]?.dropped ?? [])].sort()).toEqual(["seed", "x_own"]);
    }
  });

  test("of a Messages request is named alike", async () => {
    const body = {
      model: "oai/text",
      max_tokens: 9,
      messages: [{ role: "user", content: "x" }],
      top_k: 3,
      context_management: { edits: [] },
      metadata: { user_id: "u" },
    };
    const response = await post("/v1/messages", body, { "anthropic-beta": "context-management-2025-06-27" });
    expect(response.headers.get("x-modelrig-dropped")?.split(", ").sort()).toEqual([
      "anthropic-beta",
      "context_management",
      "top_k",
    ]);
  });
});

describe("refusals on /v1/messages", () => {
  const ask = (body: unknown, headers: Record<string, string> = {}) => post("/v1/messages", body, headers);
  const hi = { max_tokens: 9, messages: [{ role: "user", content: "x" }] };

  test.each([
    [
      "without a valid key",
      () => ask({ model: "ant/text", ...hi }, { authorization: "Bearer rig_sk_none" }),
      401,
      "authentication_error",
    ],
    ["of a body that is no JSON", () => ask("{"), 400, "invalid_request_error"],
    ["of an unknown model", () => ask({ model: "nobody/x", ...hi }), 404, "not_found_error"],
    ["of a body that is too large", () => ask("x", { "content-length": "999999999" }), 413, "request_too_large"],
    ["below it", () => post("/v1/messages/batches", {}), 404, "not_found_error"],
  ] as const)("%s have Anthropic's shape", async (_what, send, status, type) => {
    const response = await send();
    expect(response.status).toBe(status);
    const id = response.headers.get("request-id");
    expect(id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await response.json()).toMatchObject({ type: "error", error: { type, inference_id: null }, request_id: id });
  });
});

describe("the id of a Messages call", () => {
  const hi = { max_tokens: 10, messages: [{ role: "user", content: "hi" }] };

  test.each([true, false])("is in request-id, where Anthropic's clients read it (stream: %s)", async (stream) => {
    const response = await post("/v1/messages", { model: "ant/text", ...hi, stream });
    expect(response.status).toBe(200);
    expect(response.headers.get("request-id")).toBe(response.headers.get("x-modelrig-inference-id"));
    await response.text();
  });

  test("is no header of another dialect", async () => {
    const response = await post("/v1/chat/completions", { model: "ant/text", messages: hi.messages });
    expect(response.headers.get("x-modelrig-inference-id")).toMatch(/./);
    expect(response.headers.has("request-id")).toBe(false);
  });
});

test("the OpenAPI document lists every call endpoint", async () => {
  const document = (await (await gateway.fetch("/openapi.json")).json()) as { paths: Record<string, unknown> };
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      ...["/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens", "/v1/responses", "/v1/embeddings"],
    ]),
  );
});
