/** The opt-in store of `/v1/responses`, onto an upstream of every dialect. */
import { createScheduledController } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import type { DialectName } from "../../../src/wire/chat.ts";
import { CYCLES } from "../../../workers/background/cycles.ts";
import worker from "../../../workers/index.ts";
import { type Gateway, type GatewayOptions, openGateway, route, upstreamProvider } from "../gateway.ts";
import { edgeStore, newKey, newOrg } from "../keys.ts";

type Json = Record<string, unknown>;

const DIALECTS = {
  oai: "openai-chat",
  res: "openai-responses",
  ant: "anthropic-messages",
  gem: "gemini",
} as const satisfies Record<string, DialectName>;
const NAMES = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[];
const HOUR_MS = 3_600_000;

const price = { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" };
const models = Object.fromEntries(
  ["text", "steps", "think"].map((id) => [id, { id, price, maxOutput: 1_000, capabilities: { tools: true } }]),
);
const providers = NAMES.map((name) =>
  upstreamProvider(name, inject("dialectsUrl"), { dialect: DIALECTS[name], models }),
);
const routes = NAMES.flatMap((name) =>
  ["text", "steps"].map((model) =>
    route(`kept.${name}_${model}`, [`${name}/${model}`], { budget: { perDay: usdToNano(100) } }),
  ),
);
const storeKey = btoa("k".repeat(32));
const opened: Gateway[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const gateway of opened.splice(0)) await gateway.settled();
});

let org: { readonly org: string; readonly slug: string; readonly key: string };
beforeAll(async () => {
  org = await orgThatKeeps();
});

async function orgThatKeeps() {
  const made = await newOrg();
  await setCustody(made.org, "content");
  return made;
}

async function setCustody(id: string, custody: "content" | "hash"): Promise<void> {
  await edgeStore().forOrg(id).settings.put({ custody, artifactMaxBytes: 1 }, { by: "test", at: 1 });
}

function open(key: string, more: GatewayOptions = {}): Gateway {
  const config = { responsesStore: { ttlMs: HOUR_MS }, ...more.config };
  const env = { MODELRIG_STORE_KEY: storeKey, ...more.env };
  const gateway = openGateway({ routes, providers, key, ...more, config, env });
  opened.push(gateway);
  return gateway;
}

interface Told {
  readonly status: number;
  readonly body: Json & { readonly id: string; readonly output: Json[]; readonly error: Json };
}

async function ask(gateway: Gateway, method: string, path: string, body?: unknown): Promise<Told> {
  const response = await gateway.fetch(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as Told["body"] };
}
const create = (gateway: Gateway, body: Json) => ask(gateway, "POST", "/v1/responses", body);

/** The response object in the last event of a stream, and the events before it. */
async function streamed(gateway: Gateway, body: Json): Promise<Told["body"]> {
  const init = { method: "POST", body: JSON.stringify({ ...body, stream: true }) };
  const text = await (await gateway.fetch("/v1/responses", init)).text();
  const last = text.trimEnd().split("\n\n").at(-1) ?? "";
  expect(last).toContain("event: response.completed");
  return (JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? "{}") as { response: Told["body"] }).response;
}

const reply = "Grüße aus Oslo 🙂";

describe.each(NAMES)("onto %s", (name) => {
  test.each([false, true])("an answer is kept, read, continued and deleted (streamed: %s)", async (stream) => {
    const gateway = open(org.key);
    const tell = async (body: Json) => (stream ? await streamed(gateway, body) : (await create(gateway, body)).body);
    const model = `kept.${name}_text`;
    const first = await tell({ model, input: "my name is Ada", metadata: { a: "b" } });
    expect(first).toMatchObject({ store: true, status: "completed", previous_response_id: null });
    expect((await ask(gateway, "GET", `/v1/responses/${first.id}`)).body).toEqual(first);

    const second = await tell({ model, input: "what is my name?", previous_response_id: first.id });
    expect(second).toMatchObject({ store: true, previous_response_id: first.id });
    const { data, ...page } = (await ask(gateway, "GET", `/v1/responses/${second.id}/input_items?order=asc`)).body;
    expect((data as Json[]).map(({ role, content }) => [role, (content as Json[])[0]?.["text"]])).toEqual([
      ["user", "my name is Ada"],
      ["assistant", reply],
      ["user", "what is my name?"],
    ]);
    expect(page).toMatchObject({ object: "list", has_more: false });

    expect((await ask(gateway, "DELETE", `/v1/responses/${first.id}`)).body).toEqual({
      ...{ id: first.id, object: "response", deleted: true },
    });
    expect((await ask(gateway, "GET", `/v1/responses/${first.id}`)).status).toBe(404);
    expect((await ask(gateway, "DELETE", `/v1/responses/${first.id}`)).status).toBe(404);
    const cut = await create(gateway, { model, input: "and now?", previous_response_id: second.id });
    expect([cut.status, cut.body.error["code"]]).toEqual([400, "previous_response_not_found"]);
    expect(cut.body.error["message"]).toContain("deleted or has expired");
  });

  test("three steps of tools go by references to items alone", async () => {
    const gateway = open(org.key);
    const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: {} } }];
    const input: Json[] = [{ role: "user", content: "Oslo and Rome?" }];
    for (let step = 0; step < 3; step += 1) {
      const { status, body } = await create(gateway, { model: `kept.${name}_steps`, input, tools });
      expect([status, body.error], `step ${step}`).toEqual([200, null]);
      const called = body.output.find(({ type }) => type === "function_call");
      expect(called !== undefined).toBe(step < 2);
      for (const { id } of body.output) input.push({ type: "item_reference", id });
      if (called) input.push({ type: "function_call_output", call_id: called["call_id"], output: "mild" });
      else expect(JSON.stringify(body.output)).toContain("Both are mild.");
    }
  });
});

