/** Files of other tools become captures: what was asked, what came, when, whose; everything else is said. */
import { describe, expect, it } from "vitest";
import { IMPORT_FORMATS } from "../../../src/capture/formats/index.ts";
import { type ImportOptions, readImport } from "../../../src/capture/import.ts";

const OPTIONS: ImportOptions = { route: "a.b", format: undefined, target: { hasTemplate: false }, now: 5 };

function read(entries: readonly unknown[], more: Partial<ImportOptions> = {}) {
  const text = entries.map((entry) => JSON.stringify(entry)).join("\n");
  return readImport([{ name: "f.jsonl", text }], { ...OPTIONS, ...more });
}

/** The one call of an entry, its request beside its ends. */
function one(entry: unknown, more: Partial<ImportOptions> = {}) {
  const { captures, refused, passed } = read([entry], more);
  expect([refused, passed]).toEqual([[], []]);
  const [first] = captures;
  if (first === undefined || captures.length > 1) throw new Error(`${captures.length} captures`);
  const { payload, output, outcome, at, served, tags } = first.capture;
  return { payload, output, outcome, at, served, tags };
}

const USER = { role: "user", content: "Where is my parcel?" };
const SYSTEM = { role: "system", content: "Be brief." };
const CHAT_ANSWER = {
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_790_000_000, model: "gpt-5-mini-2026-01-01" },
  choices: [{ index: 0, message: { role: "assistant", content: "On its way." }, finish_reason: "stop" }],
};
const MESSAGE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-haiku-4-5", stop_reason: "end_turn" },
  ...{ content: [{ type: "text", text: "On its way." }], usage: { input_tokens: 9, output_tokens: 4 } },
};
const messages = (...list: unknown[]) => ({ kind: "messages", request: expect.objectContaining({ messages: list }) });

