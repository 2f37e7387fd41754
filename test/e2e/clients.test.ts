/** The official OpenAI client and the Vercel AI SDK against a running `modelrig dev`, changed by base URL alone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, jsonSchema, streamText, type ToolSet, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DevProcess, freshFolder, startDev } from "../support/hosts/dev-process.ts";
import {
  completion,
  json,
  type Reply,
  type ScriptedUpstream,
  startScriptedUpstream,
  streamed,
  USAGE,
} from "../support/upstreams/scripted-upstream.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, population: { type: "integer" } },
  required: ["city", "population"],
  additionalProperties: false,
} as const;

const ROUTE = `route: demo.city
candidates:
  - provider: up
    model: m-1
output:
  schema: ${JSON.stringify(SCHEMA)}
retry: { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 }
`;

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const WEATHER = { type: "object", properties: { place: { type: "string" } }, required: ["place"] } as const;

const twoCalls = [
  { id: "call_a", type: "function", function: { name: "weather", arguments: '{"place":"Oslo"}' } },
  { id: "call_b", type: "function", function: { name: "weather", arguments: '{"place":"Rome"}' } },
];

/** Two parallel calls whose arguments arrive in pieces, interleaved. */
const interleavedCalls = streamed(
  [
    { tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "weather", arguments: "" } }] },
    { tool_calls: [{ index: 1, id: "call_b", type: "function", function: { name: "weather", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"place":' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"place":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '"Rome"}' } }] },
  ],
  "tool_calls",
);

let upstream: ScriptedUpstream;
let dev: DevProcess;
let openai: OpenAI;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const cwd = freshFolder();
  mkdirSync(join(cwd, "routes"));
  writeFileSync(join(cwd, "routes", "demo.city.yaml"), ROUTE);
  writeFileSync(
    join(cwd, "modelrig.yaml"),
    `providers:
  up:
    dialect: openai
    base_url: ${upstream.baseUrl}
    models:
      m-1:
        context_window: 128000
        price: { input_per_million: 1, output_per_million: 2 }
        capabilities: { native_strict: true, json_object: true, vision: true, tools: true }
      # Where failures go, so that the breaker they open is no other test's.
      failing-openai: {}
      failing-ai: {}
      cut: {}
`,
  );
  dev = await startDev([], { cwd });
  openai = new OpenAI({ baseURL: `${dev.ready.url}/v1`, apiKey: dev.ready.key, maxRetries: 0 });
});

afterAll(async () => {
  await dev?.stop();
  await upstream?.close();
});

beforeEach(() => {
  upstream.seen.length = 0;
  upstream.script(completion("Hello there."));
});

const user = (content: string) => [{ role: "user" as const, content }];
const fails = (status: number, error: Record<string, unknown>, headers = {}): Reply => json(status, { error }, headers);

