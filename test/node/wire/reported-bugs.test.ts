/** Faults of other gateways, publicly reported, as far as they concern translation between dialects: none is ours. */
import { describe, expect, it } from "vitest";
import { parseExact } from "../../../src/json/exact-numbers.ts";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import type { DialectName, ToolCallPart } from "../../../src/wire/chat.ts";
import type { EncodedRequest, IngressDialect, WireTarget } from "../../../src/wire/dialect.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import { bytesOf } from "../../support/wire/byte-stream.ts";
import { judged } from "../../support/wire/decode-fixture.ts";
import { decodeStream } from "../../support/wire/decoded-stream.ts";
import { targetOf } from "../../support/wire/encoded-request.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies of four APIs are looked into
type Json = any;

const SERVED = { id: "inf_1", model: "m", created: 1, includeUsage: true };
const TARGET: WireTarget = { provider: "up", model: "m", quirks: {} };
const BIG = '{"id":2512292042121000001}';

function sent(ingress: IngressDialect, body: Json, dialect: DialectName, model = "m"): EncodedRequest & { wire: Json } {
  const decoded = ingress.decodeRequest(body);
  if (!decoded.ok) throw new Error(decoded.error.message);
  const encoded = upstreamDialect(dialect).encodeRequest(decoded.value.request, {
    ...TARGET,
    model,
    facts: targetOf(dialect === "gemini" ? "gemini" : "anthropic", model).facts,
  });
  if (!encoded.ok) throw new Error(encoded.error.message);
  return { ...encoded.value, wire: JSON.parse(JSON.stringify(encoded.value.body)) };
}
const chat = (messages: Json[], more: Json = {}) => ({ model: "m", messages, ...more });
const fromChat = (body: Json, dialect: DialectName, model?: string) => sent(openaiChatIngress, body, dialect, model);

const sse = (events: readonly Json[]) =>
  events.map((data) => `${data.type ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`).join("");
const heard = (dialect: DialectName, events: readonly Json[]) =>
  decodeStream(bytesOf(sse(events)), upstreamDialect(dialect).streamDecoder(TARGET));

/** What a client of `ingress` gets, as parsed events. */
async function told(ingress: IngressDialect, dialect: DialectName, events: readonly Json[]): Promise<Json[]> {
  const { frames } = await heard(dialect, events);
  const encoder = ingress.streamEncoder(SERVED);
  const text = frames
    .map((frame) => {
      const error = frame.events.find((event) => event.type === "error");
      return error ? encoder.fail(error.failure, { inferenceId: "inf_1", attempts: [] }) : encoder.encode(frame);
    })
    .join("");
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

const messageStart = (usage: Json) => ({ type: "message_start", message: { id: "msg", model: "m", usage } });
const stop = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 15 } },
  { type: "message_stop" },
];
const textBlock = (index: number, text: string) => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index },
];
const toolStart = (index: number, id: string) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id, name: "f", input: {} },
});

describe("a stream to an Anthropic client", () => {
  it("survives a usage-only chunk without choices, and ends with usage and message_stop (G013)", async () => {
    const events = await told(anthropicMessagesIngress, "openai-chat", [
      { id: "c", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] },
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { id: "c", choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    ]);
    expect(events.slice(-2)).toMatchObject([
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: 3, output_tokens: 2 } },
      { type: "message_stop" },
    ]);
  });

  it("opens its message once, though the upstream does it twice (G031)", async () => {
    const upstream = [
      messageStart({ input_tokens: 1 }),
      messageStart({ input_tokens: 1 }),
      ...textBlock(0, "a"),
      ...stop,
    ];
    const events = await told(anthropicMessagesIngress, "anthropic-messages", upstream);
    expect(events.filter(({ type }) => type === "message_start")).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: "message_stop" });
  });

  it("is closed by us, once, where the upstream forgot message_stop", async () => {
    const upstream = [messageStart({ input_tokens: 1 }), ...textBlock(0, "a"), ...stop.slice(0, 1)];
    const events = await told(anthropicMessagesIngress, "anthropic-messages", upstream);
    expect(events.map(({ type }) => type)).toEqual([
      ...["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"],
      "message_stop",
    ]);
  });
});

