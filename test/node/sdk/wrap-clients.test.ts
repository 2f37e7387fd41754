import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InferenceRecord } from "../../../src/record/inference-record.ts";
import { type Rig, wrapAnthropic, wrapGemini, wrapOpenAI } from "../../../src/sdk/index.ts";
import { bufferedItems, type RigProject, rigProject } from "../../support/hosts/rig.ts";
import {
  completion,
  json,
  type Reply,
  type ScriptedUpstream,
  startScriptedUpstream,
  streamed,
} from "../../support/upstreams/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let project: RigProject;
let rig: Rig;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
  project = rigProject({ baseUrl: upstream.baseUrl });
  rig = project.rig();
});
afterEach(async () => await project.end());
afterAll(async () => await upstream.close());

const calls = (): InferenceRecord[] =>
  bufferedItems(project.cwd).flatMap((item) => (item.type === "inference" ? [item.inference] : []));
const origin = (): string => upstream.baseUrl.slice(0, -"/v1".length);

const openai = (options = {}): OpenAI =>
  wrapOpenAI(new OpenAI({ baseURL: upstream.baseUrl, apiKey: "sk-test", maxRetries: 0 }), rig, options);
const anthropic = (options = {}): Anthropic =>
  wrapAnthropic(new Anthropic({ baseURL: origin(), apiKey: "sk-test", maxRetries: 0 }), rig, {
    provider: "anthropic",
    ...options,
  });
const gemini = (): GoogleGenAI =>
  wrapGemini(new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: origin() } }), rig, { provider: "gemini" });

const messages = [{ role: "user" as const, content: "hello" }];
const ask = { model: "m", messages };

const events =
  (list: readonly object[], named = true): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of list) {
      const name = named && "type" in event ? `event: ${String(event.type)}\n` : "";
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };

