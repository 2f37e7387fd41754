/** What is sent to an OpenAI-compatible upstream: the client's own request where it spoke this dialect, else a built one. */
import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../../src/wire/chat.ts";
import type { EncodedRequest, Quirks, WireTarget } from "../../../src/wire/dialect.ts";
import { openaiChat, openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { skipWithoutCorpus } from "../../support/wire/corpus.ts";
import { wireExchanges } from "../../support/wire/wire-exchanges.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies are compared as the upstream's JSON
type Json = any;

const target = (quirks: Quirks = {}, model = "m-1"): WireTarget => ({ provider: "acme", model, quirks });

function decode(body: Json): ChatRequest {
  const decoded = openaiChatIngress.decodeRequest(body);
  if (!decoded.ok) throw new Error(`${decoded.error.param}: ${decoded.error.message}`);
  return decoded.value.request;
}

function encode(request: ChatRequest, to: WireTarget = target()): EncodedRequest & { readonly body: Json } {
  const encoded = openaiChat.encodeRequest(request, to);
  if (!encoded.ok) throw new Error(encoded.error.message);
  return encoded.value;
}

const through = (body: Json, to?: WireTarget) => encode(decode(body), to);
const HELLO = { model: "route", messages: [{ role: "user", content: "hi" }] };
const neutral = (rest: Partial<ChatRequest>): ChatRequest => ({
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  stream: false,
  includeUsage: false,
  ...rest,
});

describe("a client's own body", () => {
  it("arrives with the candidate's model and every unknown field, at every depth", () => {
    const body = {
      model: "route",
      store: true,
      provider: { order: ["a"], x: { y: 1 } },
      prompt_cache_key: "k",
      messages: [
        { role: "system", content: [{ type: "text", text: "S", cache_control: { type: "ephemeral" } }], name: "sys" },
        { role: "user", content: [{ type: "image_url", image_url: { url: "https://x/y.png", detail: "low", z: 1 } }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "c",
              type: "function",
              function: { name: "f", arguments: "{ }" },
              extra_content: { google: { thought_signature: "s" } },
            },
          ],
          reasoning_details: [{ type: "reasoning.text", text: "t" }],
        },
        { role: "tool", tool_call_id: "c", content: "", cached: true },
        { role: "user", content: [{ type: "video_url", video_url: { url: "https://x/v.mp4" } }] },
      ],
      tools: [
        {
          type: "function",
          function: { name: "f", parameters: { type: "object", "x-order": 1 }, note: "n" },
          weight: 2,
        },
        { type: "web_search", size: "low" },
      ],
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto" } },
      response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, hint: "h" } },
    };
    const { body: sent, dropped } = through(body);
    expect(sent).toEqual({ ...body, model: "m-1" });
    expect(dropped).toEqual([]);
  });

  it("is never changed in place", () => {
    const body = { ...HELLO, messages: [{ role: "system", content: "S" }], stream: true, store: true };
    const before = structuredClone(body);
    const request = decode(body);
    encode(
      { ...request, instructions: "more", stream: true },
      target({ omit: ["store"], developerRole: true, reasoningModels: "." }),
    );
    expect(body).toEqual(before);
  });

  it("asks for usage in every stream and keeps further stream options (G016)", () => {
    const { body, headers } = through({ ...HELLO, stream: true, stream_options: { include_obfuscation: false } });
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true, include_obfuscation: false } });
    expect(headers).toEqual({ accept: "text/event-stream" });
  });

  it("leaves stream_options out where the upstream refuses them (G017)", () => {
    const { body } = through(
      { ...HELLO, stream: true, stream_options: { include_usage: true } },
      target({ noStreamOptions: true }),
    );
    expect(body).not.toHaveProperty("stream_options");
    expect(body.stream).toBe(true);
  });

  it("canonical fields win over it", () => {
    const request = decode({
      ...HELLO,
      temperature: 0.1,
      max_tokens: 5,
      response_format: { type: "json_object" },
      stop: "x",
    });
    const { body } = encode({
      ...request,
      temperature: 0.9,
      maxOutputTokens: 7,
      responseFormat: undefined,
      stop: undefined,
    });
    expect(body).toEqual({ model: "m-1", messages: HELLO.messages, temperature: 0.9, max_tokens: 7 });
  });

  it("a changed message is sent as changed; its unmapped fields are reported", () => {
    const request = decode({ ...HELLO, messages: [...HELLO.messages, { role: "user", content: "long", note: 1 }] });
    const shortened = request.messages.map((message, index) =>
      index === 1 && message.role === "user"
        ? { ...message, content: [{ type: "text" as const, text: "short" }] }
        : message,
    );
    const { body, dropped } = encode({ ...request, messages: shortened });
    expect(body.messages).toEqual([HELLO.messages[0], { role: "user", content: "short" }]);
    expect(dropped.map(({ field }) => field)).toEqual(["messages[].note"]);
  });

  it("the form before tools goes out in that form", () => {
    const functions = [{ name: "f", parameters: { type: "object" } }];
    const messages = [
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "r" },
    ];
    const { body } = through({ model: "r", messages, functions, function_call: { name: "f" } });
    expect(body).toEqual({ model: "m-1", messages, functions, function_call: { name: "f" } });
  });

  it("for another dialect's upstream its unmapped fields are named, so that they can be reported", () => {
    const { unmapped } = decode({
      ...HELLO,
      store: true,
      stream_options: { include_obfuscation: true },
      messages: [
        { role: "system", content: "S", name: "n" },
        { role: "user", content: [{ type: "text", text: "t", w: 1 }] },
      ],
      tools: [{ type: "function", function: { name: "f", w: 1 } }],
      reasoning_effort: "ultra",
    });
    expect(unmapped?.toSorted()).toEqual(
      [
        "store",
        "stream_options.include_obfuscation",
        "messages[].name",
        "messages[].content[].w",
        "tools[].function.w",
        "reasoning_effort",
      ].toSorted(),
    );
    expect(encode({ ...decode({ ...HELLO, store: true }), native: undefined }).dropped).toEqual([
      { field: "store", why: "belongs to another dialect" },
    ]);
  });

  it("an effort word of the provider's own is left to it", () => {
    expect(through({ ...HELLO, reasoning_effort: "default" }).body.reasoning_effort).toBe("default");
    expect(through({ ...HELLO, reasoning: { effort: "high", exclude: true } }).body.reasoning).toEqual({
      effort: "high",
      exclude: true,
    });
  });
});