describe("streamed usage of Anthropic", () => {
  it("is cumulative: later figures replace earlier ones (G019, G022)", async () => {
    const { answer } = await heard("anthropic-messages", [
      messageStart({ input_tokens: 25, output_tokens: 1 }),
      ...textBlock(0, "hi"),
      ...stop,
    ]);
    expect(answer.usage).toMatchObject({ input: { total: 25 }, output: { total: 15 } });
  });

  it("counts cached tokens once, though two events name them (G020)", async () => {
    const usage = { input_tokens: 9, cache_read_input_tokens: 1 };
    const { answer } = await heard("anthropic-messages", [
      messageStart(usage),
      ...textBlock(0, "hi"),
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { ...usage, output_tokens: 2 } },
      { type: "message_stop" },
    ]);
    expect(answer.usage?.input).toMatchObject({ total: 10, uncached: 9, cacheRead: 1 });
  });
});

describe("an error in the middle", () => {
  const broken = [
    messageStart({ input_tokens: 1 }),
    toolStart(0, "toolu_1"),
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"path":"/et' } },
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  ];

  it("fails the stream like a 529, and hands no half call on as finished (G026)", async () => {
    const { failure, ended } = await heard("anthropic-messages", broken);
    expect(failure?.class).toBe("capacity_shed");
    expect(ended).toBe(false);
    const chunks = await told(openaiChatIngress, "anthropic-messages", broken);
    expect(chunks.flatMap(({ choices = [] }) => choices.map((choice: Json) => choice.finish_reason))).not.toContain(
      "tool_calls",
    );
    expect(chunks.at(-1)).toMatchObject({ error: { failure_class: "capacity_shed" } });
    const events = await told(openaiResponsesIngress, "anthropic-messages", broken);
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed" } });
  });

  it("inside a 200 of the Responses API counts as what it is: server trouble or the caller's mistake (G033)", () => {
    const failed = (code: string) => {
      const body = { id: "r", object: "response", status: "failed", output: [], error: { code, message: "x" } };
      const decoded = upstreamDialect("openai-responses").decodeAnswer(body, { ...TARGET, provider: "openai" });
      return decoded.ok ? "answered" : decoded.error.class;
    };
    expect(failed("server_error")).toBe("server_error");
    expect(failed("rate_limit_exceeded")).toBe("capacity_shed");
    expect(failed("invalid_prompt")).not.toBe("server_error");
    expect(failed("invalid_image")).toBe("bad_request");
  });
});

describe("tool calls of an answer", () => {
  it("of Gemini, one to an event, are numbered over the whole stream (G036)", async () => {
    const call = (name: string, finishReason?: string) => ({
      candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] }, index: 0, finishReason }],
    });
    const chunks = await told(openaiChatIngress, "gemini", [call("a"), call("b"), call("c", "STOP")]);
    const starts = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []).filter(({ id }: Json) => id);
    expect(starts.map(({ index, function: { name } }: Json) => [index, name])).toEqual([
      [0, "a"],
      [1, "b"],
      [2, "c"],
    ]);
    expect(new Set(starts.map(({ id }: Json) => id)).size).toBe(3);
  });

  it("of Anthropic are numbered from 0, whatever blocks stand before them (G041)", async () => {
    const chunks = await told(openaiChatIngress, "anthropic-messages", [
      messageStart({ input_tokens: 1 }),
      ...textBlock(0, "Let me look."),
      toolStart(1, "toolu_1"),
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ]);
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(pieces.map(({ index }: Json) => index)).toEqual([0, 0]);
    // A call without arguments has an empty object of them, which clients can parse.
    expect(pieces.map(({ function: { arguments: text } }: Json) => text).join("")).toBe("{}");
  });

  it("stay calls beside a JSON schema: the schema goes its own way, no helper tool stands in for it (G043)", () => {
    const tools = ["a", "b"].map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } }));
    const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const { wire } = fromChat(
      chat([{ role: "user", content: "x" }], {
        tools,
        response_format: { type: "json_schema", json_schema: { name: "out", schema, strict: true } },
      }),
      "anthropic-messages",
    );
    expect(wire.tools.map(({ name }: Json) => name)).toEqual(["a", "b"]);
    expect(wire.output_config.format.type).toBe("json_schema");
  });
});

