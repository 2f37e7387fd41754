/** Streams that pass from an exact provider to a client of its dialect unread keep what streams that are read promise. */
import { afterEach, describe, expect, inject, test } from "vitest";
import type { InferenceRecord } from "../../../src/record/inference-record.ts";
import type { ScriptedStream, Seen } from "../../support/upstreams/behaving-upstream.ts";
import { ladder, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const timeouts = { firstTokenMs: 2_000, idleMs: 1_500, attemptMs: 5_000, callMs: 10_000, streamMs: 60_000 };
const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const none = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };
const price = { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" };
const capabilities = { tools: true };
const models = { scripted: { id: "scripted", price, contextWindow: 100_000, maxOutput: 1_000, capabilities } };
const provider = (name: string, more: Parameters<typeof upstreamProvider>[2]) =>
  upstreamProvider(name, inject("upstreamUrl"), { models, ...more });

const records: InferenceRecord[] = [];
const queue = {
  async send(body: { readonly inference?: InferenceRecord; readonly inferences?: readonly InferenceRecord[] }) {
    records.push(...structuredClone(body.inferences ?? (body.inference ? [body.inference] : [])));
  },
};
const gateway = openGateway({
  routes: [
    route("unread.exact", ["exact/scripted"], { retry: none, timeouts }),
    // One for each test that fails, so that no breaker opens for another.
    ...Array.from({ length: 6 }, (_, n) => route(`unread.fails-${n}`, ["exact/scripted"], { retry: none, timeouts })),
    route("unread.schema", ["exact/scripted"], { output: { schema: SCHEMA, ladder }, retry: none, timeouts }),
    route("unread.read", ["read/scripted"], { retry: none, timeouts }),
    route("unread.counted", ["counted/scripted"], { retry: none, timeouts }),
    route("unread.late", ["exact/silent", "exact/scripted"], { retry: none, timeouts }),
  ],
  providers: [
    provider("exact", { exactStreams: true }),
    provider("read", {}),
    provider("counted", { exactStreams: true, stopsBillingOnDisconnect: "its docs" }),
  ],
  env: { TELEMETRY: queue },
});
afterEach(() => gateway.settled());

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const chunk = (choices: unknown[], more: object = {}) =>
  `data: ${JSON.stringify({ id: "up-1", object: "chat.completion.chunk", created: 1, model: "up", choices, ...more })}\n\n`;
const said = (content: string) => chunk([{ index: 0, delta: { role: "assistant", content }, finish_reason: null }]);
const finished = (reason = "stop") => chunk([{ index: 0, delta: {}, finish_reason: reason }]);
const used = chunk([], { usage: USAGE });
const DONE = "data: [DONE]\n\n";
const whole = said("Hello ") + said("wörld") + finished() + used + DONE;

const ask = (
  script: ScriptedStream,
  more: Record<string, unknown> = {},
  model = "unread.exact",
  init: RequestInit = {},
) => {
  const usage = { stream_options: { include_usage: true } };
  return gateway.chat({ model, messages: user(JSON.stringify(script)), stream: true, ...usage, ...more }, init);
};

/** The record of a call, once its stream is over. */
async function recordOf(response: Response): Promise<InferenceRecord> {
  await gateway.settled();
  const found = records.find(({ id }) => id === response.headers.get("x-modelrig-inference-id"));
  if (!found) throw new Error("the call left no record");
  return found;
}

const lastEvent = (text: string): unknown => JSON.parse(text.trim().split("\n\n").at(-1)?.slice("data: ".length) ?? "");

describe("a stream that passes unread", () => {
  test("reaches the client byte for byte, comments and what follows its end included", async () => {
    const text = `: hello\n\n${whole}: trailing\n\n`;
    const response = await ask({ text, end: "done" });
    expect(response.headers.get("x-modelrig-served")).toBe("exact/scripted");
    expect(await response.text()).toBe(text);
  });

  test("reaches it byte for byte in pieces of one byte, too", async () => {
    const response = await ask({ text: whole, bytewise: true, end: "done" });
    expect(await response.text()).toBe(whole);
    expect(await recordOf(response)).toMatchObject({ finish: "stop", failure: null });
  });

  test("is recorded with its usage, cost, finish and time to first content", async () => {
    const response = await ask({ text: whole, end: "done" });
    await response.text();
    const record = await recordOf(response);
    expect(record).toMatchObject({
      failure: null,
      finish: "stop",
      costNano: 25_000,
      costEstimated: false,
      stream: true,
    });
    expect(record.attempts[0]).toMatchObject({ tokens: { input: 11, output: 7 }, finish: "stop" });
    expect(record.firstByteMs).toEqual(expect.any(Number));
  });

  test("that is cut ends in an error event of the client's dialect and never in [DONE]", async () => {
    const response = await ask({ text: said("Hel"), end: "cut" }, {}, "unread.fails-0");
    const text = await response.text();
    expect(text.startsWith(said("Hel"))).toBe(true);
    expect(lastEvent(text)).toMatchObject({ error: { failure_class: "network" } });
    expect(text).not.toContain("[DONE]");
    expect(await recordOf(response)).toMatchObject({ failure: { class: "network" }, costNano: null });
  });

  test("that is cut within an event still ends in an error event", async () => {
    const text = await (
      await ask({ text: `${said("Hel")}data: {"id":"up-1","cho`, end: "cut" }, {}, "unread.fails-1")
    ).text();
    expect(lastEvent(text)).toMatchObject({ error: { failure_class: "network" } });
  });

  test("that ends without a finish ends in an error event", async () => {
    const response = await ask({ text: said("Hel"), end: "done" }, {}, "unread.fails-2");
    expect(lastEvent(await response.text())).toMatchObject({ error: { failure_class: "network" } });
    expect(await recordOf(response)).toMatchObject({ failure: { class: "network" } });
  });

  test("with an error event inside fails for the client and in the record, and ends there", async () => {
    const error = `data: ${JSON.stringify({ error: { message: "overloaded", type: "server_error", code: null } })}\n\n`;
    const response = await ask({ text: said("Hel") + error, end: "stall" }, {}, "unread.fails-3");
    expect(lastEvent(await response.text())).toMatchObject({ error: { failure_class: expect.any(String) } });
    expect((await recordOf(response)).failure).not.toBeNull();
  });

  test("that stands still is ended after idle_ms", async () => {
    const response = await ask({ text: said("Hel"), end: "stall" }, {}, "unread.fails-4");
    expect(lastEvent(await response.text())).toMatchObject({ error: { failure_class: "network" } });
    expect(await recordOf(response)).toMatchObject({ failure: { class: "network", reason: "timeout" } });
  });

  test("is a refusal in the record where the provider withheld the rest", async () => {
    const text = said("I can") + finished("content_filter") + used + DONE;
    const response = await ask({ text, end: "done" });
    expect(await response.text()).toBe(text);
    expect(await recordOf(response)).toMatchObject({ failure: { class: "content_filter" }, finish: "content-filter" });
  });

  test("stops the upstream when its reader leaves, and its bill is unknown", async () => {
    const marker = `left-${crypto.randomUUID()}`;
    const leave = new AbortController();
    const init = { signal: leave.signal };
    const response = await ask({ text: said(marker), end: "stall" }, {}, "unread.fails-5", init);
    const reader = response.body?.getReader();
    await reader?.read();
    // Both happen where a connection is closed.
    leave.abort();
    await reader?.cancel().catch(() => undefined);
    const abandoned = async () => {
      const seen: Seen = await (await fetch(`${inject("upstreamUrl")}/seen?marker=${marker}`)).json();
      return seen.abandoned;
    };
    await expect.poll(abandoned, { timeout: 20_000 }).toBe(1);
    expect(await recordOf(response)).toMatchObject({ failure: { class: "canceled" }, costNano: null });
  });

  test("fails over before its first content as any other", async () => {
    const response = await ask({ text: whole, end: "done" }, {}, "unread.late");
    expect(response.headers.get("x-modelrig-attempts")).toBe("2");
    expect(await response.text()).toBe(whole);
  });
});

describe("a stream is read", () => {
  const readable = async (response: Response) => {
    const text = await response.text();
    expect(text).toContain("Hello ");
    return text.includes('"id":"up-1"') ? "unread" : "read";
  };
  const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };

  test.each([
    ["passes where nothing stands against it", {}, "unread.exact", "unread"],
    ["where the provider is not known to be exact", {}, "unread.read", "read"],
    ["where the provider bills a left stream by what arrived", {}, "unread.counted", "read"],
    ["where the client asked for no usage", { stream_options: undefined }, "unread.exact", "read"],
    ["passes with tools that the provider knows", { tools: [tool] }, "unread.exact", "unread"],
    [
      "where a tool of the client is sent under another form",
      { tools: [{ type: "custom", custom: { name: "free", description: "text" } }] },
      "unread.exact",
      "read",
    ],
  ])("%s", async (_title, more, model, way) => {
    expect(await readable(await ask({ text: whole, end: "done" }, more, model))).toBe(way);
  });

  test("where a schema judges it", async () => {
    const text = said('{"a":1}') + finished() + used + DONE;
    const answer = await (await ask({ text, end: "done" }, {}, "unread.schema")).text();
    expect(answer).toContain("[DONE]");
    expect(answer).not.toContain("up-1");
  });

  test("where it was asked for as validated", async () => {
    const body = {
      ...{ model: "unread.exact", messages: user(JSON.stringify({ text: whole, end: "done" })), stream: true },
      stream_options: { include_usage: true },
    };
    const response = await gateway.chat(body, { headers: { "x-modelrig-stream": "validated" } });
    expect(await readable(response)).toBe("read");
  });

  test("by a client of another dialect", async () => {
    const body = {
      model: "unread.exact",
      max_tokens: 100,
      messages: user(JSON.stringify({ text: whole, end: "done" })),
    };
    const init = { method: "POST", body: JSON.stringify({ ...body, stream: true }) };
    const text = await (await gateway.fetch("/v1/messages", init)).text();
    expect(text).toContain("message_stop");
  });
});