describe("the official openai client", () => {
  test("gets a plain answer, its usage, and the exact cost", async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: "up/m-1", messages: user("hi") })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Hello there.");
    expect(data.choices[0]?.finish_reason).toBe("stop");
    expect(data.model).toBe("m-1");
    expect(data.usage).toMatchObject(USAGE);
    expect(response.headers.get("x-modelrig-served")).toBe("up/m-1");
    expect(response.headers.get("x-modelrig-cost-usd")).toBe("0.000025000");
  });

  test("streams, with usage in the last chunk where it asked for it", async () => {
    upstream.script(streamed([{ content: "Hello " }, { content: "there." }]));
    const stream = await openai.chat.completions.create({
      model: "up/m-1",
      messages: user("hi"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("Hello there.");
    expect(chunks.find((chunk) => chunk.choices[0]?.finish_reason)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)?.usage).toMatchObject(USAGE);
  });

  test("sees no usage in a stream that did not ask for it", async () => {
    const stream = await openai.chat.completions.create({ model: "up/m-1", messages: user("hi"), stream: true });
    for await (const chunk of stream) expect(chunk.usage ?? null).toBeNull();
  });

  test("gets parallel tool calls, whole and streamed, and sends their results back", async () => {
    const tools = [{ type: "function" as const, function: { name: "weather", parameters: WEATHER } }];
    const ask = { model: "up/m-1", messages: user("weather?"), tools, parallel_tool_calls: true };
    upstream.script(completion("", { content: null, tool_calls: twoCalls }, "tool_calls"));
    const whole = await openai.chat.completions.create(ask);
    expect(whole.choices[0]?.message.tool_calls).toMatchObject(twoCalls);
    expect(whole.choices[0]?.finish_reason).toBe("tool_calls");

    upstream.script(interleavedCalls);
    const final = await openai.chat.completions.stream(ask).finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls).toMatchObject(twoCalls);

    upstream.script(completion("Cold and warm."));
    await openai.chat.completions.create({
      ...ask,
      messages: [
        ...ask.messages,
        { role: "assistant", content: null, tool_calls: whole.choices[0]?.message.tool_calls ?? [] },
        { role: "tool", tool_call_id: "call_a", content: "2 C" },
        { role: "tool", tool_call_id: "call_b", content: "21 C" },
      ],
    });
    const sent = upstream.seen.at(-1)?.body["messages"] as Record<string, unknown>[];
    expect(sent.slice(-2)).toMatchObject([
      { role: "tool", tool_call_id: "call_a", content: "2 C" },
      { role: "tool", tool_call_id: "call_b", content: "21 C" },
    ]);
    expect(sent.at(-3)).toMatchObject({ role: "assistant", tool_calls: twoCalls });
  });

  test("gets JSON that its response_format governs, and an error where the model breaks the schema", async () => {
    const ask = {
      model: "up/m-1",
      messages: user("Oslo"),
      response_format: { type: "json_schema" as const, json_schema: { name: "city", schema: SCHEMA, strict: true } },
    };
    upstream.script(completion('{"city":"Oslo","population":709000}'));
    const good = await openai.chat.completions.create(ask);
    expect(JSON.parse(good.choices[0]?.message.content ?? "")).toEqual({ city: "Oslo", population: 709_000 });
    expect(upstream.seen[0]?.body["response_format"]).toMatchObject({
      type: "json_schema",
      json_schema: { schema: SCHEMA },
    });

    upstream.script(completion('{"city":"Oslo"}'));
    const bad = openai.chat.completions.create(ask);
    await expect(bad).rejects.toThrow(OpenAI.UnprocessableEntityError);
    await expect(bad).rejects.toMatchObject({ status: 422, error: { failure_class: "content_invalid" } });
  });

  test("gets a route's schema enforced without asking for it", async () => {
    upstream.script(completion('Sure: {"city":"Oslo","population":709000,}'));
    const answer = await openai.chat.completions.create({ model: "demo.city", messages: user("Oslo") });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ city: "Oslo", population: 709_000 });
  });

  test("sends images as they are", async () => {
    const content = [
      { type: "text" as const, text: "what is this?" },
      { type: "image_url" as const, image_url: { url: PNG, detail: "low" as const } },
    ];
    await openai.chat.completions.create({ model: "up/m-1", messages: [{ role: "user", content }] });
    expect(upstream.seen[0]?.body["messages"]).toMatchObject([{ role: "user", content }]);
  });

  test("has fields we do not know passed on, and fields the answer adds passed back", async () => {
    upstream.script(
      json(200, {
        id: "x",
        object: "chat.completion",
        created: 1,
        model: "m-1",
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "ok", annotations: [{ kind: "new" }] },
            finish_reason: "stop",
          },
        ],
        usage: USAGE,
        provider_extra: { shard: 7 },
      }),
    );
    const answer = await openai.chat.completions.create({
      model: "up/m-1",
      messages: user("hi"),
      ...{ top_k_of_tomorrow: 3, nested: { deeply: [1, { two: "2" }] } },
    });
    expect(upstream.seen[0]?.body).toMatchObject({ top_k_of_tomorrow: 3, nested: { deeply: [1, { two: "2" }] } });
    expect(answer).toMatchObject({ provider_extra: { shard: 7 } });
  });

  test("lists routes and declared models", async () => {
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toContain("demo.city");
    expect(ids).toContain("up/m-1");
  });

  test("throws its own error classes", async () => {
    const ask = (model = "up/failing-openai") => openai.chat.completions.create({ model, messages: user("hi") });
    const stranger = new OpenAI({ baseURL: `${dev.ready.url}/v1`, apiKey: "rig_sk_wrong", maxRetries: 0 });
    await expect(stranger.chat.completions.create({ model: "up/m-1", messages: user("hi") })).rejects.toThrow(
      OpenAI.AuthenticationError,
    );
    await expect(ask("no.such.route")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(ask("auto")).rejects.toThrow(OpenAI.NotFoundError);
    upstream.script(
      fails(429, { message: "slow down", type: "requests", code: "rate_limit_exceeded" }, { "retry-after": "120" }),
    );
    await expect(ask()).rejects.toThrow(OpenAI.RateLimitError);
    upstream.script(fails(400, { message: "bad temperature", type: "invalid_request_error", param: "temperature" }));
    await expect(ask()).rejects.toThrow(OpenAI.BadRequestError);
    upstream.script(fails(500, { message: "boom", type: "server_error" }));
    await expect(ask()).rejects.toThrow(OpenAI.InternalServerError);
  });

  test("hears of an upstream that breaks off in the middle of a stream", async () => {
    upstream.script((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = {
        id: "x",
        object: "chat.completion.chunk",
        created: 1,
        model: "m-1",
        choices: [{ index: 0, delta: { content: "Hel" } }],
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      setTimeout(() => response.destroy(), 50);
    });
    const stream = await openai.chat.completions.create({ model: "up/cut", messages: user("hi"), stream: true });
    const read = async () => {
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toThrow(OpenAI.APIError);
  });
});

describe("the Vercel AI SDK", () => {
  const model = (id = "up/m-1") =>
    createOpenAICompatible({
      name: "modelrig",
      baseURL: `${dev.ready.url}/v1`,
      apiKey: dev.ready.key,
      supportsStructuredOutputs: true,
      includeUsage: true,
    })(id);
  const tools = {
    weather: tool({ description: "weather", inputSchema: jsonSchema<{ place: string }>(WEATHER) }),
  } as ToolSet;

  test("gets plain text and usage", async () => {
    const result = await generateText({ model: model(), prompt: "hi", maxRetries: 0 });
    expect(result.text).toBe("Hello there.");
    expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
  });

  test("streams text and usage", async () => {
    upstream.script(streamed([{ content: "Hello " }, { content: "there." }]));
    const result = streamText({ model: model(), prompt: "hi", maxRetries: 0 });
    let text = "";
    for await (const delta of result.textStream) text += delta;
    expect(text).toBe("Hello there.");
    expect(await result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
  });

  test("gets parallel tool calls, whole and streamed", async () => {
    const inputs = [{ place: "Oslo" }, { place: "Rome" }];
    upstream.script(completion("", { content: null, tool_calls: twoCalls }, "tool_calls"));
    const whole = await generateText({ model: model(), prompt: "weather?", tools, maxRetries: 0 });
    expect(whole.toolCalls.map((call) => call.input)).toEqual(inputs);
    upstream.script(interleavedCalls);
    const live = streamText({ model: model(), prompt: "weather?", tools, maxRetries: 0 });
    expect((await live.toolCalls).map((call) => call.input)).toEqual(inputs);
  });

  test("gets objects by schema", async () => {
    upstream.script(completion('{"city":"Oslo","population":709000}'));
    const { object } = await generateObject({
      model: model(),
      schema: jsonSchema(SCHEMA),
      prompt: "Oslo",
      maxRetries: 0,
    });
    expect(object).toEqual({ city: "Oslo", population: 709_000 });
  });

  test("throws its own error with our status and body", async () => {
    upstream.script(fails(500, { message: "boom", type: "server_error" }));
    const call = generateText({ model: model("up/failing-ai"), prompt: "hi", maxRetries: 0 });
    await expect(call).rejects.toMatchObject({ name: "AI_APICallError", statusCode: 502, isRetryable: true });
  });
});