const calls = (...names: string[]) =>
  names.map((name) => ({ id: `call_${name}`, type: "function", function: { name, arguments: "{}" } }));

describe("results of tool calls", () => {
  const parallel = chat([
    { role: "user", content: "x" },
    { role: "assistant", content: null, tool_calls: calls("a", "b") },
    { role: "tool", tool_call_id: "call_a", content: "1" },
    { role: "tool", tool_call_id: "call_b", content: "2" },
  ]);

  it("answer a parallel call in one user turn, in order (G046)", () => {
    const { messages } = fromChat(parallel, "anthropic-messages").wire;
    expect(messages.map(({ role }: Json) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[2].content.map(({ tool_use_id }: Json) => tool_use_id)).toEqual(["call_a", "call_b"]);
    expect(fromChat(parallel, "gemini").wire.contents[2].parts).toHaveLength(2);
  });

  it("of an Anthropic client stand right behind their calls, text after them (G047)", () => {
    const use = (name: string) => ({ type: "tool_use", id: name, name, input: {} });
    const result = (name: string) => ({ type: "tool_result", tool_use_id: name, content: name });
    const body = {
      model: "m",
      max_tokens: 9,
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: [use("A"), use("B")] },
        { role: "user", content: [result("A"), { type: "text", text: "by the way" }] },
        { role: "user", content: [result("B")] },
      ],
    };
    const { messages } = sent(anthropicMessagesIngress, body, "openai-chat").wire;
    expect(messages.slice(1).map(({ role, tool_call_id }: Json) => tool_call_id ?? role)).toEqual([
      "assistant",
      "A",
      "B",
      "user",
    ]);
  });
});