describe("what is not kept", () => {
  test("is an answer with store: false, which may continue one that is", async () => {
    const gateway = open(org.key);
    const first = (await create(gateway, { model: "oai/text", input: "a" })).body;
    const asked = { model: "oai/text", input: "b", store: false, previous_response_id: first.id };
    const second = await create(gateway, asked);
    expect(second).toMatchObject({ status: 200, body: { store: false } });
    expect((await ask(gateway, "GET", `/v1/responses/${second.body.id}`)).status).toBe(404);
  });

  test("is anything while the custody of the org keeps hashes only, and what was kept is told no more", async () => {
    const own = await orgThatKeeps();
    const gateway = open(own.key);
    const first = (await create(gateway, { model: "oai/text", input: "a" })).body;
    await setCustody(own.org, "hash");
    expect((await create(gateway, { model: "oai/text", input: "a" })).body["store"]).toBe(false);
    expect((await ask(gateway, "GET", `/v1/responses/${first.id}`)).status).toBe(404);
    const { status, body } = await create(gateway, { model: "oai/text", input: "b", previous_response_id: first.id });
    expect([status, body.error["param"]]).toEqual([400, "previous_response_id"]);
    expect(body.error["message"]).toContain("PUT /v1/settings");
  });

  test("is a call of a key that sees only certain rows, which continues and reads none either", async () => {
    const { body: kept } = await create(open(org.key), { model: "oai/text", input: "a" });
    const { key } = await newKey({ rowScope: { tags: { client: "acme" } } }, org.org);
    const gateway = open(key);
    expect((await create(gateway, { model: "oai/text", input: "a" })).body["store"]).toBe(false);
    const refused = [
      await create(gateway, { model: "oai/text", input: "b", previous_response_id: kept.id }),
      await create(gateway, { model: "oai/text", input: [{ type: "item_reference", id: kept.output[0]?.["id"] }] }),
      await ask(gateway, "GET", `/v1/responses/${kept.id}`),
      await ask(gateway, "GET", `/v1/responses/${kept.id}/input_items`),
      await ask(gateway, "DELETE", `/v1/responses/${kept.id}`),
    ];
    for (const { status, body } of refused) expect([status, body.error["code"]]).toEqual([403, "row_scope"]);
  });
});

describe("a key", () => {
  test("sees no response of a route that it may not call, by whatever way", async () => {
    const admin = open(org.key);
    const { body: other } = await create(admin, { model: "kept.ant_text", input: "a secret" });
    const mixed = { model: "kept.oai_text", input: "go on", previous_response_id: other.id };
    const { body: later } = await create(admin, mixed);
    const { key } = await newKey({ scopes: ["call"], routes: ["kept.oai_*"] }, org.org);
    const gateway = open(key);
    const model = "kept.oai_text";
    expect((await ask(gateway, "GET", `/v1/responses/${other.id}`)).status).toBe(404);
    expect((await ask(gateway, "DELETE", `/v1/responses/${other.id}`)).status).toBe(404);
    expect((await ask(gateway, "GET", `/v1/responses/${other.id}/input_items`)).status).toBe(404);
    for (const id of [other.id, later.id])
      expect((await create(gateway, { model, input: "b", previous_response_id: id })).status).toBe(400);
    const reference = { type: "item_reference", id: other.output[0]?.["id"] };
    const found = await create(gateway, { model, input: [{ role: "user", content: "x" }, reference] });
    expect([found.status, found.body.error["code"], found.body.error["param"]]).toEqual([
      400,
      "item_not_found",
      "input.1",
    ]);
    const items = await ask(gateway, "GET", `/v1/responses/${later.id}/input_items`);
    expect(JSON.stringify(items.body)).not.toContain("a secret");
  });

  test("of another org finds nothing", async () => {
    const { body: kept } = await create(open(org.key), { model: "oai/text", input: "a" });
    const stranger = open((await orgThatKeeps()).key);
    expect((await ask(stranger, "GET", `/v1/responses/${kept.id}`)).status).toBe(404);
    expect((await create(stranger, { model: "oai/text", input: "b", previous_response_id: kept.id })).status).toBe(400);
    const input = [{ type: "item_reference", id: kept.output[0]?.["id"] }];
    expect((await create(stranger, { model: "oai/text", input })).status).toBe(400);
  });
});

