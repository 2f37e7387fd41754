/** Answers that say less, or more, than they seem to: what they hold must arrive, and what they do not hold must not. */
import { describe, expect, it } from "vitest";
import type { DialectName } from "../../../src/wire/chat.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { sseFrame } from "../../../src/wire/sse.ts";
import { bodyOf } from "../../support/wire/byte-stream.ts";
import { decodeStream } from "../../support/wire/decoded-stream.ts";

const target = { provider: "p", model: "m", quirks: {} };
const served = { id: "inf_1", model: "m", created: 1, includeUsage: true };

function answer(dialect: DialectName, body: unknown) {
  return upstreamDialect(dialect).decodeAnswer(body, target);
}

function said(dialect: DialectName, body: unknown) {
  const decoded = answer(dialect, body);
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value;
}

function failureOf(dialect: DialectName, body: unknown) {
  const decoded = answer(dialect, body);
  return decoded.ok ? undefined : decoded.error;
}

const stream = (dialect: DialectName, ...events: unknown[]) =>
  decodeStream(
    bodyOf(events.map((event) => sseFrame(typeof event === "string" ? event : JSON.stringify(event)))),
    upstreamDialect(dialect).streamDecoder(target),
  );

const chat = (message: Record<string, unknown>, finish_reason = "stop") => ({
  choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }],
});
const call = { id: "t1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

describe("a tool call beside members that say nothing", () => {
  const told = [{ id: "t1", name: "f", arguments: '{"a":1}' }];

  it.each([
    ["an empty custom", { tool_calls: [{ ...call, custom: { name: "", input: "" } }] }, told],
    ["a null custom", { tool_calls: [{ ...call, custom: null }] }, told],
    [
      "an empty function",
      { tool_calls: [{ id: "t1", type: "custom", function: {}, custom: { name: "f", input: "x" } }] },
      [{ id: "t1", name: "f", arguments: "x", custom: true }],
    ],
    ["an empty call", { tool_calls: [{ id: "", function: { name: "", arguments: "" } }, call] }, told],
    [
      "no list but a legacy call",
      { tool_calls: [], function_call: call.function },
      [{ name: "f", arguments: '{"a":1}' }],
    ],
    ["an empty legacy call", { content: "hi", tool_calls: null, function_call: { name: "", arguments: "" } }, []],
  ])("is what it says: %s", (_what, message, calls) => {
    const [choice] = said("openai-chat", chat(message, calls.length > 0 ? "tool_calls" : "stop")).choices;
    const parts = choice?.content.filter((part) => part.type === "tool-call") ?? [];
    expect(parts).toMatchObject(calls);
    expect(parts).toHaveLength(calls.length);
    expect(choice?.finish.unified).toBe(calls.length > 0 ? "tool-calls" : "stop");
  });

  it("reaches an OpenAI client as that one call, and a phantom not at all", () => {
    const encode = (message: Record<string, unknown>) => {
      const body = openaiChatIngress.encodeAnswer(said("openai-chat", chat(message)), served);
      return (body["choices"] as { message: Record<string, unknown> }[])[0]?.message;
    };
    expect(encode({ tool_calls: [{ ...call, custom: { name: "", input: "" } }] })).toMatchObject({
      tool_calls: [call],
    });
    const phantom = encode({ content: "hi", function_call: { name: "", arguments: "" }, tool_calls: null });
    expect(phantom).toEqual({ role: "assistant", content: "hi", refusal: null });
  });

  it("comes out of a stream as well", async () => {
    const chunk = (delta: unknown, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    });
    const piece = (fields: unknown) =>
      chunk({ tool_calls: [{ index: 0, ...(fields as object), custom: { name: "", input: "" } }] });
    const { answer: whole, ended } = await stream(
      "openai-chat",
      piece({ id: "t1", type: "function", function: { name: "f", arguments: "" } }),
      piece({ function: { arguments: '{"a":1}' } }),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(ended).toBe(true);
    expect(whole.choices[0]?.content).toMatchObject([{ type: "tool-call", id: "t1", name: "f", arguments: '{"a":1}' }]);
  });

  it("is refused where arguments have no name", () => {
    const nameless = chat({ tool_calls: [{ id: "t1", function: { name: "", arguments: '{"a":1}' } }] });
    expect(failureOf("openai-chat", nameless)).toMatchObject({ class: "network", reason: "malformed_response" });
  });
});

describe("an answer that never says it is whole", () => {
  it.each<[DialectName, string, unknown]>([
    ["gemini", "an empty candidate", { candidates: [{ content: {}, index: 0 }] }],
    ["gemini", "half a text", { candidates: [{ content: { parts: [{ text: "half" }] } }] }],
    [
      "gemini",
      "one of two candidates",
      {
        candidates: [
          { content: { parts: [{ text: "a" }] }, finishReason: "STOP" },
          { content: { parts: [{ text: "b" }] } },
        ],
      },
    ],
    [
      "anthropic-messages",
      "a message without a stop reason",
      { content: [{ type: "text", text: "half" }], stop_reason: null },
    ],
    ["openai-responses", "a response in progress", { status: "in_progress", output: [] }],
    ["openai-responses", "a canceled response", { status: "cancelled", output: [] }],
  ])("of %s is a cut answer: %s", (dialect, _what, body) => {
    expect(failureOf(dialect, body)).toMatchObject({ class: "network", reason: "reset" });
  });

  it("of Gemini is one also where only one of two streamed candidates finished", async () => {
    const candidate = (index: number, finishReason?: string) => ({
      candidates: [{ index, content: { parts: [{ text: "a" }] }, finishReason }],
    });
    const { failure } = await stream("gemini", candidate(0), candidate(1), candidate(0, "STOP"));
    expect(failure).toMatchObject({ class: "network", reason: "reset" });
  });
});

describe("Gemini's last word", () => {
  const whole = (finishReason: string) => ({ candidates: [{ content: { parts: [{ text: "x" }] }, finishReason }] });

  it.each(["SAFETY", "MODEL_ARMOR", "IMAGE_SAFETY", "SPII"])("%s is a refusal", (word) => {
    expect(said("gemini", whole(word)).choices[0]?.finish).toEqual({ unified: "content-filter", raw: word });
  });

  it.each(["OTHER", "NO_IMAGE", "IMAGE_OTHER", "MALFORMED_FUNCTION_CALL", "A_WORD_OF_NEXT_YEAR"])(
    "%s is a fault, also after text in a stream",
    async (word) => {
      expect(said("gemini", whole(word)).choices[0]?.finish.unified).toBe("error");
      const { failure, ended } = await stream("gemini", whole(word));
      expect(failure).toMatchObject({ class: "content_invalid", code: word });
      expect(ended).toBe(false);
    },
  );
});

describe("two answers spliced into one stream", () => {
  const start = (id: string) => ({ type: "message_start", message: { id, usage: { input_tokens: 1 } } });
  const tool = (index: number, id: string) => [
    { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "f", input: {} } },
    { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: '{"v":"Spa' } },
  ];

  it("of Anthropic end in an error", async () => {
    const end = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }];
    const spliced = await stream(
      "anthropic-messages",
      start("m1"),
      ...tool(0, "t1"),
      start("m2"),
      ...tool(0, "t2"),
      ...end,
    );
    expect(spliced.failure).toMatchObject({ class: "network", reason: "malformed_response" });
    expect(spliced.ended).toBe(false);
    const repeated = await stream("anthropic-messages", start("m1"), start("m1"), ...tool(0, "t1"), ...end);
    expect(repeated.failure).toBeUndefined();
  });

  it("of the Responses API end in an error", async () => {
    const created = (id: string) => ({ type: "response.created", response: { id } });
    const { failure } = await stream("openai-responses", created("r1"), created("r2"));
    expect(failure).toMatchObject({ class: "network", reason: "malformed_response" });
  });

  const chunk = (id: string, content: string, finish_reason?: string) => ({
    id,
    choices: [{ index: 0, delta: { content }, ...(finish_reason && { finish_reason }) }],
  });
  const candidate = (responseId: string, text: string, finishReason?: string) => ({
    responseId,
    candidates: [{ index: 0, content: { parts: [{ text }] }, ...(finishReason && { finishReason }) }],
  });
  const item = (id: string) => ({
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "function_call", id, call_id: id, name: "f", arguments: "" },
  });

  it.each<[string, DialectName, unknown[]]>([
    [
      "Anthropic, a block at the index of one that is open",
      "anthropic-messages",
      [start("m1"), tool(0, "t1"), tool(0, "t2")],
    ],
    [
      "Anthropic, a block at the index of one that is over",
      "anthropic-messages",
      [start("m1"), tool(0, "t1"), { type: "content_block_stop", index: 0 }, tool(0, "t2")],
    ],
    ["Responses, an item at the index of one that is open", "openai-responses", [item("a"), item("b")]],
    [
      "chat, another answer behind a finished one",
      "openai-chat",
      [chunk("a", "x", "stop"), chunk("b", "y", "stop"), "[DONE]"],
    ],
    [
      "Gemini, another answer behind a finished one",
      "gemini",
      [candidate("a", "x", "STOP"), candidate("b", "y", "STOP")],
    ],
  ])("without a second beginning end in an error: %s", async (_what, dialect, events) => {
    const spliced = await stream(dialect, ...events.flat());
    expect(spliced.failure).toMatchObject({ class: "network", reason: "malformed_response" });
    expect(spliced.ended).toBe(false);
  });

  it.each<[string, DialectName, unknown[]]>([
    [
      "chat, an id of its own in each chunk",
      "openai-chat",
      [chunk("a", "x"), chunk("b", "y", "stop"), chunk("c", ""), "[DONE]"],
    ],
    ["Gemini, an id of its own in each event", "gemini", [candidate("a", "x"), candidate("b", "y", "STOP")]],
  ])("are not seen where one answer is: %s", async (_what, dialect, events) => {
    expect(await stream(dialect, ...events)).toMatchObject({ ended: true, failure: undefined });
  });
});