describe("what must come back as it was", () => {
  it("Gemini's thought signature, through the OpenAI shape (G048)", () => {
    const parts = [{ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }];
    const answer = upstreamDialect("gemini").decodeAnswer(
      { candidates: [{ content: { parts }, finishReason: "STOP" }] },
      TARGET,
    );
    if (!answer.ok) throw new Error(answer.error.message);
    const [choice] = (openaiChatIngress.encodeAnswer(answer.value, SERVED) as Json).choices;
    const [call] = choice.message.tool_calls;
    const again = chat([
      { role: "user", content: "x" },
      choice.message,
      { role: "tool", tool_call_id: call.id, content: "ok" },
    ]);
    const { wire, dropped } = fromChat(again, "gemini", "gemini-3-pro");
    expect(wire.contents[1].parts).toEqual(parts);
    expect(dropped).toEqual([]);
  });

  it("or, where the client lost it, the word by which Gemini 3 lets the call pass, and a report", () => {
    const lost = chat([
      { role: "user", content: "x" },
      { role: "assistant", content: null, tool_calls: calls("a", "b") },
      { role: "tool", tool_call_id: "call_a", content: "1" },
      { role: "tool", tool_call_id: "call_b", content: "2" },
    ]);
    const { wire, dropped } = fromChat(lost, "gemini", "gemini-3-pro");
    const signatures = wire.contents[1].parts.map(({ thoughtSignature }: Json) => thoughtSignature);
    expect(signatures).toEqual(["skip_thought_signature_validator", undefined]);
    expect(dropped.map(({ field }) => field)).toEqual(["messages[].tool_calls[].thought_signature"]);
  });

  it("Anthropic's signed thinking, through the OpenAI shape, whole and streamed", async () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
    const use = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
    const body = { id: "msg", content: [thinking, use], stop_reason: "tool_use", usage: {} };
    const answer = upstreamDialect("anthropic-messages").decodeAnswer(body, TARGET);
    if (!answer.ok) throw new Error(answer.error.message);
    const whole = (openaiChatIngress.encodeAnswer(answer.value, SERVED) as Json).choices[0].message;
    const chunks = await told(openaiChatIngress, "anthropic-messages", [
      messageStart({ input_tokens: 1 }),
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
      { type: "content_block_stop", index: 0 },
      ...stop,
    ]);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: Json) => delta));
    const streamed = {
      role: "assistant",
      reasoning_content: deltas.map(({ reasoning_content = "" }: Json) => reasoning_content).join(""),
      reasoning_details: deltas.flatMap(({ reasoning_details = [] }: Json) => reasoning_details),
      tool_calls: whole.tool_calls,
    };
    for (const message of [whole, streamed]) {
      const again = chat(
        [{ role: "user", content: "x" }, message, { role: "tool", tool_call_id: "toolu_1", content: "ok" }],
        {
          reasoning_effort: "low",
          max_tokens: 4_000,
        },
      );
      const { wire } = fromChat(again, "anthropic-messages");
      expect(wire.messages[1].content).toEqual([thinking, use]);
      expect(wire.thinking).toEqual({ type: "enabled", budget_tokens: 2_048 });
    }
  });

  it.each(["openai-responses", "anthropic-messages", "gemini"] as const)(
    "integers above 2^53 in arguments, to and from %s (G049)",
    (dialect) => {
      const call = { id: "call_a", type: "function", function: { name: "a", arguments: BIG } };
      const body = chat([
        { role: "user", content: "x" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_a", content: BIG },
      ]);
      const text = JSON.stringify(fromChat(body, dialect).body);
      expect(text.match(/2512292042121000001/g)).toHaveLength(2);

      const answers: Record<typeof dialect, string> = {
        "openai-responses": `{"output":[{"type":"function_call","call_id":"c","name":"a","arguments":${JSON.stringify(BIG)}}]}`,
        "anthropic-messages": `{"content":[{"type":"tool_use","id":"c","name":"a","input":${BIG}}],"stop_reason":"tool_use"}`,
        gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":${BIG}}}]},"finishReason":"STOP"}]}`,
      };
      const answer = upstreamDialect(dialect).decodeAnswer(parseExact(answers[dialect]), TARGET);
      if (!answer.ok) throw new Error(answer.error.message);
      const part = answer.value.choices[0]?.content.find((one): one is ToolCallPart => one.type === "tool-call");
      expect(part?.arguments).toBe(BIG);
      expect(
        JSON.stringify(anthropicMessagesIngress.encodeAnswer({ ...answer.value, native: undefined }, SERVED)),
      ).toContain(`"input":${BIG}`);
    },
  );

  it("integers above 2^53 in a streamed call of Gemini", async () => {
    const text = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":${BIG}}}]},"finishReason":"STOP"}]}\n\n`;
    const { answer } = await decodeStream(bytesOf(text), upstreamDialect("gemini").streamDecoder(TARGET));
    expect(answer.choices[0]?.content[0]).toMatchObject({ arguments: BIG });
  });
});

describe("an assistant turn without text", () => {
  it.each(["", null, undefined])("of content %j sends no empty text block (G054, G055)", (content) => {
    const body = chat([
      { role: "user", content: "x" },
      { role: "assistant", content, tool_calls: calls("a") },
      { role: "tool", tool_call_id: "call_a", content: "1" },
    ]);
    expect(fromChat(body, "anthropic-messages").wire.messages[1].content.map(({ type }: Json) => type)).toEqual([
      "tool_use",
    ]);
    expect(fromChat(body, "gemini").wire.contents[1].parts).toMatchObject([{ functionCall: { name: "a" } }]);
    expect(fromChat(body, "openai-responses").wire.input.map(({ type, role }: Json) => type ?? role)).toEqual([
      "user",
      "function_call",
      "function_call_output",
    ]);
  });
});