describe("instructions of a coached rung", () => {
  it("are appended to system text, whatever its form, or become it", () => {
    const coach = (messages: Json) =>
      encode({ ...decode({ model: "r", messages }), instructions: "JSON!" }).body.messages;
    const user = { role: "user", content: "hi" };
    expect(coach([user])).toEqual([{ role: "system", content: "JSON!" }, user]);
    expect(coach([{ role: "system", content: "S", x: 1 }, user])).toEqual([
      { role: "system", content: "S\n\nJSON!", x: 1 },
      user,
    ]);
    expect(coach([{ role: "system", content: [{ type: "text", text: "S" }] }, user])[0].content).toEqual([
      { type: "text", text: "S" },
      { type: "text", text: "JSON!" },
    ]);
  });

  it("take the developer role on OpenAI's reasoning models, and system elsewhere", () => {
    const quirks = { developerRole: true, reasoningModels: "^o\\d" };
    const body = {
      model: "r",
      messages: [
        { role: "developer", content: "D" },
        { role: "user", content: "hi" },
      ],
    };
    expect(through(body, target(quirks, "o3")).body.messages[0].role).toBe("developer");
    expect(through(body, target(quirks, "gpt-4o")).body.messages[0].role).toBe("developer");
    expect(through(body, target({}, "llama")).body.messages[0].role).toBe("system");
    expect(encode(neutral({ instructions: "x" }), target(quirks, "o3")).body.messages[0].role).toBe("developer");
  });
});

