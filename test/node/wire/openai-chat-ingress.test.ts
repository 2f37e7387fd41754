/** Our own `/v1/chat/completions`: what it takes, what it refuses and how, and what it answers. */
import { describe, expect, it } from "vitest";
import type { ChatAnswer, ChatRequest } from "../../../src/wire/chat.ts";
import type { ServedContext, WireTarget } from "../../../src/wire/dialect.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { decodeAnswer } from "../../../src/wire/openai-chat/response.ts";
import { skipWithoutCorpus } from "../../support/wire/corpus.ts";
import { wireExchanges } from "../../support/wire/wire-exchanges.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies are compared as the client's JSON
type Json = any;

const HELLO = { model: "m", messages: [{ role: "user", content: "hi" }] };
const SERVED: ServedContext = { id: "inf_1", model: "served-model", created: 1_700_000_000, includeUsage: false };
const TARGET: WireTarget = { provider: "openai", model: "m", quirks: {} };

function request(rest: object): ChatRequest {
  const decoded = openaiChatIngress.decodeRequest({ ...HELLO, ...rest });
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value.request;
}

const messages = (...list: readonly object[]) => request({ messages: list }).messages;
const userParts = (...content: readonly object[]) => messages({ role: "user", content })[0]?.content;

describe("a request", () => {
  it("becomes neutral, field by field", () => {
    expect(
      request({
        max_tokens: 5,
        max_completion_tokens: 6,
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        stop: "END",
        seed: 3,
        n: 2,
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        logprobs: true,
        top_logprobs: 2,
        logit_bias: { "50256": -100 },
        service_tier: "flex",
        user: "u",
        metadata: { a: "b" },
        stream: true,
        stream_options: { include_usage: true },
        parallel_tool_calls: false,
        reasoning_effort: "high",
        tool_choice: { type: "function", function: { name: "f" } },
        tools: [
          { type: "function", function: { name: "f", description: "d", parameters: { type: "object" }, strict: true } },
        ],
        response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, strict: true } },
      }),
    ).toMatchObject({
      maxOutputTokens: 6,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      stop: ["END"],
      seed: 3,
      choices: 2,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      logprobs: true,
      topLogprobs: 2,
      logitBias: { "50256": -100 },
      serviceTier: "flex",
      user: "u",
      metadata: { a: "b" },
      stream: true,
      includeUsage: true,
      parallelToolCalls: false,
      reasoning: { effort: "high" },
      toolChoice: { name: "f" },
      tools: [{ type: "function", name: "f", description: "d", parameters: { type: "object" }, strict: true }],
      responseFormat: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true },
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    });
  });

  it("takes null for not given, everywhere", () => {
    const nothing = Object.fromEntries(
      [
        "max_tokens",
        "temperature",
        "stop",
        "tools",
        "tool_choice",
        "response_format",
        "stream",
        "stream_options",
        "seed",
        "user",
        "logit_bias",
        "reasoning_effort",
      ].map((key) => [key, null]),
    );
    expect(request(nothing)).toMatchObject({
      stream: false,
      includeUsage: false,
      tools: undefined,
      responseFormat: undefined,
    });
  });

  it("holds messages of every role, and tells which function a result answers", () => {
    expect(
      messages(
        { role: "system", content: "S" },
        { role: "developer", content: [{ type: "text", text: "D" }] },
        { role: "user", content: "U", name: "ann" },
        {
          role: "assistant",
          content: "A",
          refusal: "R",
          reasoning_content: "T",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        {
          role: "tool",
          tool_call_id: "c",
          content: [
            { type: "text", text: "1" },
            { type: "image_url", image_url: { url: "https://x/y.png" } },
          ],
        },
        { role: "assistant", content: null, function_call: { name: "g", arguments: "{}" } },
        { role: "function", name: "g", content: "2" },
      ),
    ).toEqual([
      { role: "system", content: [{ type: "text", text: "S" }] },
      { role: "developer", content: [{ type: "text", text: "D" }] },
      { role: "user", content: [{ type: "text", text: "U" }], name: "ann" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "T" },
          { type: "text", text: "A" },
          { type: "refusal", text: "R" },
          { type: "tool-call", id: "c", name: "f", arguments: "{}", signature: undefined },
        ],
        name: undefined,
      },
      {
        role: "tool",
        toolCallId: "c",
        toolName: "f",
        content: [
          { type: "text", text: "1" },
          { type: "image", source: { url: "https://x/y.png" } },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "tool-call", id: "call_function_5", name: "g", arguments: "{}", signature: undefined }],
        name: undefined,
      },
      { role: "tool", toolCallId: "call_function_5", toolName: "g", content: [{ type: "text", text: "2" }] },
    ]);
  });

  it("G054 G055: assistant content null, missing or empty holds no text", () => {
    const calls = { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "" } }] };
    for (const content of [null, undefined, ""]) {
      expect(messages({ role: "assistant", content, ...calls })[0]?.content).toMatchObject([
        { type: "tool-call", arguments: "{}" },
      ]);
    }
  });

  it("G056 G058: image data is labelled by its bytes and freed of blanks", () => {
    const parts = userParts({ type: "image_url", image_url: { url: "data:image/png;base64, /9j/4AAQ\n SkZJRg==" } });
    expect(parts).toEqual([{ type: "image", source: { data: "/9j/4AAQSkZJRg==", mediaType: "image/jpeg" } }]);
  });

  it("reads files, audio, cache marks, and keeps parts of kinds it does not know", () => {
    expect(
      userParts(
        { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
        { type: "file", file: { file_id: "file-1" } },
        { type: "input_audio", input_audio: { data: "AA", format: "mp3" } },
        { type: "text", text: "t", cache_control: { type: "ephemeral", ttl: "1h" } },
        { type: "image_url", image_url: "https://x/y.png" },
        { type: "video_url", video_url: { url: "https://x/v" } },
      ),
    ).toMatchObject([
      { type: "file", source: { data: "JVBERi0=", mediaType: "application/pdf" }, filename: "a.pdf" },
      { type: "file", fileId: "file-1" },
      { type: "audio", source: { data: "AA", mediaType: "audio/mpeg" }, format: "mp3" },
      { type: "text", text: "t", cache: { ttl: "1h" } },
      { type: "image", source: { url: "https://x/y.png" } },
      { type: "native", dialect: "openai-chat", value: { type: "video_url" } },
    ]);
  });

  it("G048: a thought signature in extra_content is part of its call", () => {
    const call = {
      id: "c",
      type: "function",
      function: { name: "f", arguments: "{}" },
      extra_content: { google: { thought_signature: "sig" } },
    };
    expect(messages({ role: "assistant", content: null, tool_calls: [call] })[0]?.content).toMatchObject([
      { signature: "sig" },
    ]);
  });

  const image = (url: unknown) => [
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url } },
      ],
    },
  ];
  const bad: readonly [param: string, rest: object][] = [
    ["model", { model: "" }],
    ["model", { model: 5 }],
    ["messages", { messages: [] }],
    ["messages", { messages: "hi" }],
    ["messages[1]", { messages: [{ role: "user", content: "a" }, "b"] }],
    ["messages[0].role", { messages: [{ role: "bot", content: "a" }] }],
    ["messages[0].content", { messages: [{ role: "user", content: 5 }] }],
    ["messages[0].content", { messages: [{ role: "user" }] }],
    [
      "messages[0].content[0].type",
      { messages: [{ role: "system", content: [{ type: "image_url", image_url: { url: "https://x" } }] }] },
    ],
    ["messages[0].content[0].text", { messages: [{ role: "user", content: [{ type: "text" }] }] }],
    ["messages[0].content[1].image_url.url", { messages: image("ftp://x/y.png") }],
    ["messages[0].content[1].image_url.url", { messages: image("data:image/png,AAAA") }],
    ["messages[0].content[1].image_url.url", { messages: image("") }],
    ["messages[0].content[0].file", { messages: [{ role: "user", content: [{ type: "file", file: {} }] }] }],
    [
      "messages[0].content[0].input_audio.format",
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "A" } }] }] },
    ],
    [
      "messages[0].content[0].cache_control.ttl",
      { messages: [{ role: "user", content: [{ type: "text", text: "a", cache_control: { ttl: "2h" } }] }] },
    ],
    [
      "messages[0].tool_calls[0].id",
      { messages: [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: "" } }] }] },
    ],
    ["messages[0].tool_calls[0].function", { messages: [{ role: "assistant", tool_calls: [{ id: "a" }] }] }],
    ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "x" }] }],
    ["messages[0]", { messages: [{ role: "function", name: "f", content: "x" }] }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_completion_tokens", { max_completion_tokens: 1.5 }],
    ["temperature", { temperature: "hot" }],
    ["n", { n: 0 }],
    ["n", { n: 1000 }],
    ["stop[1]", { stop: ["a", 1] }],
    ["stream", { stream: "yes" }],
    ["stream_options.include_usage", { stream_options: { include_usage: 1 } }],
    ["logit_bias.50256", { logit_bias: { "50256": "low" } }],
    ["tools", { tools: {} }],
    ["tools[0].type", { tools: [{}] }],
    ["tools[0].function.name", { tools: [{ type: "function", function: {} }] }],
    ["tools[0].function.parameters", { tools: [{ type: "function", function: { name: "f", parameters: "x" } }] }],
    ["tool_choice", { tool_choice: "maybe" }],
    ["tool_choice.function", { tool_choice: { type: "function" } }],
    ["response_format.type", { response_format: { type: "xml" } }],
    ["response_format.json_schema", { response_format: { type: "json_schema" } }],
    ["response_format.json_schema.schema", { response_format: { type: "json_schema", json_schema: { name: "n" } } }],
    ["response_format.json_schema.name", { response_format: { type: "json_schema", json_schema: { schema: {} } } }],
    ["reasoning.max_tokens", { reasoning: { max_tokens: -1 } }],
    ["metadata", { metadata: "x" }],
  ];
  it.each(bad)("names %s as the fault of %j", (param, rest) => {
    const decoded = openaiChatIngress.decodeRequest({ ...HELLO, ...rest });
    expect(decoded).toMatchObject({ ok: false, error: { class: "bad_request", param } });
  });

  it("never repeats the client's content in a complaint", () => {
    const secret = "my secret prompt";
    const decoded = openaiChatIngress.decodeRequest({ ...HELLO, messages: image(secret), temperature: secret });
    expect(decoded.ok).toBe(false);
    expect(JSON.stringify(decoded)).not.toContain(secret);
  });
});