describe("images", () => {
  const picture = (url: string) => chat([{ role: "user", content: [{ type: "image_url", image_url: { url } }] }]);
  const JPEG = "/9j/4AAQSkZJRg==";

  it("labelled PNG with JPEG bytes go out as what they are (G056)", () => {
    const body = picture(`data:image/png;base64,${JPEG}`);
    expect(fromChat(body, "anthropic-messages").wire.messages[0].content[0].source.media_type).toBe("image/jpeg");
    expect(fromChat(body, "gemini").wire.contents[0].parts[0].inlineData.mimeType).toBe("image/jpeg");
    expect(fromChat(body, "openai-responses").wire.input[0].content[0].image_url).toBe(
      `data:image/jpeg;base64,${JPEG}`,
    );
  });

  it("at an address reach every dialect as an address (G057)", () => {
    const url = "https://pictures.example/a.png";
    const body = picture(url);
    expect(fromChat(body, "gemini").wire.contents[0].parts[0].fileData).toEqual({
      fileUri: url,
      mimeType: "image/png",
    });
    expect(fromChat(body, "anthropic-messages").wire.messages[0].content[0].source).toEqual({ type: "url", url });
    expect(fromChat(body, "openai-responses").wire.input[0].content[0].image_url).toBe(url);
  });

  it("with a blank in their data URL lose the blank (G058)", () => {
    const body = picture(`data:image/jpeg;base64, ${JPEG}`);
    expect(fromChat(body, "gemini").wire.contents[0].parts[0].inlineData.data).toBe(JPEG);
    const input = [{ role: "user", content: [{ type: "input_image", image_url: `data:image/jpeg;base64, ${JPEG}` }] }];
    expect(
      sent(openaiResponsesIngress, { model: "m", input }, "gemini").wire.contents[0].parts[0].inlineData.data,
    ).toBe(JPEG);
  });
});

describe("schemas for Gemini", () => {
  it("of tools go where Gemini takes all of JSON Schema, and its 400 stays a 400 (G059)", () => {
    const parameters = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: false,
      examples: [{ a: "x" }],
    };
    const tools = [{ type: "function", function: { name: "f", parameters } }];
    const { wire } = fromChat(chat([{ role: "user", content: "x" }], { tools }), "gemini");
    expect(wire.tools[0].functionDeclarations[0]).toEqual({ name: "f", parametersJsonSchema: parameters });
    const refused = { error: { code: 400, message: "Invalid JSON payload", status: "INVALID_ARGUMENT" } };
    expect(judged({ provider: "gemini", status: 400, body: refused })).toMatchObject({
      class: "bad_request",
      status: 400,
    });
  });

  it("of answers come without references; recursive ones are refused with the reason (G061)", () => {
    const answerBy = (schema: Json) =>
      chat([{ role: "user", content: "x" }], {
        response_format: { type: "json_schema", json_schema: { name: "out", schema, strict: true } },
      });
    const pair = {
      type: "object",
      properties: { a: { $ref: "#/$defs/word" } },
      required: ["a"],
      additionalProperties: false,
      $defs: { word: { type: "string", description: "a word" } },
    };
    const { responseSchema } = fromChat(answerBy(pair), "gemini").wire.generationConfig;
    expect(responseSchema.properties.a).toMatchObject({ type: "string", description: "a word" });
    expect(JSON.stringify(responseSchema)).not.toMatch(/\$ref|\$defs/);
    const tree = { ...pair, properties: { a: { $ref: "#" } }, $defs: {} };
    const decoded = openaiChatIngress.decodeRequest(answerBy(tree));
    if (!decoded.ok) throw new Error(decoded.error.message);
    const encoded = upstreamDialect("gemini").encodeRequest(decoded.value.request, TARGET);
    expect(encoded).toMatchObject({ ok: false, error: { class: "bad_request", reason: "schema_too_complex" } });
  });
});
