/** Streams that public bug reports are about: what our decoder makes of them, and what our client then gets. */
import { describe, expect, it } from "vitest";
import type { ToolCallPart } from "../../../src/wire/chat.ts";
import type { ServedContext, WireTarget } from "../../../src/wire/dialect.ts";
import { streamDecoder } from "../../../src/wire/openai-chat/events.ts";
import { streamEncoder } from "../../../src/wire/openai-chat/ingress-events.ts";
import { sseEvents } from "../../../src/wire/sse.ts";
import { isContent } from "../../../src/wire/stream-event.ts";
import { bytesOf } from "../../support/wire/byte-stream.ts";
import { decodeStream } from "../../support/wire/decoded-stream.ts";

// biome-ignore lint/suspicious/noExplicitAny: chunks are read as a client's JSON
type Json = any;

const TARGET: WireTarget = { provider: "openai", model: "m", quirks: {} };
const SERVED: ServedContext = { id: "inf_1", model: "served-model", created: 1_700_000_000, includeUsage: false };
const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

const frame = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null, rest: object = {}): object => ({
  id: "up-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m-2",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest,
});
const call = (fragment: object): object => chunk({ tool_calls: [fragment] });
const DONE = "[DONE]";

async function stream(...values: readonly unknown[]) {
  return decodeStream(bytesOf(values.map(frame).join("")), streamDecoder(TARGET));
}

function callsOf(decoded: Awaited<ReturnType<typeof stream>>) {
  const content = decoded.answer.choices[0]?.content ?? [];
  return content
    .filter((part): part is ToolCallPart => part.type === "tool-call")
    .map(({ id, name, arguments: text }) => [id, name, text]);
}

/** The chunks that a client gets, parsed; `[DONE]` and errors as they are. */
async function served(
  values: readonly unknown[],
  context: Partial<ServedContext> = {},
  native = true,
): Promise<Json[]> {
  const encoder = streamEncoder({ ...SERVED, ...context });
  const { frames } = await stream(...values);
  const text = frames.map((one) => encoder.encode(native ? one : { events: one.events })).join("");
  const chunks: Json[] = [];
  for await (const { data } of sseEvents(bytesOf(text))) chunks.push(data === DONE ? data : JSON.parse(data));
  return chunks;
}

