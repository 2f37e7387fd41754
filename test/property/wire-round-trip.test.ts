/**
 * Any OpenAI chat request that we accept, said in each provider's dialect, and any answer of each on its way back: what
 * the target has a word for arrives unchanged, and everything else is named in the list of what was not carried.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatRequest, DialectName } from "../../src/wire/chat.ts";
import type { WireTarget } from "../../src/wire/dialect.ts";
import { upstreamDialect } from "../../src/wire/dialects.ts";
import { openaiChatIngress } from "../../src/wire/openai-chat/index.ts";
import {
  SAID_USAGE,
  type Said,
  type SaidAnswer,
  sayAnthropic,
  sayChat,
  sayGemini,
  sayResponses,
} from "../support/upstreams/dialect-answers.ts";
import { cutAt } from "../support/wire/byte-stream.ts";
import { decodeStream } from "../support/wire/decoded-stream.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies of four APIs are looked into
type Json = any;

const DIALECTS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;
const TARGET: WireTarget = {
  provider: "up",
  model: "m",
  quirks: { maxTokensField: "max_completion_tokens" },
  maxOutput: 9_000,
};

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).map((value) => `t${value.toWellFormed()}`);
const word = fc.stringMatching(/^[a-z]{1,6}$/);
const args = fc.dictionary(word, fc.oneof(fc.integer(), text, fc.boolean()), { maxKeys: 3, noNullPrototype: true });
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAE=";
const imagePart = fc.oneof(
  fc.record({ url: fc.constant(`data:image/png;base64,${PNG}`) }),
  fc.record({ url: fc.webPath().map((path) => `https://pictures.example/a${path}`) }),
  fc.record({ url: fc.constant("https://pictures.example/b.png"), detail: fc.constantFrom("low", "high") }),
);
const userPart = fc.oneof(
  { weight: 3, arbitrary: text.map((value) => ({ type: "text", text: value })) },
  { weight: 1, arbitrary: imagePart.map((image_url) => ({ type: "image_url", image_url })) },
);
const userMessage = fc.record(
  {
    role: fc.constant("user"),
    content: fc.oneof(text, fc.array(userPart, { minLength: 1, maxLength: 3 })),
    name: word,
  },
  { requiredKeys: ["role", "content"] },
);

/** A user's turn, an answer with calls, and the results of all of them. */
const exchange = fc
  .tuple(userMessage, fc.option(text, { nil: null }), fc.array(fc.tuple(word, args, text), { maxLength: 3 }))
  .map(([user, content, calls]) => (at: number): Json[] => {
    if (calls.length === 0) return content === null ? [user] : [user, { role: "assistant", content }];
    const tool_calls = calls.map(([name, value], index) => ({
      id: `call_${at}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(value) },
    }));
    const results = calls.map(([, , content], index) => ({
      role: "tool",
      tool_call_id: `call_${at}_${index}`,
      content,
    }));
    return [user, { role: "assistant", content, tool_calls }, ...results];
  });

const tool = fc
  .record({ name: word, description: text, required: fc.array(word, { maxLength: 2 }) })
  .map(({ name, description, required }) => ({
    type: "function",
    function: {
      name,
      description,
      parameters: { type: "object", properties: Object.fromEntries(required.map((key) => [key, { type: "string" }])) },
    },
  }));

const scalars = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1, 1.7),
    top_p: fc.constantFrom(0.1, 1),
    max_completion_tokens: fc.integer({ min: 1, max: 9_000 }),
    stop: fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })),
    seed: fc.integer(),
    n: fc.constantFrom(1, 2),
    presence_penalty: fc.constantFrom(0, 1),
    frequency_penalty: fc.constantFrom(0, 1),
    logprobs: fc.constant(true),
    top_logprobs: fc.constantFrom(0, 3),
    logit_bias: fc.constant({ "17": 1 }),
    reasoning_effort: fc.constantFrom("none", "low", "high"),
    service_tier: fc.constantFrom("auto", "default", "flex", "priority"),
    user: word,
    metadata: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    parallel_tool_calls: fc.boolean(),
    x_unknown: fc.integer(),
    store: fc.constant(true),
  },
  { requiredKeys: [] },
);

/** Half of the bodies hold nothing that some target refuses. */
const fields = fc
  .tuple(scalars, fc.boolean())
  .map(([all, easy]) =>
    easy ? { ...all, n: undefined, stop: undefined, logprobs: undefined, service_tier: undefined } : all,
  )
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

const chatBody = fc
  .record({
    system: fc.option(text, { nil: undefined }),
    exchanges: fc.array(exchange, { minLength: 1, maxLength: 3 }),
    last: userMessage,
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (one) => one.function.name }),
    choice: fc.constantFrom(undefined, "auto", "none", "required", "named"),
    format: fc.constantFrom(undefined, "json_object", "json_schema"),
    scalars: fields,
  })
  .map(({ system, exchanges, last, tools, choice, format, scalars: given }) => ({
    model: "up/m",
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...exchanges.flatMap((messages, at) => messages(at)),
      last,
    ],
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 &&
      choice !== undefined && {
        tool_choice: choice === "named" ? { type: "function", function: { name: tools[0]?.function.name } } : choice,
      }),
    ...(format === "json_object" && { response_format: { type: format } }),
    ...(format === "json_schema" && {
      response_format: { type: format, json_schema: { name: "out", schema: SCHEMA, strict: true } },
    }),
    ...given,
  }));

const SCHEMA = {
  type: "object",
  properties: { a: { type: "integer" } },
  required: ["a"],
  additionalProperties: false,
};

/** What a conversation says, whatever the dialect: one line per thing said, in order. */
type Said1 = readonly (string | readonly unknown[])[];

const READ: Record<DialectName, (body: Json) => { said: Said1; tools: unknown[] }> = {
  "openai-chat": (body) => ({
    said: body.messages.flatMap(({ role, content, tool_calls, tool_call_id }: Json) => [
      ...(role === "tool"
        ? [["result", tool_call_id, content]]
        : [content ?? []].flat().map((part: Json) => chatPart(role, part))),
      ...(tool_calls ?? []).map((call: Json) => [
        "call",
        call.id,
        call.function.name,
        JSON.parse(call.function.arguments),
      ]),
    ]),
    tools: (body.tools ?? []).map((one: Json) => [
      one.function.name,
      one.function.description,
      one.function.parameters,
    ]),
  }),
  "openai-responses": (body) => ({
    said: body.input.flatMap((item: Json) => {
      if (item.type === "function_call") return [["call", item.call_id, item.name, JSON.parse(item.arguments)]];
      if (item.type === "function_call_output") return [["result", item.call_id, item.output]];
      return item.content.map((part: Json) =>
        part.type === "input_image" ? ["image", part.image_url] : [item.role, part.text],
      );
    }),
    tools: (body.tools ?? []).map((one: Json) => [one.name, one.description, one.parameters]),
  }),
  "anthropic-messages": (body) => ({
    said: [
      ...(body.system ?? []).map((block: Json) => ["system", block.text]),
      ...body.messages.flatMap(({ role, content }: Json) =>
        content.map((block: Json) => {
          if (block.type === "tool_use") return ["call", block.id, block.name, block.input];
          if (block.type === "tool_result") return ["result", block.tool_use_id, block.content[0].text];
          if (block.type === "image")
            return ["image", urlOf(block.source.url, block.source.media_type, block.source.data)];
          return [role, block.text];
        }),
      ),
    ],
    tools: (body.tools ?? []).map((one: Json) => [one.name, one.description, one.input_schema]),
  }),
  gemini: (body) => ({
    said: [
      ...(body.systemInstruction?.parts ?? []).map((part: Json) => ["system", part.text]),
      ...body.contents.flatMap(({ role, parts }: Json) =>
        parts.map((part: Json) => {
          if (part.functionCall) return ["call", undefined, part.functionCall.name, part.functionCall.args];
          if (part.functionResponse) return ["result", undefined, part.functionResponse.response.result];
          const { inlineData, fileData } = part;
          if (inlineData ?? fileData)
            return ["image", urlOf(fileData?.fileUri, inlineData?.mimeType, inlineData?.data)];
          return [role === "model" ? "assistant" : role, part.text];
        }),
      ),
    ],
    tools: (body.tools?.[0]?.functionDeclarations ?? []).map((one: Json) => [
      one.name,
      one.description,
      one.parametersJsonSchema,
    ]),
  }),
};

/** How tools may be called, in OpenAI's words; undefined and `auto` are the same. */
const CHOICE: Record<DialectName, (body: Json) => unknown> = {
  "openai-chat": ({ tool_choice: choice }) => choice?.function?.name ?? choice ?? "auto",
  "openai-responses": ({ tool_choice: choice }) => choice?.name ?? choice ?? "auto",
  "anthropic-messages": ({ tool_choice: choice }) =>
    choice?.name ?? (choice?.type === "any" ? "required" : (choice?.type ?? "auto")),
  gemini: ({ toolConfig }) => {
    const { mode = "AUTO", allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
    return allowedFunctionNames?.[0] ?? (mode === "ANY" ? "required" : mode.toLowerCase());
  },
};

const urlOf = (url: string | undefined, type: string, data: string) => url ?? `data:${type};base64,${data}`;

function chatPart(role: string, part: Json): unknown[] {
  if (typeof part === "string") return [role, part];
  return part.type === "image_url" ? ["image", part.image_url.url] : [role, part.text];
}

/** Gemini's calls have no ids; Anthropic wants results before the rest of their turn, which they are here already. */
const comparable = (said: Said1, dialect: DialectName) =>
  said.map((line) => {
    if (dialect !== "gemini" || (line[0] !== "call" && line[0] !== "result")) return line;
    const [what, , ...rest] = line;
    return [what, undefined, ...rest];
  });

/** Where each field of the request must stand in the target's body; a field without a place must be reported. */
const PLACES: Record<DialectName, Record<string, (body: Json) => unknown>> = {
  "openai-chat": Object.fromEntries(
    [
      ...[
        "temperature",
        "top_p",
        "max_completion_tokens",
        "stop",
        "seed",
        "n",
        "presence_penalty",
        "frequency_penalty",
      ],
      ...["logprobs", "top_logprobs", "logit_bias", "reasoning_effort", "service_tier", "user", "metadata"],
      ...["parallel_tool_calls", "x_unknown", "store"],
    ].map((field) => [field, (body: Json) => body[field]]),
  ),
  "openai-responses": {
    temperature: (body) => body.temperature,
    top_p: (body) => body.top_p,
    max_completion_tokens: (body) => body.max_output_tokens,
    top_logprobs: (body) => body.top_logprobs,
    reasoning_effort: (body) => body.reasoning?.effort,
    service_tier: (body) => body.service_tier,
    user: (body) => body.user,
    metadata: (body) => body.metadata,
    parallel_tool_calls: (body) => body.parallel_tool_calls,
  },
  "anthropic-messages": {
    temperature: (body) => body.temperature,
    top_p: (body) => body.top_p,
    max_completion_tokens: (body) => body.max_tokens,
    stop: (body) => body.stop_sequences,
    reasoning_effort: (body) => (body.thinking ? "high" : undefined),
    service_tier: (body) => body.service_tier,
    user: (body) => body.metadata?.user_id,
    parallel_tool_calls: (body) => body.tool_choice?.disable_parallel_tool_use,
  },
  gemini: {
    temperature: (body) => body.generationConfig?.temperature,
    top_p: (body) => body.generationConfig?.topP,
    max_completion_tokens: (body) => body.generationConfig?.maxOutputTokens,
    stop: (body) => body.generationConfig?.stopSequences,
    seed: (body) => body.generationConfig?.seed,
    n: (body) => body.generationConfig?.candidateCount,
    presence_penalty: (body) => body.generationConfig?.presencePenalty,
    frequency_penalty: (body) => body.generationConfig?.frequencyPenalty,
    logprobs: (body) => body.generationConfig?.responseLogprobs,
    top_logprobs: (body) => body.generationConfig?.logprobs,
    reasoning_effort: (body) => body.generationConfig?.thinkingConfig,
  },
};

/** Fields whose word differs by dialect, so that presence is all that can be asked for. */
const REWORDED = new Set(["reasoning_effort", "service_tier", "parallel_tool_calls", "stop"]);
/** Values that say no more than what every target does by itself. */
const SAYS_NOTHING: Record<string, (value: unknown) => boolean> = {
  n: (value) => value === 1,
  parallel_tool_calls: (value) => value === true,
  reasoning_effort: (value) => value === "none",
  service_tier: (value) => value === "auto" || value === "default",
};

function decoded(body: Record<string, unknown>): ChatRequest {
  const result = openaiChatIngress.decodeRequest(body);
  if (!result.ok) throw new Error(`refused: ${result.error.message}`);
  return result.value.request;
}

describe.each(DIALECTS)("a chat request said in %s", (dialect) => {
  it("says the same, or names what it could not carry", () => {
    let sent = 0;
    fc.assert(
      fc.property(chatBody, (body: Json) => {
        const encoded = upstreamDialect(dialect).encodeRequest(decoded(body), TARGET);
        if (!encoded.ok) {
          // Refused loudly: names a parameter of the client's that this target really cannot serve.
          expect(["n", "service_tier", "logprobs", "stop", "response_format"]).toContain(encoded.error.param);
          expect(body[encoded.error.param ?? ""]).toBeDefined();
          return;
        }
        sent += 1;
        // Through JSON, as over the wire.
        const wire: Json = JSON.parse(JSON.stringify(encoded.value.body));
        const dropped = new Set(encoded.value.dropped.map(({ field }) => field));
        const asked = READ["openai-chat"](body);
        const told = READ[dialect](wire);
        expect(told.said).toEqual(comparable(asked.said, dialect));
        expect(told.tools).toEqual(asked.tools);
        expect(CHOICE[dialect](wire)).toEqual(CHOICE["openai-chat"](body));
        for (const [field, value] of Object.entries(body)) {
          if (!(field in PLACES["openai-chat"]) || SAYS_NOTHING[field]?.(value)) continue;
          if (field === "parallel_tool_calls" && (body.tools === undefined || body.tool_choice === "none")) continue;
          const there = PLACES[dialect][field]?.(wire);
          if (dropped.has(field)) continue;
          expect({ field, there }).toEqual({ field, there: REWORDED.has(field) ? expect.anything() : value });
        }
        const named = body.messages.some((message: Json) => message.name !== undefined);
        if (named && dialect !== "openai-chat") expect(dropped).toContain("messages[].name");
        const detailed = JSON.stringify(body.messages).includes('"detail"');
        if (detailed && (dialect === "gemini" || dialect === "anthropic-messages"))
          expect(dropped).toContain("messages[].content[].image_url.detail");
        if (body.response_format?.type === "json_schema")
          expect(JSON.stringify(wire)).toContain('"a":{"type":"integer"');
        if (body.response_format?.type === "json_object" && dialect === "anthropic-messages")
          expect(dropped).toContain("response_format");
      }),
      { numRuns: 400 },
    );
    expect(sent, "about half of these bodies can be served by any target").toBeGreaterThan(20);
  });
});

const answer: fc.Arbitrary<SaidAnswer> = fc
  .record({
    text: fc.option(text, { nil: undefined }),
    thought: fc.option(text, { nil: undefined }),
    calls: fc.array(fc.tuple(word, args), { maxLength: 3 }),
  })
  .map(({ text: words, thought, calls }) => ({
    ...(words !== undefined || calls.length === 0 ? { text: words ?? "x" } : {}),
    ...(thought !== undefined && { thought: { text: thought, signature: "c2ln" } }),
    calls: calls.map(([name, value], index) => ({ id: `call_${index}`, name, args: value })),
  }));

const SAY: Record<DialectName, (said: SaidAnswer, stream: boolean) => Said> = {
  "openai-chat": sayChat,
  "openai-responses": sayResponses,
  "anthropic-messages": sayAnthropic,
  gemini: sayGemini,
};
const SERVED = { id: "inf_1", model: "m", created: 1, includeUsage: true };

describe.each(DIALECTS)("an answer in %s", (dialect) => {
  const expected = ({ text: words, thought, calls = [] }: SaidAnswer) => ({
    content: words ?? "",
    thought: thought?.text ?? "",
    calls: calls.map(({ name, args: value }) => ({ name, value })),
    finish: calls.length > 0 ? "tool_calls" : "stop",
    tokens: [SAID_USAGE.input, SAID_USAGE.output, SAID_USAGE.cached],
  });
  const readMessage = (message: Json, finish: string, usage: Json) => ({
    content: message.content ?? "",
    thought: message.reasoning_content ?? "",
    calls: (message.tool_calls ?? []).map((call: Json) => ({
      name: call.function.name,
      value: JSON.parse(call.function.arguments),
    })),
    finish,
    tokens: [usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens],
  });

  it("reaches an OpenAI client whole", () => {
    fc.assert(
      fc.property(answer, (said) => {
        const spoken = SAY[dialect](said, false);
        if (!("body" in spoken)) throw new Error("streamed");
        const heard = upstreamDialect(dialect).decodeAnswer(spoken.body, TARGET);
        if (!heard.ok) throw new Error(heard.error.message);
        const body: Json = JSON.parse(JSON.stringify(openaiChatIngress.encodeAnswer(heard.value, SERVED)));
        const [choice] = body.choices;
        expect(readMessage(choice.message, choice.finish_reason, body.usage)).toEqual(expected(said));
      }),
    );
  });

  it("reaches an OpenAI client streamed, wherever its bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.array(fc.nat(20_000), { maxLength: 12 }), async (said, cuts) => {
        const spoken = SAY[dialect](said, true);
        if (!("events" in spoken)) throw new Error("whole");
        const bytes = spoken.events
          .map(([name, data]) => {
            const payload = typeof data === "string" ? data : JSON.stringify(data);
            return `${name === undefined ? "" : `event: ${name}\n`}data: ${payload}\n\n`;
          })
          .join("");
        const { frames, failure } = await decodeStream(
          cutAt(bytes, cuts),
          upstreamDialect(dialect).streamDecoder(TARGET),
        );
        expect(failure).toBeUndefined();
        const encoder = openaiChatIngress.streamEncoder(SERVED);
        const sse = frames.map((frame) => encoder.encode(frame)).join("");
        expect(assembled(sse, readMessage)).toEqual(expected(said));
      }),
    );
  });
});

/** What a client adds up from chunks. */
function assembled(sse: string, read: (message: Json, finish: string, usage: Json) => unknown): unknown {
  const message: Json = { content: "", reasoning_content: "", tool_calls: [] };
  let finish = "";
  let usage: Json;
  for (const line of sse.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const chunk: Json = JSON.parse(line.slice(6));
    usage = chunk.usage ?? usage;
    for (const { delta, finish_reason } of chunk.choices) {
      finish = finish_reason ?? finish;
      message.content += delta.content ?? "";
      message.reasoning_content += delta.reasoning_content ?? "";
      for (const { index, function: called } of delta.tool_calls ?? []) {
        message.tool_calls[index] ??= { function: { name: called.name, arguments: "" } };
        message.tool_calls[index].function.arguments += called.arguments ?? "";
      }
    }
  }
  return read(message, finish, usage);
}