describe("quirks of an upstream", () => {
  it("G018: refused fields are left out and reported, others renamed", () => {
    const { body, dropped } = through(
      { ...HELLO, store: false, max_completion_tokens: 8192, seed: 7 },
      target({ omit: ["store"], rename: { max_completion_tokens: "max_tokens", seed: "random_seed" } }),
    );
    expect(body).toEqual({ model: "m-1", messages: HELLO.messages, max_tokens: 8192, random_seed: 7 });
    expect(dropped).toEqual([{ field: "store", why: "acme refuses it" }]);
  });

  it("a field that makes the answer what it is, is refused instead of left out", () => {
    for (const [field, body] of [
      ["tools", { ...HELLO, tools: [{ type: "function", function: { name: "f" } }] }],
      ["response_format", { ...HELLO, response_format: { type: "json_object" } }],
      ["n", { ...HELLO, n: 2 }],
    ] as const) {
      const encoded = openaiChat.encodeRequest(decode(body), target({ omit: [field] }));
      expect(encoded).toMatchObject({
        ok: false,
        error: { class: "bad_request", reason: "unsupported_parameter", param: field },
      });
    }
    expect(through({ ...HELLO, n: 1 }, target({ omit: ["n"] }))).toMatchObject({ dropped: [] });
  });

  it("G051 G052: reasoning models get no sampling parameters, unless they are told not to reason", () => {
    const quirks = { reasoningModels: "^gpt-5" };
    const body = { ...HELLO, temperature: 0, top_p: 0.5, max_tokens: 9 };
    const refused = through(body, target(quirks, "gpt-5-nano"));
    expect(refused.body).toEqual({ model: "gpt-5-nano", messages: HELLO.messages, max_tokens: 9 });
    expect(refused.dropped.map(({ field }) => field)).toEqual(["temperature", "top_p"]);
    expect(through({ ...body, reasoning_effort: "none" }, target(quirks, "gpt-5.6")).body).toMatchObject({
      temperature: 0,
      top_p: 0.5,
    });
    expect(through(body, target(quirks, "gpt-4o")).dropped).toEqual([]);
  });

  it("fields of messages can be refused too", () => {
    const messages = [
      { role: "assistant", content: "a", reasoning_content: "r" },
      { role: "user", content: "b" },
    ];
    const { body, dropped } = through({ model: "r", messages }, target({ omit: ["messages[].reasoning_content"] }));
    expect(body.messages[0]).toEqual({ role: "assistant", content: "a" });
    expect(dropped.map(({ field }) => field)).toEqual(["messages[].reasoning_content"]);
  });

  it("extra fields are joined with the client's own", () => {
    const quirks = { extraBody: { a: 1 }, extraBodyWithSchema: { provider: { require_parameters: true } } };
    const format = { type: "json_schema", json_schema: { name: "n", schema: {} } };
    const { body } = through({ ...HELLO, provider: { order: ["x"] }, response_format: format }, target(quirks));
    expect(body).toMatchObject({ a: 1, provider: { order: ["x"], require_parameters: true } });
    expect(through({ ...HELLO, provider: { order: ["x"] } }, target(quirks)).body.provider).toEqual({ order: ["x"] });
  });

  it("a strict schema is fitted to the subset that the upstream enforces", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", minLength: 3 } },
      required: ["a"],
      additionalProperties: false,
    };
    const format = { type: "json_schema", json_schema: { name: "n", schema, strict: true } };
    const fitted = through({ ...HELLO, response_format: format }, target({ schemaSubset: "openai" })).body
      .response_format;
    expect(fitted.json_schema).toMatchObject({
      name: "n",
      strict: true,
      schema: { required: ["a"], additionalProperties: false },
    });
    expect(fitted.json_schema.schema.properties.a).not.toHaveProperty("minLength");
    expect(through({ ...HELLO, response_format: format }).body.response_format).toEqual(format);
  });

  it("a schema outside of the subset is refused, so that the next rung can serve", () => {
    const schema = {
      type: "object",
      properties: { a: { not: { type: "string" } } },
      required: ["a"],
      additionalProperties: false,
    };
    const request = neutral({ responseFormat: { type: "json_schema", name: "n", schema, strict: true } });
    expect(openaiChat.encodeRequest(request, target({ schemaSubset: "openai" }))).toMatchObject({
      ok: false,
      error: { class: "bad_request", reason: "schema_too_complex", param: "response_format" },
    });
  });
});