describe("chunks without a choice", () => {
  it("G012: filter results first and usage last, both with empty choices, are no content and no crash", async () => {
    const azure = { choices: [], created: 0, id: "", model: "", prompt_filter_results: [{ prompt_index: 0 }] };
    const decoded = await stream(
      azure,
      chunk({ content: "hi" }),
      chunk({}, "stop"),
      { choices: [], usage: USAGE },
      DONE,
    );
    expect(decoded.events.filter(isContent)).toHaveLength(1);
    expect(decoded.answer).toMatchObject({
      id: "up-1",
      model: "m-2",
      usage: { input: { total: 7 }, output: { total: 3 } },
    });
    expect(decoded.ended).toBe(true);
  });

  it.each([
    ["beside the finish reason (G014 Mistral)", [chunk({ content: "hi" }), chunk({}, "stop", { usage: USAGE })]],
    ["under x_groq", [chunk({ content: "hi" }), chunk({}, "stop", { x_groq: { id: "r", usage: USAGE } })]],
    ["inside the choice", [{ choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop", usage: USAGE }] }]],
    ["in a chunk of its own (G015)", [chunk({ content: "hi" }, "stop"), { choices: [], usage: USAGE }]],
    [
      "cumulative in every chunk: the last one wins (G078)",
      [
        chunk({ content: "hi" }, null, { usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } }),
        chunk({}, "stop", { usage: USAGE }),
      ],
    ],
  ])("usage is found %s", async (_where, chunks) => {
    const decoded = await stream(...chunks, DONE);
    expect(decoded.answer.usage).toMatchObject({ input: { total: 7 }, output: { total: 3 } });
    expect(decoded.answer.choices[0]?.finish.unified).toBe("stop");
  });
});

describe("the end of a stream", () => {
  it("a missing [DONE] after a finish reason is complete", async () => {
    const decoded = await stream(chunk({ content: "hi" }), chunk({}, "stop"));
    expect(decoded.failure).toBeUndefined();
    expect(decoded.ended).toBe(true);
  });

  it("G027: a cut without a finish reason is a failure, never an end", async () => {
    const decoded = await stream(chunk({ content: "a" }), chunk({ content: "b" }), chunk({ content: "c" }));
    expect(decoded.failure).toMatchObject({ class: "network", reason: "reset" });
    expect(decoded.ended).toBe(false);
  });

  it("with two answers asked for, one unfinished answer is a cut", async () => {
    const second = { choices: [{ index: 1, delta: { content: "b" } }] };
    expect((await stream(chunk({ content: "a" }, "stop"), second)).failure?.class).toBe("network");
  });

  it("G006: a stream without a single event is a failure, not an empty answer", async () => {
    expect((await stream()).failure).toMatchObject({ class: "network", reason: "reset" });
    const comments = await decodeStream(bytesOf(": keep-alive\n\n: keep-alive\n\n"), streamDecoder(TARGET));
    expect(comments.failure).toMatchObject({ class: "network" });
  });

  it("a chunk that is no JSON object is a malformed response", async () => {
    for (const garbage of ['{"choices":[{"ind', "5", "null", "<html>"]) {
      const decoded = await stream(chunk({ content: "a" }), garbage, chunk({}, "stop"), DONE);
      expect(decoded.failure).toMatchObject({ class: "network", reason: "malformed_response" });
      expect(decoded.ended).toBe(false);
    }
  });

  it.each(["insufficient_system_resource", "network_error", "error"])(
    "finish reason %s is a failure of the server",
    async (word) => {
      expect((await stream(chunk({ content: "a" }), chunk({}, word), DONE)).failure).toMatchObject({
        class: "server_error",
        code: word,
      });
    },
  );

  it.each([
    ["sensitive", "content-filter"],
    ["content_filter", "content-filter"],
    ["model_length", "length"],
    ["eos", "stop"],
    ["constructor", "other"],
  ])("finish reason %s means %s", async (raw, unified) => {
    const { answer } = await stream(chunk({ content: "a" }), chunk({}, raw), DONE);
    expect(answer.choices[0]?.finish).toEqual({ unified, raw });
  });
});

describe("errors inside a stream", () => {
  it("G024: an error chunk with empty choices fails the stream", async () => {
    const decoded = await stream({ choices: [], error: { code: 502, message: "Upstream went away" } });
    expect(decoded.failure).toMatchObject({ class: "server_error", code: "502" });
    expect(decoded.ended).toBe(false);
  });

  it("OpenRouter's error with finish_reason error is told by its error object", async () => {
    const broken = { ...chunk({ content: "" }, "error"), error: { code: 429, message: "Rate limited upstream" } };
    expect((await stream(chunk({ content: "a" }), broken)).failure?.class).toBe("capacity_shed");
  });

  it("an SSE event named error and an error as a bare string fail it too", async () => {
    const named = await decodeStream(
      bytesOf('event: error\ndata: {"message":"overloaded","code":"503"}\n\n'),
      streamDecoder(TARGET),
    );
    expect(named.failure?.class).toBe("capacity_shed");
    expect((await stream({ error: "model requires more system memory" })).failure?.class).toBe("server_error");
  });

  it("usage that came with the error is kept for the books", async () => {
    const decoded = await stream(chunk({ content: "a" }), { choices: [], error: { message: "x" }, usage: USAGE });
    expect(decoded.answer.usage?.output.total).toBe(3);
    expect(decoded.failure).toBeDefined();
  });

  it("nothing after the failure is read", async () => {
    const decoder = streamDecoder(TARGET);
    decoder.decode({ data: "garbage" });
    expect(decoder.decode({ data: JSON.stringify(chunk({ content: "late" }, "stop")) })).toEqual({ events: [] });
    expect(decoder.finish()).toEqual({ events: [] });
  });
});

describe("tool calls", () => {
  const start = (index: number | undefined, id: string, name = "f", text?: string) =>
    call({ index, id, type: "function", function: { name, ...(text === undefined ? {} : { arguments: text }) } });
  const args = (index: number | undefined, text: string) => call({ index, function: { arguments: text } });
  const END = [chunk({}, "tool_calls"), DONE];

  it("G035: a new id at a used index begins a new call", async () => {
    const decoded = await stream(start(0, "a", "f", '{"path":"a"}'), start(0, "b", "f", '{"path":"b"}'), ...END);
    expect(callsOf(decoded)).toEqual([
      ["a", "f", '{"path":"a"}'],
      ["b", "f", '{"path":"b"}'],
    ]);
  });

  it("G038: interleaved arguments join their call by index", async () => {
    const decoded = await stream(
      start(0, "a"),
      start(1, "b"),
      args(0, '{"x":'),
      args(1, '{"y":'),
      args(0, "1}"),
      args(1, "2}"),
      ...END,
    );
    expect(callsOf(decoded)).toEqual([
      ["a", "f", '{"x":1}'],
      ["b", "f", '{"y":2}'],
    ]);
  });

  it.each([0, undefined])("G039: arguments always at index %s belong to the call begun last", async (index) => {
    const decoded = await stream(
      start(index, "a"),
      args(index, '{"x":1}'),
      start(index, "b"),
      args(index, '{"y":'),
      args(index, "2}"),
      ...END,
    );
    expect(callsOf(decoded)).toEqual([
      ["a", "f", '{"x":1}'],
      ["b", "f", '{"y":2}'],
    ]);
  });

  it("G040: arguments at another index than their start are joined to it, for every call", async () => {
    const decoded = await stream(start(1, "a"), args(0, '{"x":1}'), start(2, "b"), args(1, '{"y":2}'), ...END);
    expect(callsOf(decoded)).toEqual([
      ["a", "f", '{"x":1}'],
      ["b", "f", '{"y":2}'],
    ]);
  });

  it("G041 G036: indexes count calls from 0 whatever the upstream counts", async () => {
    const { events } = await stream(
      start(1, "a", "f", "{}"),
      start(4, "b", "f", "{}"),
      start(4, "c", "f", "{}"),
      ...END,
    );
    const starts = events.flatMap((event) => (event.type === "tool-call-start" ? [event.index] : []));
    expect(starts).toEqual([0, 1, 2]);
  });

  it("a provider that repeats id and name on every fragment has one call", async () => {
    const decoded = await stream(start(0, "a", "f", ""), start(0, "a", "f", '{"x"'), start(0, "a", "f", ":1}"), ...END);
    expect(callsOf(decoded)).toEqual([["a", "f", '{"x":1}']]);
  });

  it("a fresh id on every fragment, without a name, is still one call", async () => {
    const decoded = await stream(
      start(0, "a"),
      call({ index: 0, id: "b", function: { arguments: '{"x"' } }),
      call({ index: 0, id: "c", function: { arguments: ":1}" } }),
      ...END,
    );
    expect(callsOf(decoded)).toEqual([["a", "f", '{"x":1}']]);
  });

  it("calls without ids get one that is unique in the conversation", async () => {
    const nameless = (text: string) => call({ function: { name: "f", arguments: text } });
    const decoded = await stream(nameless('{"x":1}'), nameless('{"x":2}'), ...END);
    expect(callsOf(decoded)).toEqual([
      ["call_up-1_0_0", "f", '{"x":1}'],
      ["call_up-1_0_1", "f", '{"x":2}'],
    ]);
  });

  it("a start that gets its name later begins with it", async () => {
    const decoded = await stream(
      call({ index: 0, id: "a" }),
      call({ index: 0, function: { name: "f", arguments: "" } }),
      args(0, "{}"),
      ...END,
    );
    expect(callsOf(decoded)).toEqual([["a", "f", "{}"]]);
  });

  it("a call without any arguments gets an empty object", async () => {
    const decoded = await stream(start(0, "a"), ...END);
    expect(callsOf(decoded)).toEqual([["a", "f", "{}"]]);
    const [, last] = (await served([start(0, "a"), ...END])) as Json[];
    expect(last.choices[0].delta.tool_calls).toEqual([{ index: 0, function: { arguments: "{}" } }]);
  });

  it("arguments before any call are malformed, not lost", async () => {
    expect((await stream(args(0, "{}"), DONE)).failure).toMatchObject({ reason: "malformed_response" });
  });

  it.each(["stop", "tool_calls", undefined])(
    "G045: an answer with calls and finish reason %s ends in tool calls",
    async (finish) => {
      const values = [start(0, "a", "f", "{}"), ...(finish === undefined ? [] : [chunk({}, finish)]), DONE];
      expect((await stream(...values)).answer.choices[0]?.finish.unified).toBe("tool-calls");
      const chunks = await served(values);
      expect(chunks.flatMap((one: Json) => one.choices?.[0].finish_reason ?? [])).toEqual(["tool_calls"]);
    },
  );

  it("G048: Gemini's thought signature beside a call reaches the client", async () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const begun = call({ index: 0, id: "a", extra_content, function: { name: "f", arguments: "{}" } });
    const decoded = await stream(begun, ...END);
    expect(decoded.answer.choices[0]?.content[0]).toMatchObject({ type: "tool-call", signature: "sig" });
    for (const native of [true, false]) {
      const [first] = await served([begun, ...END], {}, native);
      expect(first.choices[0].delta.tool_calls[0]).toMatchObject({ id: "a", extra_content });
    }
  });

  it("G049: digits beyond 2^53 in arguments pass byte for byte", async () => {
    const text = '{"id": 2512292042121000001, "ratio": 1.10}';
    expect(callsOf(await stream(start(0, "a", "f", text.slice(0, 20)), args(0, text.slice(20)), ...END))).toEqual([
      ["a", "f", text],
    ]);
    for (const native of [true, false]) {
      const chunks = await served([start(0, "a", "f", text), ...END], {}, native);
      const pieces = chunks.flatMap((one: Json) => one.choices?.[0].delta.tool_calls ?? []);
      expect(pieces.map((piece: Json) => piece.function?.arguments ?? "").join("")).toBe(text);
    }
  });

  it("the form before tools streams as a call", async () => {
    const decoded = await stream(
      chunk({ function_call: { name: "f", arguments: "" } }),
      chunk({ function_call: { arguments: '{"x":1}' } }),
      chunk({}, "function_call"),
      DONE,
    );
    expect(callsOf(decoded)).toEqual([["call_up-1_0_0", "f", '{"x":1}']]);
    expect(decoded.answer.choices[0]?.finish.unified).toBe("tool-calls");
  });
});

describe("reasoning and parts", () => {
  it.each([
    ["reasoning_content", { reasoning_content: "think" }],
    ["reasoning", { reasoning: "think" }],
    ["details that repeat it", { reasoning: "think", reasoning_details: [{ type: "reasoning.text", text: "think" }] }],
    ["thinking parts (Mistral)", { content: [{ type: "thinking", thinking: [{ type: "text", text: "think" }] }] }],
  ])("%s is reasoning, once", async (_shape, delta) => {
    const { answer } = await stream(chunk(delta), chunk({ content: "so" }), chunk({}, "stop"), DONE);
    expect(answer.choices[0]?.content).toMatchObject([
      { type: "reasoning", text: "think" },
      { type: "text", text: "so" },
    ]);
  });

  it("signatures and encrypted thinking are kept", async () => {
    const details = [
      { type: "reasoning.text", text: "", signature: "s" },
      { type: "reasoning.encrypted", data: "e" },
    ];
    const { events } = await stream(chunk({ reasoning_details: details }), chunk({ content: "x" }, "stop"), DONE);
    expect(events).toContainEqual({
      type: "reasoning-delta",
      choice: 0,
      text: "",
      signature: "s",
      encrypted: undefined,
    });
    expect(events).toContainEqual({
      type: "reasoning-delta",
      choice: 0,
      text: "",
      signature: undefined,
      encrypted: "e",
    });
  });

  it("content sent as parts reaches an OpenAI client as text", async () => {
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "4" },
    ];
    const [first] = await served([chunk({ content: parts }), chunk({}, "stop"), DONE]);
    expect(first.choices[0].delta).toEqual({ role: "assistant", content: "4", reasoning_content: "hm" });
  });

  it("a refusal is a refusal", async () => {
    const { answer } = await stream(chunk({ refusal: "I " }), chunk({ refusal: "won't" }), chunk({}, "stop"), DONE);
    expect(answer.choices[0]?.content).toEqual([{ type: "refusal", text: "I won't" }]);
  });
});