describe("an answer", () => {
  const native = (body: Json): ChatAnswer => {
    const decoded = decodeAnswer(body, TARGET);
    if (!decoded.ok) throw new Error(decoded.error.message);
    return decoded.value;
  };
  const encode = (answer: ChatAnswer): Json => openaiChatIngress.encodeAnswer(answer, SERVED);
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

  it("of the same dialect keeps every field, under our id and the model that served (S16)", () => {
    const body = {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 5,
      model: "route-alias",
      provider: "P",
      system_fingerprint: "fp",
      service_tier: "flex",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "hi", refusal: null, annotations: [{ a: 1 }] },
          logprobs: { content: [] },
          finish_reason: "stop",
          native_finish_reason: "end_turn",
        },
      ],
      usage: { ...usage, cost: 0.1 },
    };
    expect(encode(native(body))).toEqual({
      ...body,
      id: "inf_1",
      created: SERVED.created,
      model: "served-model",
      usage: { ...usage, cost: 0.1, prompt_tokens_details: {}, completion_tokens_details: {} },
    });
  });

  it("is put right where the provider departs from OpenAI's shape", () => {
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "4" },
    ];
    const call = { function: { name: "f", arguments: { a: 1 } } };
    const { choices } = encode(
      native({ id: "x", choices: [{ message: { content: parts, tool_calls: [call] }, finish_reason: "stop" }], usage }),
    );
    expect(choices[0]).toEqual({
      index: 0,
      message: {
        role: "assistant",
        content: "4",
        refusal: null,
        reasoning_content: "hm",
        tool_calls: [{ id: "call_x_0_0", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
      logprobs: null,
      finish_reason: "tool_calls",
    });
  });

  it("of another dialect is built whole", () => {
    const answer: ChatAnswer = {
      choices: [
        {
          index: 0,
          content: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "a" },
            { type: "tool-call", id: "c", name: "f", arguments: '{"n":2512292042121000001}', signature: "sig" },
          ],
          finish: { unified: "tool-calls", raw: "tool_use" },
        },
        { index: 1, content: [{ type: "refusal", text: "no" }], finish: { unified: "content-filter", raw: "refusal" } },
      ],
      usage: { input: { total: 7, cacheRead: 2 }, output: { total: 3, reasoning: 1 }, estimated: false, raw: {} },
      servedTier: "standard",
      native: { dialect: "anthropic-messages", body: { secret: 1 } },
    };
    expect(encode(answer)).toEqual({
      id: "inf_1",
      object: "chat.completion",
      created: SERVED.created,
      model: "served-model",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "a",
            refusal: null,
            reasoning_content: "hm",
            tool_calls: [
              {
                id: "c",
                type: "function",
                function: { name: "f", arguments: '{"n":2512292042121000001}' },
                extra_content: { google: { thought_signature: "sig" } },
              },
            ],
          },
          logprobs: null,
          finish_reason: "tool_calls",
        },
        {
          index: 1,
          message: { role: "assistant", content: null, refusal: "no" },
          logprobs: null,
          finish_reason: "content_filter",
        },
      ],
      usage: {
        ...usage,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
      service_tier: "default",
    });
  });

  it.each([
    ["an error object (G033)", { error: { message: "busy", code: "server_is_overloaded" } }, "capacity_shed"],
    [
      "an error in its choice",
      { choices: [{ error: { code: 502, message: "x" }, finish_reason: "error", message: {} }] },
      "server_error",
    ],
    [
      "a finish reason of the provider's own trouble",
      { choices: [{ message: { content: "" }, finish_reason: "insufficient_system_resource" }] },
      "server_error",
    ],
    ["no choices at all", { id: "x", object: "list" }, "network"],
    ["nothing", null, "network"],
    ["a list", [], "network"],
    ["choices that are no objects", { choices: ["x"] }, "network"],
  ])("with %s inside HTTP 200 is a failure", (_what, body, failureClass) => {
    expect(decodeAnswer(body, TARGET)).toMatchObject({ ok: false, error: { class: failureClass } });
  });

  const recorded = wireExchanges("chat.completions").filter(
    ({ response }) => response.status === 200 && !response.stream,
  );
  it
    .skipIf(skipWithoutCorpus("recorded answers served again", 34))
    .each(recorded.map(({ key, response }) => [key, response.text] as const))(
    "%s loses nothing on its way to the client",
    (_key, text) => {
      const body: Json = JSON.parse(text);
      const sent = encode(native(body));
      expect(sent).toMatchObject({
        ...body,
        id: "inf_1",
        created: SERVED.created,
        model: "served-model",
        object: "chat.completion",
        ...(body.service_tier === "on_demand" && { service_tier: "default" }),
        usage: expect.anything(),
        choices: expect.anything(),
      });
      expect(sent.choices).toHaveLength(body.choices.length);
      for (const [index, choice] of body.choices.entries()) {
        const { content, tool_calls, ...message } = choice.message ?? {};
        expect(sent.choices[index].message).toMatchObject(message);
        if (typeof content === "string") expect(sent.choices[index].message.content).toBe(content);
        expect(sent.choices[index].message.tool_calls?.map((call: Json) => call.function)).toEqual(
          tool_calls?.map((call: Json) => call.function),
        );
      }
    },
  );
});