describe("a request of another dialect", () => {
  it("is built whole: system, images, files, audio, tools, calls, results, format and options", () => {
    const { body, dropped } = encode(
      neutral({
        messages: [
          {
            role: "system",
            content: [
              { type: "text", text: "A" },
              { type: "text", text: "B", cache: { ttl: "1h" } },
            ],
          },
          {
            role: "user",
            name: "ann",
            content: [
              { type: "text", text: "look" },
              { type: "image", source: { data: "AAAA", mediaType: "image/png" }, detail: "high" },
              { type: "image", source: { url: "https://x/y.png" } },
              { type: "file", source: { data: "JVBERi0=", mediaType: "application/pdf" }, filename: "a.pdf" },
              { type: "audio", source: { data: "BBBB", mediaType: "audio/mpeg" } },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "reasoning", text: "hm" },
              { type: "text", text: "calling" },
              { type: "tool-call", id: "c1", name: "f", arguments: '{"n":2512292042121000001}', signature: "sig" },
            ],
          },
          { role: "tool", toolCallId: "c1", content: [{ type: "text", text: "42" }] },
        ],
        tools: [{ type: "function", name: "f", description: "d", parameters: { type: "object" }, strict: false }],
        toolChoice: { name: "f" },
        parallelToolCalls: false,
        responseFormat: { type: "json_schema", name: "out", schema: { type: "object" }, strict: false },
        temperature: 0.5,
        stop: ["END"],
        seed: 3,
        choices: 2,
        reasoning: { effort: "low" },
        user: "u",
      }),
    );
    expect(dropped.map(({ field }) => field)).toEqual(["cache_control"]);
    expect(body).toEqual({
      model: "m-1",
      messages: [
        { role: "system", content: "A\n\nB" },
        {
          role: "user",
          name: "ann",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
            { type: "image_url", image_url: { url: "https://x/y.png" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
            { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
          ],
        },
        {
          role: "assistant",
          content: "calling",
          reasoning_content: "hm",
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "f", arguments: '{"n":2512292042121000001}' },
              extra_content: { google: { thought_signature: "sig" } },
            },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "42" },
      ],
      tools: [
        { type: "function", function: { name: "f", description: "d", parameters: { type: "object" }, strict: false } },
      ],
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
      response_format: { type: "json_schema", json_schema: { name: "out", schema: { type: "object" }, strict: false } },
      temperature: 0.5,
      stop: ["END"],
      seed: 3,
      n: 2,
      reasoning_effort: "low",
      user: "u",
    });
  });

  it("images in tool results follow the tool messages of their turn", () => {
    const image = { type: "image" as const, source: { url: "https://x/y.png" } };
    const { body } = encode(
      neutral({
        messages: [
          {
            role: "assistant",
            content: [
              { type: "tool-call", id: "a", name: "f", arguments: "{}" },
              { type: "tool-call", id: "b", name: "f", arguments: "{}" },
            ],
          },
          { role: "tool", toolCallId: "a", content: [image] },
          { role: "tool", toolCallId: "b", content: [{ type: "text", text: "plain" }] },
          { role: "user", content: [{ type: "text", text: "and?" }] },
        ],
      }),
    );
    expect(body.messages.map((message: Json) => message.role)).toEqual(["assistant", "tool", "tool", "user", "user"]);
    expect(body.messages[3].content).toEqual([
      { type: "text", text: "Part of the result of tool call a:" },
      { type: "image_url", image_url: { url: "https://x/y.png" } },
    ]);
  });

  it("G055: a turn of calls alone has content null", () => {
    const messages = [
      { role: "assistant" as const, content: [{ type: "tool-call" as const, id: "a", name: "f", arguments: "{}" }] },
    ];
    expect(encode(neutral({ messages })).body.messages[0].content).toBeNull();
  });

  it("says what it could not carry", () => {
    const { body, dropped } = encode(
      neutral({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "a" },
              { type: "native", dialect: "anthropic-messages", value: {} },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "reasoning", text: "", encrypted: "e" },
              { type: "text", text: "b" },
            ],
          },
          { role: "tool", toolCallId: "x", content: [], isError: true },
        ],
        reasoning: { budgetTokens: 4000, summary: "auto" },
        unmapped: ["thinking.display"],
      }),
    );
    expect(body.reasoning_effort).toBe("medium");
    expect(dropped.map(({ field }) => field).toSorted()).toEqual(
      [
        "messages[].content[]",
        "messages[].reasoning",
        "messages[].is_error",
        "reasoning.budget_tokens",
        "reasoning.summary",
        "thinking.display",
      ].toSorted(),
    );
  });

  it.each([
    ["a file by id", { type: "file" as const, source: {}, fileId: "file-1" }],
    ["a file by address", { type: "file" as const, source: { url: "https://x/y.pdf" } }],
    ["audio by address", { type: "audio" as const, source: { url: "https://x/y.mp3" } }],
    ["an image without a media type", { type: "image" as const, source: { data: "AAAA" } }],
  ])("%s is refused, never left out", (_what, part) => {
    const request = neutral({ messages: [{ role: "user", content: [{ type: "text", text: "see" }, part] }] });
    expect(openaiChat.encodeRequest(request, target())).toMatchObject({
      ok: false,
      error: { class: "bad_request", reason: "unsupported_parameter", param: "messages[0].content" },
    });
  });
});

const recorded = wireExchanges("chat.completions").filter(({ request }) => request?.body);

describe.skipIf(skipWithoutCorpus("recorded requests", 81))(
  "recorded requests, through our endpoint to an upstream",
  () => {
    it.each(recorded.map(({ key, request }) => [key, request?.body] as const))(
      "%s loses nothing",
      (_key, recordedBody) => {
        const body = typeof recordedBody === "string" ? JSON.parse(recordedBody) : recordedBody;
        // Azure names its deployment in the address.
        const given = { model: "deployment", ...(body as object) } as Json;
        const { body: sent, dropped } = through(given, {
          provider: "openai",
          model: given.model,
          quirks: { developerRole: true },
        });
        // Which of its two names the limit goes by is a fact of the model.
        const { max_tokens, max_completion_tokens = max_tokens, ...expected } = given;
        const { max_tokens: older, max_completion_tokens: limit = older, ...others } = sent as Json;
        expect(limit).toEqual(max_completion_tokens);
        if (expected.stream) expected.stream_options = { ...expected.stream_options, include_usage: true };
        else delete expected.stream;
        // An empty list says nothing, and OpenAI refuses it.
        if (expected.tools?.length === 0) delete expected.tools;
        if (typeof expected.stop === "string") expected.stop = [expected.stop];
        expect(others).toEqual(expected);
        expect(dropped).toEqual([]);
      },
    );
  },
);