describe("what the client gets", () => {
  const TEXT = [
    chunk({ role: "assistant", content: "" }),
    chunk({ role: "assistant", content: "hi" }),
    chunk({}, "stop"),
    DONE,
  ];

  it("G063 S16: one id, one creation time and the model that served, whatever the upstream says", async () => {
    const values = [
      chunk({ content: "a" }),
      { ...chunk({ content: "b" }), id: "other", created: 99, model: "x" },
      chunk({}, "stop"),
      DONE,
    ];
    for (const native of [true, false]) {
      const chunks = (await served(values, {}, native)).filter((one) => one !== DONE);
      expect(
        new Set(chunks.map(({ id, model, created, object }: Json) => [id, model, created, object].join())),
      ).toEqual(new Set(["inf_1,served-model,1700000000,chat.completion.chunk"]));
    }
  });

  it("G029: one role, in the first chunk of each choice", async () => {
    for (const native of [true, false]) {
      const chunks = (await served(TEXT, {}, native)).filter((one) => one !== DONE);
      const roles = chunks.map((one: Json) => one.choices[0].delta.role);
      expect(roles.filter((role: unknown) => role !== undefined)).toEqual(["assistant"]);
      expect(roles[0]).toBe("assistant");
    }
  });

  it("G016: usage is hidden from a client that did not ask", async () => {
    const values = [...TEXT.slice(0, 2), chunk({}, "stop", { usage: USAGE }), { choices: [], usage: USAGE }, DONE];
    for (const native of [true, false]) {
      const chunks = await served(values, {}, native);
      expect(JSON.stringify(chunks)).not.toContain("usage");
      expect(chunks.every((one: Json) => one === DONE || one.choices.length === 1)).toBe(true);
    }
  });

  it("G014: exactly one usage chunk, last and with empty choices, for a client that asked", async () => {
    const values = [...TEXT.slice(0, 2), chunk({}, "stop", { usage: { ...USAGE, cost: 0.1 } }), DONE];
    for (const native of [true, false]) {
      const chunks = await served(values, { includeUsage: true }, native);
      const withUsage = chunks.filter((one: Json) => one.usage);
      expect(withUsage).toHaveLength(1);
      expect(chunks.at(-1)).toBe(DONE);
      expect(chunks.at(-2)).toMatchObject({ choices: [], usage: USAGE, id: "inf_1" });
    }
  });

  it("unknown members of chunks, choices and deltas are passed through", async () => {
    const rich = { ...chunk({ content: "x", annotations: [1] }), provider: "P" } as Json;
    rich.choices[0].content_filter_results = { hate: { filtered: false } };
    const [first] = await served([rich, chunk({}, "stop"), DONE]);
    expect(first).toMatchObject({
      provider: "P",
      choices: [{ content_filter_results: {}, delta: { annotations: [1] } }],
    });
  });

  it("a failed stream ends in an error and without [DONE]", () => {
    const encoder = streamEncoder(SERVED);
    const text = encoder.fail(
      { class: "network", reason: "reset", message: "the stream ended early" },
      { inferenceId: "inf_1", attempts: [] },
    );
    expect(text).not.toContain(DONE);
    expect(JSON.parse(text.slice(6))).toEqual({
      error: {
        message: "the stream ended early",
        type: "api_error",
        code: "reset",
        param: null,
        failure_class: "network",
        failure_reason: "reset",
        inference_id: "inf_1",
        attempts: [],
      },
    });
  });
});