describe("the end of a response", () => {
  test("comes with its time, before upkeep has run and after; use as context moves it", async () => {
    const own = await orgThatKeeps();
    const gateway = open(own.key);
    const start = Date.now();
    const at = (ms: number) => vi.setSystemTime(start + ms);
    vi.useFakeTimers({ toFake: ["Date"] });
    at(0);
    const first = (await create(gateway, { model: "oai/text", input: "a" })).body;
    const idle = (await create(gateway, { model: "oai/text", input: "idle" })).body;
    at(HOUR_MS - 1);
    const again = { model: "oai/text", input: "b", previous_response_id: first.id };
    const second = (await create(gateway, again)).body;
    at(HOUR_MS);
    expect((await ask(gateway, "GET", `/v1/responses/${idle.id}`)).status).toBe(404);
    expect((await ask(gateway, "GET", `/v1/responses/${first.id}`)).status).toBe(200);
    const rows = () => edgeStore().forOrg(own.org).responses.some([first.id, idle.id, second.id], 0);
    expect(await rows()).toHaveLength(3);
    await worker.scheduled(createScheduledController({ cron: CYCLES.upkeep }), gateway.env);
    expect((await rows()).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    at(2 * HOUR_MS - 1);
    expect((await ask(gateway, "GET", `/v1/responses/${first.id}`)).status).toBe(404);
    await worker.scheduled(createScheduledController({ cron: CYCLES.upkeep }), gateway.env);
    expect(await rows()).toHaveLength(0);
  });

  test("comes with the deletion of the org's data, and no export shows its text", async () => {
    const own = await orgThatKeeps();
    const gateway = open(own.key);
    const { body: kept } = await create(gateway, { model: "oai/text", input: "a canary in the input" });
    const exported = await (await gateway.fetch("/v1/export")).text();
    expect(exported).toContain(kept.id);
    expect(exported).not.toMatch(/canary|sealed"/);
    const erased = await ask(gateway, "DELETE", `/v1/data?confirm=${own.slug}`);
    expect(erased.body).toMatchObject({ deleted: { kept_responses: 1, kept_response_items: 1 } });
    expect((await ask(gateway, "GET", `/v1/responses/${kept.id}`)).status).toBe(404);
  });
});

describe("the database", () => {
  test("holds no readable text of a kept response, and another key opens none of it", async () => {
    const own = await orgThatKeeps();
    const { body: kept } = await create(open(own.key), { model: "oai/text", input: "a canary in the input" });
    const [row] = await edgeStore().forOrg(own.org).responses.some([kept.id], 0);
    const stored = JSON.stringify(row);
    for (const text of ["canary", "Oslo", btoa("canary").slice(0, 7)]) expect(stored).not.toContain(text);
    const other = btoa("o".repeat(32));
    const wrong = await ask(open(own.key, { env: { MODELRIG_STORE_KEY: other } }), "GET", `/v1/responses/${kept.id}`);
    expect([wrong.status, wrong.body.error["code"]]).toEqual([500, "store_key_unknown"]);
    const rotated = open(own.key, { env: { MODELRIG_STORE_KEY: `${other},${storeKey}` } });
    expect((await ask(rotated, "GET", `/v1/responses/${kept.id}`)).status).toBe(200);
  });

  test("that is away costs no answer: it says that it is not kept", async () => {
    const own = await orgThatKeeps();
    const gateway = open(own.key);
    await create(gateway, { model: "oai/text", input: "warm" });
    const store = await import("../../../src/store/responses/kept-responses.ts");
    const broken = vi.spyOn(store.OrgResponses.prototype, "keep").mockRejectedValue(new Error("away"));
    const answered = await create(gateway, { model: "oai/text", input: "a" });
    const told = await streamed(gateway, { model: "oai/text", input: "a" });
    broken.mockRestore();
    expect(answered).toMatchObject({ status: 200, body: { store: false, status: "completed" } });
    expect(told).toMatchObject({ store: false, status: "completed" });
  });
});

describe("a request", () => {
  test.each([
    ["conversation", { conversation: "conv_1" }, "previous_response_id"],
    ["background", { background: true }, "background: false"],
    ["previous_response_id", { previous_response_id: "inf_unknown" }, "store: false"],
    ["previous_response_id", { previous_response_id: 7 }, "string"],
    ["input.0", { input: [{ type: "item_reference", id: "rs_unknown" }] }, "store: false"],
    ["input.0", { input: [{ id: "rs_unknown" }] }, "store: false"],
  ])("that cannot be honoured names %s and says what to do", async (param, fields, way) => {
    const { status, body } = await create(open(org.key), { model: "oai/text", input: "a", ...fields });
    expect([status, body.error["param"]]).toEqual([400, param]);
    expect(body.error["message"]).toContain(way);
  });

  test("for a stream of a kept response is refused", async () => {
    const gateway = open(org.key);
    const { body: kept } = await create(gateway, { model: "oai/text", input: "a" });
    const { status, body } = await ask(gateway, "GET", `/v1/responses/${kept.id}?stream=true`);
    expect([status, body.error["param"]]).toEqual([400, "stream"]);
    expect((await ask(gateway, "GET", `/v1/responses/${kept.id}?stream=false&include[]=x&include[]=y`)).status).toBe(
      200,
    );
  });

  test("with the store on and no key for it says which secret to set, and works with store: false", async () => {
    const gateway = open(org.key, { env: { MODELRIG_STORE_KEY: undefined } });
    const { status, body } = await create(gateway, { model: "oai/text", input: "a" });
    expect([status, body.error["code"]]).toEqual([500, "store_key_missing"]);
    expect(body.error["message"]).toContain("MODELRIG_STORE_KEY");
    expect((await create(gateway, { model: "oai/text", input: "a", store: false })).status).toBe(200);
  });

  test("with the store off goes as before: nothing is kept, and what refers back names the client's setting", async () => {
    const gateway = openGateway({ routes, providers, key: org.key });
    opened.push(gateway);
    expect((await create(gateway, { model: "oai/text", input: "a" })).body["store"]).toBe(false);
    const back = await create(gateway, { model: "oai/text", input: "a", previous_response_id: "inf_1" });
    expect([back.status, back.body.error["param"]]).toEqual([400, "previous_response_id"]);
    expect(back.body.error["message"]).toContain("store: false");
    const { status, body } = await ask(gateway, "GET", "/v1/responses/inf_1");
    expect([status, body.error["code"]]).toEqual([404, "responses_not_kept"]);
  });

  test("to count tokens counts what it continues, and keeps nothing", async () => {
    const gateway = open(org.key);
    const { body: long } = await create(gateway, { model: "oai/text", input: "x".repeat(3_000) });
    const count = async (more: Json) =>
      await ask(gateway, "POST", "/v1/responses/input_tokens", { model: "oai/text", input: "a", ...more });
    const [alone, continued] = [await count({}), await count({ previous_response_id: long.id })];
    expect(alone.body).toMatchObject({ object: "response.input_tokens", estimated: true });
    expect(Number(continued.body["input_tokens"])).toBeGreaterThanOrEqual(Number(alone.body["input_tokens"]) + 1_000);
    const asked = { model: "ant/text", input: "a" };
    expect((await ask(gateway, "POST", "/v1/responses/input_tokens", asked)).body).toMatchObject({ input_tokens: 42 });
  });

  test.each([
    ["compact", "/v1/responses/compact", { model: "oai/text", input: "a" }],
    ["cancel", "/v1/responses/inf_1/cancel", {}],
  ])("to %s is refused with what to do instead", async (_, path, asked) => {
    const { status, body } = await ask(open(org.key), "POST", path, asked);
    expect([status, body.error["code"]]).toEqual([400, "unsupported_operation"]);
  });

  test("that continues a conversation is reserved with all of it", async () => {
    const tight = route("kept.tight", ["oai/text"], { budget: { perCall: usdToNano("0.02") } });
    const gateway = open(org.key, { routes: [...routes, tight] });
    const { body: long } = await create(gateway, { model: "oai/text", input: "x".repeat(20_000) });
    expect((await create(gateway, { model: "kept.tight", input: "a" })).status).toBe(200);
    const { status } = await create(gateway, { model: "kept.tight", input: "a", previous_response_id: long.id });
    expect(status).toBe(402);
  });
});