describe("lines of chat completions", () => {
  it("are read as request and answer", () => {
    const request = { model: "gpt-5-mini", messages: [SYSTEM, USER], temperature: 0, stream: true, user: "u1" };
    expect(one({ request, response: CHAT_ANSWER, provider: "openai" })).toEqual({
      payload: { kind: "messages", request: { messages: [SYSTEM, USER], temperature: 0, user: "u1" } },
      ...{
        output: "On its way.",
        outcome: "answered",
        at: 1_790_000_000_000,
        served: "openai/gpt-5-mini",
        tags: { user: "u1" },
      },
    });
  });

  it("are read from files for fine-tuning: the last message is the answer", () => {
    const found = one({ messages: [SYSTEM, USER, { role: "assistant", content: "On its way.", weight: 1 }] });
    expect(found).toMatchObject({ payload: messages(SYSTEM, USER), output: "On its way.", at: 5 });
  });

  it("keep an assistant's earlier words as part of the question", () => {
    const history = [USER, { role: "assistant", content: "Which one?" }, { role: "user", content: "The blue one." }];
    expect(one({ messages: history })).toMatchObject({ payload: messages(...history), output: undefined });
  });

  it("are read where input and output are beside each other, whatever holds the text", () => {
    expect(one({ input: [USER], output: "On its way." })).toMatchObject({
      payload: messages(USER),
      output: "On its way.",
    });
    expect(one({ input: JSON.stringify({ messages: [USER] }), output: JSON.stringify(CHAT_ANSWER) })).toMatchObject({
      ...{ payload: messages(USER), output: "On its way." },
    });
  });

  it("are read in the dialect that they are in", () => {
    const responses = {
      request: { model: "gpt-5", input: "Where is my parcel?", instructions: "Be brief." },
      response: {
        ...{ id: "resp_1", object: "response", created_at: 1_790_000_000, status: "completed" },
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "On its way." }] }],
      },
    };
    expect(one(responses)).toMatchObject({ payload: { request: { messages: [{}, USER] } }, output: "On its way." });
    const anthropic = {
      request: { model: "claude", max_tokens: 9, system: "Be brief.", messages: [USER] },
      response: MESSAGE,
    };
    expect(one(anthropic)).toMatchObject({ payload: { request: { messages: [SYSTEM, USER] } }, output: "On its way." });
  });

  it("keep integers above 2^53 as they are written", () => {
    const parameters = '{"type":"object","properties":{"id":{"const":2512292042121000001}}}';
    const tools = `[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
    const text = `{"messages":[{"role":"user","content":"x"}],"tools":${tools}}`;
    const { captures } = readImport([{ name: "f", text }], OPTIONS);
    expect(captures.map(({ capture }) => JSON.stringify(capture.payload))).toEqual([
      expect.stringContaining(parameters),
    ]);
  });
});

describe("batches", () => {
  const asked = (id: string) => ({
    ...{ custom_id: id, method: "POST", url: "/v1/chat/completions" },
    body: { model: "gpt-5-mini", messages: [USER], metadata: { customer: id } },
  });
  const answered = (id: string) => ({
    id: `batch_req_${id}`,
    custom_id: id,
    response: { status_code: 200, body: CHAT_ANSWER },
    error: null,
  });

  it("of OpenAI are joined by custom_id, in whatever order and files", () => {
    const files = [
      { name: "out.jsonl", text: [answered("b"), answered("a")].map((line) => JSON.stringify(line)).join("\n") },
      { name: "in.jsonl", text: [asked("a"), asked("b")].map((line) => JSON.stringify(line)).join("\n") },
    ];
    const { captures, refused } = readImport(files, OPTIONS);
    expect(refused).toEqual([]);
    expect(captures.map(({ capture }) => [capture.output, capture.tags["customer"], capture.served])).toEqual([
      ["On its way.", "b", "openai/gpt-5-mini"],
      ["On its way.", "a", "openai/gpt-5-mini"],
    ]);
  });

  it("of OpenAI keep what failed, without the caller's own faults and other endpoints", () => {
    const failed = (id: string, status: number, message: string) => ({
      ...{ custom_id: id, response: { status_code: status, body: { error: { message, code: null } } }, error: null },
    });
    const embedding = { custom_id: "e", method: "POST", url: "/v1/embeddings", body: { model: "m", input: "x" } };
    const { captures, refused, passed } = read([
      ...[asked("a"), failed("a", 503, "overloaded"), asked("b"), failed("b", 400, "max_tokens is too large")],
      ...[embedding, answered("nobody")],
    ]);
    expect(captures.map(({ capture }) => [capture.outcome, capture.output])).toEqual([["capacity_shed", undefined]]);
    expect(refused.map(({ why }) => why)).toEqual([
      "the call failed for the caller's own fault: max_tokens is too large",
      "the answer has no request: give the batch's request file too",
    ]);
    expect(passed.map(({ why }) => why)).toEqual(["/v1/embeddings is no chat endpoint"]);
  });

  it("of Anthropic are joined by custom_id", () => {
    const params = {
      model: "claude-haiku-4-5",
      max_tokens: 100,
      system: "Be brief.",
      messages: [USER],
      metadata: { user_id: "u9" },
    };
    const { captures, passed } = read([
      ...[
        { custom_id: "a", params },
        { custom_id: "b", params },
        { custom_id: "c", params },
      ],
      { custom_id: "a", result: { type: "succeeded", message: MESSAGE } },
      {
        custom_id: "b",
        result: {
          type: "errored",
          error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        },
      },
      { custom_id: "c", result: { type: "expired" } },
    ]);
    expect(captures.map(({ capture }) => [capture.outcome, capture.output, capture.served, capture.tags])).toEqual([
      ["answered", "On its way.", "anthropic/claude-haiku-4-5", expect.objectContaining({ user: "u9" })],
      ["capacity_shed", undefined, "anthropic/claude-haiku-4-5", expect.anything()],
    ]);
    expect(passed).toEqual([{ place: "f.jsonl:3", why: "expired before it was sent" }]);
  });
});

describe("LiteLLM's logs", () => {
  const payload = {
    ...{
      id: "chatcmpl-1",
      call_type: "acompletion",
      status: "success",
      model: "gpt-5-mini",
      custom_llm_provider: "openai",
    },
    ...{
      messages: [SYSTEM, USER],
      response: CHAT_ANSWER,
      startTime: 1_790_000_000.25,
      end_user: "u7",
      response_cost: 0.1,
    },
    ...{
      model_parameters: { temperature: 0.2, stream: true, max_tokens: 300 },
      request_tags: ["feature:mail", "beta"],
    },
    metadata: { user_api_key_team_alias: "support" },
  };

  it("are read with parameters, end user and tags", () => {
    expect(one(payload)).toEqual({
      payload: { kind: "messages", request: { messages: [SYSTEM, USER], temperature: 0.2, max_tokens: 300 } },
      ...{ output: "On its way.", outcome: "answered", at: 1_790_000_000_250, served: "openai/gpt-5-mini" },
      tags: { user: "u7", team: "support", feature: "mail", beta: "yes" },
    });
  });

  it("are read as rows of the spend logs, whose JSON is text", () => {
    const row = {
      ...{
        request_id: "r",
        call_type: "acompletion",
        model: "openai/gpt-5-mini",
        startTime: "2026-11-30 10:00:00.000",
      },
      ...{ messages: "{}", response: JSON.stringify(CHAT_ANSWER), custom_llm_provider: "openai" },
      proxy_server_request: JSON.stringify({ model: "gpt-5-mini", messages: [USER], temperature: 1 }),
    };
    expect(one(row)).toMatchObject({
      ...{ payload: { request: { messages: [USER], temperature: 1 } }, output: "On its way." },
      ...{ at: Date.parse("2026-11-30T10:00:00Z"), served: "openai/gpt-5-mini" },
    });
  });

  it("keep failures with their class, and say what was not logged", () => {
    const error_information = { error_code: "429", error_message: "Rate limit reached" };
    expect(one({ ...payload, status: "failure", response: {}, error_information })).toMatchObject({
      ...{ outcome: "capacity_shed", output: undefined },
    });
    const { refused, passed } = read([
      { ...payload, messages: "redacted-by-litellm" },
      { ...payload, call_type: "aembedding" },
    ]);
    expect(refused.map(({ why }) => why)).toEqual(["its messages were not logged (redacted by LiteLLM)"]);
    expect(passed.map(({ why }) => why)).toEqual(["aembedding is no chat call"]);
  });
});

describe("exports of Langfuse", () => {
  const generation = {
    ...{ id: "o1", traceId: "t1", type: "GENERATION", name: "answer", model: "gpt-5-mini", level: "DEFAULT" },
    ...{ startTime: "2026-11-30T10:00:00.000Z", modelParameters: { temperature: 0.5, maxRetries: 2 } },
    ...{
      input: [SYSTEM, USER],
      output: { role: "assistant", content: "On its way." },
      metadata: { plan: "pro", n: 1 },
    },
  };

  it("are read as observations, with what tells whose they are", () => {
    expect(one({ ...generation, userId: "u", sessionId: "s" })).toEqual({
      payload: { kind: "messages", request: { messages: [SYSTEM, USER], temperature: 0.5 } },
      ...{ output: "On its way.", outcome: "answered", at: Date.parse("2026-11-30T10:00:00Z"), served: undefined },
      tags: { plan: "pro", user: "u", session: "s", trace: "t1" },
    });
  });

  it.each([
    ["text", "Where is my parcel?", "On its way."],
    [
      "messages in an object",
      { messages: [USER] },
      [{ role: "assistant", content: [{ type: "text", text: "On its way." }] }],
    ],
    ["JSON as text", JSON.stringify([USER]), JSON.stringify({ role: "assistant", content: "On its way." })],
    ["LangChain's messages", [{ type: "human", content: "Where is my parcel?" }], { completion: "On its way." }],
    ["the provider's own answer", [USER], CHAT_ANSWER],
    ["a message of Anthropic", [USER], MESSAGE],
  ])("are read where input and output are %s", (_, input, output) => {
    expect(one({ ...generation, input, output })).toMatchObject({ payload: messages(USER), output: "On its way." });
  });

  it("are read out of traces and pages, spans left out", () => {
    const span = { id: "o2", traceId: "t1", type: "SPAN", input: {} };
    const page = { data: [{ id: "t1", userId: "u3", observations: [generation, span] }], meta: { page: 1 } };
    const { captures, passed } = read([page]);
    expect(captures.map(({ capture }) => capture.tags["user"])).toEqual(["u3"]);
    expect(passed).toEqual([{ place: "f.jsonl:1 [2]", why: "a span is no call of a model" }]);
  });

  it("keep a failed generation", () => {
    const found = one({ ...generation, output: null, level: "ERROR", statusMessage: "503 Service Unavailable" });
    expect(found).toMatchObject({ outcome: "capacity_shed", output: undefined });
  });
});

describe("results of promptfoo", () => {
  const row = {
    ...{ promptIdx: 0, testIdx: 0, success: false, failureReason: 1, error: "Expected output to contain it" },
    ...{ prompt: { raw: JSON.stringify([SYSTEM, USER]), label: "p" }, vars: { question: "Where?" }, latencyMs: 9 },
    ...{ provider: { id: "openai:chat:gpt-5-mini" }, response: { output: { eta: "today" } } },
  };
  const document = { evalId: "e", results: { version: 3, timestamp: "2026-11-30T10:00:00Z", results: [row] } };

  it("are read with their prompt, or with their variables where the route has a template", () => {
    expect(one(document)).toMatchObject({
      payload: messages(SYSTEM, USER),
      output: '{"eta":"today"}',
      served: "openai/gpt-5-mini",
    });
    expect(one(row, { target: { hasTemplate: true } }).payload).toEqual({
      kind: "variables",
      variables: { question: "Where?" },
    });
  });

  it("take a failed assertion for an answer, and a failed call for a failure", () => {
    expect(one(row).outcome).toBe("answered");
    const failed = one({ ...row, response: { error: "API error: 503 Service Unavailable" } });
    expect(failed).toMatchObject({ outcome: "capacity_shed", output: undefined });
  });

  it("are read from one pretty-printed document", () => {
    const { captures } = readImport([{ name: "out.json", text: JSON.stringify(document, null, 2) }], OPTIONS);
    expect(captures.map(({ place }) => place)).toEqual(["out.json [1]"]);
  });
});

describe("any file", () => {
  it("is imported once, whatever it is split into", () => {
    const lines = Array.from({ length: 20 }, (_, n) => ({
      input: [{ role: "user", content: `q${n % 10}` }],
      output: "o",
      ts: n % 10,
    }));
    const ids = (list: readonly unknown[]) => read(list).captures.map(({ capture }) => capture.id);
    expect(new Set(ids(lines)).size).toBe(10);
    expect(new Set([...ids(lines.slice(0, 7)), ...ids([lines.slice(7)])])).toEqual(new Set(ids(lines)));
  });

  it("gives every entry one end: a call, a refusal with its place, or left out", () => {
    const broken = Array.from({ length: 10_000 }, (_, n) =>
      n % 100 === 7 ? `{"messages": [${n}` : JSON.stringify({ messages: [{ role: "user", content: `question ${n}` }] }),
    );
    const { captures, refused, passed } = readImport(
      [{ name: "f.jsonl", text: `\uFEFF${broken.join("\n")}\n` }],
      OPTIONS,
    );
    expect([captures.length, refused.length, passed.length]).toEqual([9_900, 100, 0]);
    expect(refused[1]).toEqual({ place: "f.jsonl:108", why: "not valid JSON" });
  });

  it.each([
    ["a number", 7, "it is no JSON object"],
    ["an object without a call", { a: 1, b: 2 }, "no known shape of a call, with the keys a, b"],
    ["no messages", { messages: [] }, "messages"],
    ["a message without a role", { messages: [{ content: "x" }] }, "role"],
    [
      "an answer that is none",
      { request: { messages: [USER] }, response: { object: "list" } },
      "the answer is no chat completion",
    ],
    ["an empty object", {}, "of an empty object"],
  ])("is refused by its reason where it holds %s", (_, entry, why) => {
    const { captures, refused } = read([entry]);
    expect(captures).toEqual([]);
    expect(refused).toEqual([{ place: "f.jsonl:1", why: expect.stringContaining(why) }]);
  });

  it("needs a route where it names none", () => {
    expect(read([{ messages: [USER] }], { route: undefined }).refused).toEqual([
      { place: "f.jsonl:1", why: "it names no route of yours: say --route" },
    ]);
  });

  it.each(IMPORT_FORMATS.map((format) => [format.name, format] as const))(
    "never throws on odd values in the shape of %s",
    (_, format) => {
      const odd = [null, 0, "", "x", [], {}, [null], { a: null }, true];
      const keys = [
        ...[
          "messages",
          "request",
          "response",
          "input",
          "output",
          "params",
          "result",
          "body",
          "vars",
          "prompt",
          "results",
          "data",
        ],
        ...[
          "observations",
          "model_parameters",
          "proxy_server_request",
          "error",
          "metadata",
          "custom_id",
          "url",
          "type",
          "call_type",
        ],
      ];
      const entries = keys.flatMap((key) => odd.map((value) => ({ messages: [USER], [key]: value })));
      const { captures, refused, passed } = read(entries, { format });
      expect(captures.length + refused.length + passed.length).toBeGreaterThanOrEqual(entries.length / 2);
    },
  );
});
