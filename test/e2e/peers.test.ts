/** What was seen to go wrong in the closest peer of this gateway: one test each, over HTTP against a running gateway. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { answerText } from "../support/engine/faults.ts";
import { type DevGateway, startGateway } from "../support/hosts/dev-gateway.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../support/upstreams/faulty-upstream.ts";
import {
  json,
  type Reply,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../support/upstreams/scripted-upstream.ts";

const KINDS = {
  ...{ ok: "ok", "error-first": "error-first", cut: "cut-after:3", quota: "quota", once529: "status:529,ok" },
  ...{ stall: "stall", trickle: "trickle:100", "stall-json": "stall-json", reset: "reset" },
} as const;
type Kind = keyof typeof KINDS;

let upstream: FaultyUpstream;
/** Speaks whatever dialect a test writes. */
let native: ScriptedUpstream;
let gateway: DevGateway;

beforeAll(async () => {
  [upstream, native] = await Promise.all([startFaultyUpstream(), startScriptedUpstream()]);
  const model = { price: { input_per_million: 1, output_per_million: 2 }, context_window: 100_000, max_output: 1_000 };
  const own = { capabilities: { native_strict: true, json_object: true, reasoning: true }, ...model };
  const providers: Record<string, unknown> = {
    anthropic: { base_url: native.baseUrl, models: { "claude-opus-4-6": own } },
    gemini: { base_url: native.baseUrl, models: { "gemini-3-pro-preview": own } },
  };
  const routes: Record<string, unknown> = {};
  providers["scripted"] = { dialect: "openai", base_url: native.baseUrl, models: { m: model } };
  for (const [name, kind] of Object.entries(KINDS)) {
    providers[name] = { dialect: "openai", base_url: `${upstream.url}/${kind}@${name}/v1`, models: { m: model } };
    const candidates = [name, "ok"].map((provider) => ({ provider, model: "m" }));
    if (name !== "ok") routes[`then-ok.${name}`] = { candidates, timeouts: { attempt_ms: 4_000 } };
  }
  gateway = await startGateway({
    providers,
    routes,
    config: { keep_alive_ms: 1_000 },
    env: { ANTHROPIC_API_KEY: "sk-ant-canary", GEMINI_API_KEY: "gemini-canary" },
  });
});
beforeEach(() => {
  native.seen.length = 0;
});
afterAll(async () => {
  // Nothing any of these faults leaves behind keeps the gateway from ending.
  expect(await gateway?.dev.stop()).toBe(0);
  await Promise.all([upstream?.close(), native?.close()]);
});

const received = (kind: Kind) => upstream.requests(`${KINDS[kind]}@${kind}`);
const CLAUDE = "anthropic/claude-opus-4-6";
const GEMINI = "gemini/gemini-3-pro-preview";

const events =
  (...all: readonly { readonly type?: string; readonly [field: string]: unknown }[]): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const data of all)
      response.write(`${data.type ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
    response.end();
  };

const claudeUsage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
const claudeStart = (usage: object = claudeUsage) => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-4-6", content: [], usage },
});
const claudeText = (text: string) => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
];

describe("failures inside a successful status", () => {
  test("an error as the first event of HTTP 200 falls over", async () => {
    const seen = await gateway.stream("then-ok.error-first");
    expect(seen).toMatchObject({ status: 200, text: answerText(5), done: true, error: undefined });
    expect(seen.headers.get("x-modelrig-served")).toBe("ok/m");
  });

  test("a cut upstream does not end as a clean close", async () => {
    const seen = await gateway.stream("then-ok.cut");
    expect(seen).toMatchObject({ text: answerText(3), done: false, finish: undefined });
    expect(seen.error).toMatchObject({ failure_class: "network" });
  });

  test("an error event in the middle is no normal finish", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    native.script(events(claudeStart(), ...claudeText("Hel"), error));
    const seen = await gateway.stream(CLAUDE);
    expect(seen).toMatchObject({ text: "Hel", done: false, finish: undefined });
    expect(seen.error).toMatchObject({ failure_class: "capacity_shed" });
  });

  test("a refusal in the middle is no normal finish", async () => {
    const refused = { type: "message_delta", delta: { stop_reason: "refusal" }, usage: { output_tokens: 3 } };
    const stopped = { type: "content_block_stop", index: 0 };
    native.script(events(claudeStart(), ...claudeText("Hel"), stopped, refused, { type: "message_stop" }));
    expect(await gateway.stream(CLAUDE)).toMatchObject({ text: "Hel", finish: "content_filter" });
  });

  test("a blocked Gemini prompt is a 400, whole or streamed", async () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 5 } };
    native.script(json(200, blocked), events(blocked));
    for (const stream of [false, true]) {
      const { status, body } = await gateway.ask(GEMINI, { stream });
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: "content_filter" });
    }
  });
});

test("a lost connection is a 502 in the client's own shape, no 200", async () => {
  const { status, body } = await gateway.ask("reset/m");
  expect(status).toBe(502);
  expect(body.error).toMatchObject({ type: "api_error", failure_class: "network", message: expect.any(String) });
});

describe("retries", () => {
  test("an exhausted quota is asked once, and its provider is left alone from then on", async () => {
    const first = await gateway.ask("then-ok.quota");
    expect(first.headers.get("x-modelrig-served")).toBe("ok/m");
    expect(received("quota")).toHaveLength(1);
    await pause(200);
    expect((await gateway.ask("then-ok.quota")).headers.get("x-modelrig-attempts")).toBe("1");
    expect(received("quota")).toHaveLength(1);
  });

  test("an overload (529) is asked again", async () => {
    expect((await gateway.ask("then-ok.once529")).headers.get("x-modelrig-served")).toBe("once529/m");
    expect(received("once529")).toHaveLength(2);
  });
});

describe("a client that goes away reaches the upstream", () => {
  const gone = async (kind: Kind, before: number): Promise<void> => {
    // Sooner than any timeout of the gateway's own would end it.
    await expect.poll(() => received(kind)[before]?.abortedAt, { timeout: 9_000, interval: 20 }).toBeDefined();
  };

  test.each([false, true])("before the first byte (stream: %s)", async (stream) => {
    const before = received("stall").length;
    const client = new AbortController();
    const pending = gateway.post({ model: "stall/m", stream }, { signal: client.signal }).catch(() => undefined);
    await expect.poll(() => received("stall").length).toBe(before + 1);
    client.abort();
    await pending;
    await gone("stall", before);
  });

  test("in a stream that was opened early, before its first content", async () => {
    const before = received("stall").length;
    const client = new AbortController();
    const response = await gateway.post({ model: "stall/m", stream: true }, { signal: client.signal });
    expect(response.status).toBe(200);
    await response.body?.getReader().read();
    client.abort();
    await gone("stall", before);
  });

  test("in the middle of a stream", async () => {
    const client = new AbortController();
    const response = await gateway.post({ model: "trickle/m", stream: true }, { signal: client.signal });
    await response.body?.getReader().read();
    client.abort();
    await gone("trickle", 0);
  });
});

describe("time", () => {
  test("a time limit goes on after the headers", async () => {
    const answer = await gateway.ask("then-ok.stall-json");
    expect(answer.headers.get("x-modelrig-served")).toBe("ok/m");
  });

  test.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
  ])("a stream framed with %s is passed on piece by piece: none waits for the next", async (_name, end) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    native.script(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const say = (delta: object, finish: string | null = null) =>
        response.write(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}${end}${end}`,
        );
      say({ content: "first" });
      await released;
      say({ content: " second" });
      say({}, "stop");
      response.end(`data: [DONE]${end}${end}`);
    });
    const response = await gateway.post({ model: "scripted/m", stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("first")) text += (await reader?.read())?.value ?? "";
    expect(text).not.toContain("second");
    release();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) text += piece.value;
    expect(text).toContain(" second");
    expect(text).toContain("[DONE]");
  });
});