describe("a wrapped OpenAI client", () => {
  it("records the tokens, the price and the run of a call, in the step it was wrapped for", async () => {
    upstream.script(completion("hi"));
    const client = openai({ stepKey: "summarize", tags: { team: "a" } });
    await rig.artifacts.run.scope({ pipeline: "p", subject: "acme" }, async (run) => {
      await client.chat.completions.create(ask);
      expect(calls()).toMatchObject([
        {
          ...{ lane: "recorded", run: run.runId, step: "summarize", tags: { team: "a", subject: "acme" } },
          ...{ failure: null, costNano: 25_000 },
          attempts: [{ provider: "up", model: "m", tokens: { input: 11, output: 7 } }],
        },
      ]);
    });
  });

  it("gives the caller what an unwrapped one gives, and sends what it sends", async () => {
    upstream.script(completion("hi"));
    const plain = new OpenAI({ baseURL: upstream.baseUrl, apiKey: "sk-test" });
    const expected = await plain.chat.completions.create(ask).withResponse();
    const got = await openai().chat.completions.create(ask).withResponse();
    expect(got.data).toEqual(expected.data);
    expect(got.response.url).toBe(expected.response.url);
    expect(Object.keys(got.response.headers)).toEqual(Object.keys(expected.response.headers));
    const [first, second] = upstream.seen;
    expect(second).toEqual(first);
  });

  it("returns the same client, and records once where it is wrapped twice", async () => {
    upstream.script(completion("hi"));
    const client = new OpenAI({ baseURL: upstream.baseUrl, apiKey: "sk-test" });
    expect(wrapOpenAI(wrapOpenAI(client, rig), rig)).toBe(client);
    await client.chat.completions.create(ask);
    await client.withOptions({ timeout: 5_000 }).chat.completions.create(ask);
    expect(calls()).toHaveLength(2);
  });

  it("records a stream with its usage when it has been read", async () => {
    upstream.script(streamed([{ content: "a" }, { content: "b" }]));
    const client = openai();
    const stream = await client.chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("ab");
    expect(calls()).toMatchObject([
      { stream: true, failure: null, finish: "stop", attempts: [{ tokens: { input: 11, output: 7 } }] },
    ]);
  });

  it("records the helpers' streams and parsed answers alike", async () => {
    upstream.script(streamed([{ content: '{"a":1}' }]), completion('{"a":1}'));
    const client = openai();
    await client.chat.completions.stream(ask).finalChatCompletion();
    await client.chat.completions.parse(ask);
    expect(calls()).toHaveLength(2);
  });

  it("records a stream that its reader leaves as canceled", async () => {
    let closed: () => void = () => undefined;
    const upstreamClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    upstream.script((response) => {
      response.on("close", () => closed());
      response.writeHead(200, { "content-type": "text/event-stream" });
      const delta = { index: 0, delta: { content: "a" }, finish_reason: null };
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [delta] })}\n\n`,
      );
    });
    const stream = await openai().chat.completions.create({ ...ask, stream: true });
    for await (const chunk of stream) {
      expect(chunk.choices[0]?.delta.content).toBe("a");
      break;
    }
    await upstreamClosed;
    expect(calls()).toMatchObject([{ stream: true, failure: { class: "canceled" } }]);
  });

  it("records every try of a call, and throws the client's own error", async () => {
    upstream.script(
      json(429, { error: { message: "slow down", code: "rate_limit_exceeded" } }, { "retry-after": "0" }),
    );
    const client = wrapOpenAI(new OpenAI({ baseURL: upstream.baseUrl, apiKey: "sk-test", maxRetries: 1 }), rig);
    await expect(client.chat.completions.create(ask)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(calls().map(({ failure }) => failure?.class)).toEqual(["capacity_shed", "capacity_shed"]);
  });

  it("records a connection that fails, and an answer cut in its middle", async () => {
    upstream.script((response) => void response.socket?.destroy());
    await expect(openai().chat.completions.create(ask)).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
    upstream.script((response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":');
      setTimeout(() => response.socket?.destroy(), 10);
    });
    await expect(openai().chat.completions.create(ask)).rejects.toThrow();
    expect(calls().map(({ failure }) => failure?.class)).toEqual(["network", "network"]);
  });

  it("records responses and embeddings, and nothing that is no call of a model", async () => {
    const response = {
      ...{ id: "resp_1", object: "response", status: "completed", model: "m-1", created_at: 1 },
      output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] }],
      usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25, input_tokens_details: { cached_tokens: 4 } },
    };
    const embeddings = {
      object: "list",
      model: "m",
      data: [{ object: "embedding", index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    };
    upstream.script(json(200, response), json(200, embeddings), json(200, { object: "list", data: [] }));
    const client = openai();
    await client.responses.create({ model: "m", input: "hello" });
    await client.embeddings.create({ model: "m", input: "hello", encoding_format: "float" });
    await client.models.list();
    expect(calls().map(({ attempts }) => attempts[0]?.tokens)).toMatchObject([
      { input: 20, cacheRead: 4, output: 5 },
      { input: 3, output: 0 },
    ]);
  });

  it("leaves to the gateway what the gateway recorded", async () => {
    upstream.script(async (response, request) => {
      response.setHeader("x-modelrig-inference-id", "inf_1");
      await completion("hi")(response, request);
    });
    await openai().chat.completions.create(ask);
    expect(calls()).toEqual([]);
  });

  it("keeps prompt and answer only where it is told to, the answer derived from the prompt", async () => {
    upstream.script(completion("the answer"));
    await openai().chat.completions.create(ask);
    expect(bufferedItems(project.cwd).map(({ type }) => type)).toEqual(["inference"]);
    await openai({ artifacts: true, stepKey: "s" }).chat.completions.create(ask);
    const saved = bufferedItems(project.cwd).flatMap((item) => (item.type === "artifact" ? [item.artifact] : []));
    expect(saved).toMatchObject([
      { type: "prompt", name: "s.prompt", content: JSON.stringify(ask) },
      { type: "raw_response", name: "s.answer", content: "the answer", task: "s" },
    ]);
    expect(bufferedItems(project.cwd).filter(({ type }) => type === "link")).toHaveLength(1);
  });

  it("is left as it is by a rig that records nothing", async () => {
    const client = new OpenAI({ baseURL: upstream.baseUrl, apiKey: "sk-test" });
    const before = Object.entries(client);
    wrapOpenAI(client, project.rig({ record: false }));
    expect(Object.entries(client)).toEqual(before);
  });

  it("that has no network of its own is handed back with a warning", () => {
    const client = Object.freeze({ baseURL: "http://localhost" });
    expect(wrapOpenAI(client, rig)).toBe(client);
    expect(project.warnings).toEqual([expect.stringContaining("could not be wrapped")]);
  });
});

const MESSAGE = {
  ...{
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-4-5",
    stop_reason: "end_turn",
    stop_sequence: null,
  },
  content: [{ type: "text", text: "hi" }],
  usage: { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 30, cache_creation_input_tokens: 5 },
};

describe("a wrapped Anthropic client", () => {
  const body = { model: "claude-haiku-4-5", max_tokens: 10, messages };

  it("records a message, with what was cached as part of the input", async () => {
    upstream.script(json(200, MESSAGE));
    const message = await anthropic().messages.create(body);
    expect(message.content).toEqual(MESSAGE.content);
    expect(calls()).toMatchObject([
      {
        costNano: 34_250,
        attempts: [
          { provider: "anthropic", model: "claude-haiku-4-5", tokens: { input: 45, cacheRead: 30, output: 3 } },
        ],
      },
    ]);
  });

  it("records a stream, and the helper's stream, as they were read", async () => {
    const { content: _, ...start } = MESSAGE;
    upstream.script(
      events([
        { type: "message_start", message: { ...start, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } },
        { type: "message_stop" },
      ]),
    );
    const client = anthropic();
    const types: string[] = [];
    for await (const event of await client.messages.create({ ...body, stream: true })) types.push(event.type);
    expect(types).toHaveLength(6);
    expect((await client.messages.stream(body).finalMessage()).content).toMatchObject([{ text: "hi" }]);
    const tokens = { input: 45, output: 9 };
    expect(calls()).toMatchObject([
      { stream: true, finish: "stop", attempts: [{ tokens }] },
      { stream: true, finish: "stop", attempts: [{ tokens }] },
    ]);
  });

  it("records a refusal of the provider by its class, and throws the client's own error", async () => {
    upstream.script(json(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }));
    await expect(anthropic().messages.create(body)).rejects.toBeInstanceOf(Anthropic.APIError);
    expect(calls()).toMatchObject([{ failure: { class: "capacity_shed" } }]);
  });

  it("keeps what was asked as messages of a chat", async () => {
    upstream.script(json(200, MESSAGE));
    await anthropic({ artifacts: true }).messages.create({ ...body, system: "be brief" });
    const [prompt] = bufferedItems(project.cwd).flatMap((item) => (item.type === "artifact" ? [item.artifact] : []));
    expect(JSON.parse(prompt?.content ?? "")).toMatchObject({
      messages: [{ role: "system" }, { role: "user", content: "hello" }],
    });
  });
});

const CONTENT = {
  modelVersion: "gemini-3.1-flash-lite",
  candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [{ text: "hi" }] } }],
  usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 2, thoughtsTokenCount: 3, totalTokenCount: 13 },
};

describe("a wrapped Gemini client", () => {
  const asked = { model: "gemini-3.1-flash-lite", contents: "hello" };

  it("records content, with thoughts as part of the output", async () => {
    upstream.script(json(200, CONTENT));
    expect((await gemini().models.generateContent(asked)).text).toBe("hi");
    expect(calls()).toMatchObject([
      {
        attempts: [
          { provider: "gemini", model: "gemini-3.1-flash-lite", tokens: { input: 8, output: 5, reasoning: 3 } },
        ],
      },
    ]);
  });

  it("records streams and chats", async () => {
    upstream.script(events([CONTENT], false));
    const client = gemini();
    let text = "";
    for await (const part of await client.models.generateContentStream(asked)) text += part.text ?? "";
    expect(text).toBe("hi");
    upstream.script(json(200, CONTENT));
    await client.chats.create({ model: asked.model }).sendMessage({ message: "hello" });
    expect(calls()).toMatchObject([
      { stream: true, attempts: [{ tokens: { input: 8, output: 5 } }] },
      { stream: false, attempts: [{ tokens: { input: 8, output: 5 } }] },
    ]);
  });

  it("records a failure by its class, and throws the client's own error", async () => {
    upstream.script(json(403, { error: { code: 403, status: "PERMISSION_DENIED", message: "no" } }));
    await expect(gemini().models.generateContent(asked)).rejects.toMatchObject({ name: "ApiError" });
    expect(calls()).toMatchObject([{ failure: { class: "auth" } }]);
  });
});