describe("translation", () => {
  const answer = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-4-6", stop_reason: "end_turn" };
  const spoken = (text: string) => ({
    ...answer,
    content: [{ type: "text", text }],
    usage: { ...claudeUsage, output_tokens: 7 },
  });

  test.each([
    ["response_format", { response_format: { type: "json_object" } }],
    ["reasoning_effort", { reasoning_effort: "high", max_completion_tokens: 50_000 }],
    ["service_tier", { service_tier: "priority" }],
  ])("%s reaches an Anthropic model, or is named as dropped", async (field, more) => {
    native.script(json(200, spoken("{}")));
    const { status, headers } = await gateway.ask(CLAUDE, more);
    const plain = native.seen.splice(0).at(-1)?.body ?? {};
    await gateway.ask(CLAUDE, { max_completion_tokens: 50_000 });
    const without = native.seen.at(-1)?.body ?? {};
    const reported = headers.get("x-modelrig-dropped")?.split(", ").includes(field) === true;
    const { max_tokens: _a, ...sent } = plain;
    const { max_tokens: _b, ...bare } = without;
    expect(status).toBe(200);
    expect(reported || JSON.stringify(sent) !== JSON.stringify(bare), JSON.stringify(plain)).toBe(true);
  });

  test("a JSON schema is enforced by an Anthropic model", async () => {
    native.script(json(200, spoken('{"a":1}')));
    const schema = {
      type: "object",
      properties: { a: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    };
    const response_format = { type: "json_schema", json_schema: { name: "out", schema, strict: true } };
    const { body } = await gateway.ask(CLAUDE, { response_format });
    expect(JSON.parse(body.choices[0].message.content)).toEqual({ a: 1 });
    expect(native.seen[0]?.body["output_config"]).toMatchObject({ format: { type: "json_schema", schema } });
  });

  test("usage of an Anthropic model adds up, whole and streamed", async () => {
    const delta = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } };
    const stopped = { type: "content_block_stop", index: 0 };
    native.script(
      json(200, spoken("Hi")),
      events(claudeStart({ ...claudeUsage, output_tokens: 1 }), ...claudeText("Hi"), stopped, delta, {
        type: "message_stop",
      }),
    );
    const whole = (await gateway.ask(CLAUDE)).body.usage;
    const streamed = (await gateway.stream(CLAUDE)).usage;
    for (const usage of [whole, streamed]) {
      expect(usage).toMatchObject({
        ...{ prompt_tokens: 130, completion_tokens: 7, total_tokens: 137 },
        prompt_tokens_details: { cached_tokens: 100 },
      });
    }
  });

  test("thinking tokens of a Gemini model are part of the completion", async () => {
    const usageMetadata = {
      ...{ promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 40, totalTokenCount: 48 },
    };
    const candidates = [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 }];
    native.script(json(200, { candidates, usageMetadata }));
    const { body } = await gateway.ask(GEMINI);
    expect(body.usage).toMatchObject({
      ...{ prompt_tokens: 5, completion_tokens: 43, total_tokens: 48 },
      completion_tokens_details: { reasoning_tokens: 40 },
    });
  });

  test("the Gemini key is in a header, never in the URL", async () => {
    native.script(json(200, {}));
    await gateway.ask(GEMINI);
    expect(native.seen[0]?.headers["x-goog-api-key"]).toBe("gemini-canary");
    expect(native.seen[0]?.path).not.toContain("canary");
  });
});
