/**
 * The official `openai` and `@anthropic-ai/sdk` clients against a running `modelrig dev`, by base URL alone, onto an
 * upstream of every dialect: what they ask arrives in the upstream's own words, what it says arrives in theirs.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DevProcess, freshFolder, startDev } from "../support/hosts/dev-process.ts";
import { SAID_USAGE } from "../support/upstreams/dialect-answers.ts";
import {
  type AskedRequest,
  type DialectUpstream,
  startDialectUpstream,
} from "../support/upstreams/dialect-upstream.ts";

const PROVIDERS = { oai: "openai", res: "openai-responses", ant: "anthropic", gem: "gemini" } as const;
type Provider = keyof typeof PROVIDERS;
const ALL = Object.keys(PROVIDERS) as Provider[];

const JPEG = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ==";
const WEATHER = { type: "object" as const, properties: { place: { type: "string" } }, required: ["place"] };
const CITY = {
  type: "object",
  properties: { city: { type: "string" }, population: { type: "integer" } },
  required: ["city", "population"],
  additionalProperties: false,
};
const CALLS = [
  { name: "weather", args: { place: "Oslo" } },
  { name: "weather", args: { place: "Rome" } },
];

let upstream: DialectUpstream;
let dev: DevProcess;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  upstream = await startDialectUpstream();
  const cwd = freshFolder();
  mkdirSync(join(cwd, "routes"));
  writeFileSync(
    join(cwd, "routes", "demo.none.yaml"),
    "route: demo.none\ncandidates:\n  - { provider: ant, model: text }\n",
  );
  const rows = ALL.map(
    (name) => `  ${name}:
    dialect: ${PROVIDERS[name]}
    base_url: ${upstream.url}
    capabilities: { native_strict: true, json_object: true, vision: true, tools: true }
    models:
      text: { max_output: 4096, price: { input_per_million: 1, cached_input_per_million: 0.1, output_per_million: 2 } }
      embed: { price: { input_per_million: 1, output_per_million: 0 } }`,
  );
  writeFileSync(join(cwd, "modelrig.yaml"), `providers:\n${rows.join("\n")}\n`);
  dev = await startDev([], { cwd });
  openai = new OpenAI({ baseURL: `${dev.ready.url}/v1`, apiKey: dev.ready.key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: dev.ready.url, apiKey: dev.ready.key, maxRetries: 0 });
});

afterAll(async () => {
  await dev?.stop();
  await upstream?.close();
});

beforeEach(() => {
  upstream.asked.length = 0;
});

const last = (): AskedRequest => {
  const asked = upstream.asked.at(-1);
  if (!asked) throw new Error("nothing was asked");
  return asked;
};

/** What the upstream was told, dug out of its own dialect. */
const TOLD: Record<Provider, (body: AskedRequest["body"]) => Record<string, unknown>> = {
  oai: (body) => ({
    system: body.messages[0].content,
    tools: body.tools?.map((tool: AskedRequest["body"]) => tool.function.name),
    results: body.messages
      .filter(({ role }: { role: string }) => role === "tool")
      .map(({ tool_call_id, content }: AskedRequest["body"]) => [tool_call_id, content]),
    image: body.messages.flatMap(({ content }: AskedRequest["body"]) =>
      Array.isArray(content) ? content.flatMap((part) => part.image_url?.url ?? []) : [],
    )[0],
    schema: body.response_format?.json_schema?.schema,
  }),
  res: (body) => ({
    system: body.instructions ?? body.input[0].content[0].text,
    tools: body.tools?.map(({ name }: AskedRequest["body"]) => name),
    results: [body.input]
      .flat()
      .filter(({ type }: AskedRequest["body"]) => type === "function_call_output")
      .map(({ call_id, output }: AskedRequest["body"]) => [call_id, output]),
    image: [body.input]
      .flat()
      .flatMap(({ content }: AskedRequest["body"]) =>
        Array.isArray(content) ? content.flatMap((part) => part.image_url ?? []) : [],
      )[0],
    schema: body.text?.format?.schema,
  }),
  ant: (body) => ({
    system: typeof body.system === "string" ? body.system : body.system?.[0].text,
    tools: body.tools?.map(({ name }: AskedRequest["body"]) => name),
    results: body.messages
      .flatMap(({ content }: AskedRequest["body"]) => (Array.isArray(content) ? content : []))
      .filter(({ type }: AskedRequest["body"]) => type === "tool_result")
      .map(({ tool_use_id, content }: AskedRequest["body"]) => [
        tool_use_id,
        typeof content === "string" ? content : content[0].text,
      ]),
    image: body.messages
      .flatMap(({ content }: AskedRequest["body"]) => (Array.isArray(content) ? content : []))
      .filter(({ type }: AskedRequest["body"]) => type === "image")
      .map(({ source }: AskedRequest["body"]) => `data:${source.media_type};base64,${source.data}`)[0],
    schema: body.output_config?.format?.schema,
  }),
  gem: (body) => {
    const parts = body.contents.flatMap((content: AskedRequest["body"]) => content.parts);
    return {
      system: body.systemInstruction?.parts[0].text,
      tools: body.tools?.[0].functionDeclarations.map(({ name }: AskedRequest["body"]) => name),
      results: parts
        .filter((part: AskedRequest["body"]) => part.functionResponse)
        .map(({ functionResponse }: AskedRequest["body"]) => [functionResponse.name, functionResponse.response.result]),
      image: parts
        .filter((part: AskedRequest["body"]) => part.inlineData)
        .map(({ inlineData }: AskedRequest["body"]) => `data:${inlineData.mimeType};base64,${inlineData.data}`)[0],
      schema: body.generationConfig?.responseSchema,
    };
  },
};

const told = (provider: Provider) => TOLD[provider](last().body);
/** Gemini names the function that a result answers, not the call. */
const resultsFor = (provider: Provider, ids: readonly string[]) =>
  ids.map((id, index) => [provider === "gem" ? "weather" : id, index === 0 ? "rain" : "sun"]);
const expectSchema = (provider: Provider) => {
  const { schema } = told(provider);
  expect(schema).toMatchObject({ type: "object", required: ["city", "population"] });
};

describe.each(ALL)("the openai client onto %s", (provider) => {
  const tools = [{ type: "function" as const, function: { name: "weather", parameters: WEATHER } }];
  const system = { role: "system" as const, content: "Be brief." };

  test("gets text and usage, whole and streamed, and its image and system text arrive", async () => {
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${JPEG}` } };
    const messages = [system, { role: "user" as const, content: [{ type: "text" as const, text: "hi" }, image] }];
    const whole = await openai.chat.completions.create({ model: `${provider}/text`, messages });
    expect(whole.choices[0]?.message.content).toBe("Grüße aus Oslo 🙂");
    expect(whole.choices[0]?.finish_reason).toBe("stop");
    expect(whole.usage).toMatchObject({
      prompt_tokens: SAID_USAGE.input,
      completion_tokens: SAID_USAGE.output,
      prompt_tokens_details: { cached_tokens: SAID_USAGE.cached },
    });
    // The label said PNG; providers refuse bytes that do not match it. An openai upstream gets the client's own words.
    expect(told(provider)).toMatchObject({
      system: "Be brief.",
      image: `data:${provider === "oai" ? "image/png" : "image/jpeg"};base64,${JPEG}`,
    });
    const stream = await openai.chat.completions.create({
      model: `${provider}/text`,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("Grüße aus Oslo 🙂");
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: SAID_USAGE.input });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test("gets parallel calls, whole and streamed, and sends both results back", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [system, { role: "user", content: "weather?" }];
    const ask = { model: `${provider}/calls`, messages, tools };
    const { choices } = await openai.chat.completions.create(ask);
    const message = choices[0]?.message;
    const calls = (message?.tool_calls ?? []).filter((call) => call.type === "function");
    expect(calls.map((call) => ({ name: call.function.name, args: JSON.parse(call.function.arguments) }))).toEqual(
      CALLS,
    );
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    const final = await openai.chat.completions.stream(ask).finalChatCompletion();
    const streamed = (final.choices[0]?.message.tool_calls ?? []).filter((call) => call.type === "function");
    expect(streamed.map((call) => JSON.parse(call.function.arguments))).toEqual(CALLS.map(({ args }) => args));
    if (!message) throw new Error("no message");
    const results = ["rain", "sun"].map((content, index) => ({
      role: "tool" as const,
      tool_call_id: calls[index]?.id ?? "",
      content,
    }));
    await openai.chat.completions.create({
      model: `${provider}/text`,
      messages: [...messages, message, ...results],
      tools,
    });
    const ids = calls.map(({ id }) => id);
    expect(told(provider)).toMatchObject({ tools: ["weather"], results: resultsFor(provider, ids) });
    if (provider === "gem") {
      const parts = last().body.contents.flatMap((content: AskedRequest["body"]) => content.parts);
      const signed = parts.filter((part: AskedRequest["body"]) => part.functionCall);
      expect(signed.map((part: AskedRequest["body"]) => part.thoughtSignature)).toEqual(["c2ln", undefined]);
    }
  });

  test("gets JSON by a schema that the provider enforces", async () => {
    const { choices } = await openai.chat.completions.create({
      model: `${provider}/json`,
      messages: [system, { role: "user", content: "city?" }],
      response_format: { type: "json_schema", json_schema: { name: "city", schema: CITY, strict: true } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual({ city: "Oslo", population: 717710 });
    expectSchema(provider);
  });

  test("gets its own error classes", async () => {
    const ask = (status: number) =>
      openai.chat.completions.create({
        model: `${provider}/status-${status}`,
        messages: [{ role: "user", content: "x" }],
      });
    await expect(ask(429)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(ask(500)).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  });

  test("speaks the Responses API, whole, streamed, with tools and a schema", async () => {
    const ask = { model: `${provider}/text`, instructions: "Be brief.", input: "hi" };
    const whole = await openai.responses.create(ask);
    expect(whole.output_text).toBe("Grüße aus Oslo 🙂");
    expect(whole.usage).toMatchObject({ input_tokens: SAID_USAGE.input, output_tokens: SAID_USAGE.output });
    expect(told(provider)["system"]).toBe("Be brief.");
    const responseTools = [{ type: "function" as const, name: "weather", parameters: WEATHER, strict: false }];
    const stream = openai.responses.stream({ ...ask, model: `${provider}/calls`, tools: responseTools });
    const types: string[] = [];
    stream.on("event", ({ type }) => void types.push(type));
    const final = await stream.finalResponse();
    const calls = final.output.filter((item) => item.type === "function_call");
    expect(calls.map(({ name, arguments: text }) => ({ name, args: JSON.parse(text) }))).toEqual(CALLS);
    expect(final.output_text).toBe("Let me look.");
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
    const outputs = calls.map(({ call_id }, index) => ({
      type: "function_call_output" as const,
      call_id,
      output: index === 0 ? "rain" : "sun",
    }));
    const input = [{ role: "user" as const, content: "weather?" }, ...calls, ...outputs];
    await openai.responses.create({ ...ask, input: input as OpenAI.Responses.ResponseInput, tools: responseTools });
    expect(told(provider)["results"]).toEqual(
      resultsFor(
        provider,
        calls.map(({ call_id }) => call_id),
      ),
    );
    const format = { type: "json_schema" as const, name: "city", schema: CITY, strict: true };
    const json = await openai.responses.create({ ...ask, model: `${provider}/json`, text: { format } });
    expect(JSON.parse(json.output_text)).toEqual({ city: "Oslo", population: 717710 });
    expectSchema(provider);
    await expect(openai.responses.create({ ...ask, model: `${provider}/status-429` })).rejects.toBeInstanceOf(
      OpenAI.RateLimitError,
    );
  });
});

describe.each(ALL)("the anthropic client onto %s", (provider) => {
  const tools = [{ name: "weather", input_schema: WEATHER }];
  const ask = (model: string, messages: Anthropic.MessageParam[]) => ({
    model: `${provider}/${model}`,
    max_tokens: 100,
    system: "Be brief.",
    messages,
  });

  test("gets text and usage, whole and streamed, and its image and system text arrive", async () => {
    const source = { type: "base64" as const, media_type: "image/jpeg" as const, data: JPEG };
    const messages = [{ role: "user" as const, content: [{ type: "image" as const, source }] }];
    const whole = await anthropic.messages.create(ask("text", messages));
    expect(whole.content).toMatchObject([{ type: "text", text: "Grüße aus Oslo 🙂" }]);
    expect(whole.stop_reason).toBe("end_turn");
    expect(whole.usage).toMatchObject({
      input_tokens: SAID_USAGE.input - SAID_USAGE.cached,
      cache_read_input_tokens: SAID_USAGE.cached,
      output_tokens: SAID_USAGE.output,
    });
    expect(told(provider)).toMatchObject({ system: "Be brief.", image: `data:image/jpeg;base64,${JPEG}` });
    const stream = anthropic.messages.stream(ask("text", messages));
    const starts: string[] = [];
    stream.on("streamEvent", ({ type }) => void starts.push(type));
    const final = await stream.finalMessage();
    expect(await stream.finalText()).toBe("Grüße aus Oslo 🙂");
    expect(final.usage).toMatchObject({ output_tokens: SAID_USAGE.output, cache_read_input_tokens: SAID_USAGE.cached });
    expect(starts.filter((type) => type === "message_start" || type === "message_stop")).toEqual([
      "message_start",
      "message_stop",
    ]);
  });

  test("gets parallel calls, whole and streamed, and sends both results back", async () => {
    const asked = [{ role: "user" as const, content: "weather?" }];
    const whole = await anthropic.messages.create({ ...ask("calls", asked), tools });
    const uses = whole.content.filter((block) => block.type === "tool_use");
    expect(uses.map(({ name, input }) => ({ name, args: input }))).toEqual(CALLS);
    expect(whole.stop_reason).toBe("tool_use");
    const final = await anthropic.messages.stream({ ...ask("calls", asked), tools }).finalMessage();
    expect(final.content.flatMap((block) => (block.type === "tool_use" ? [block.input] : []))).toEqual(
      CALLS.map(({ args }) => args),
    );
    const results = uses.map(({ id }, index) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: index === 0 ? "rain" : "sun",
    }));
    const turns = [
      ...asked,
      { role: "assistant" as const, content: whole.content },
      { role: "user" as const, content: results },
    ];
    await anthropic.messages.create({ ...ask("text", turns), tools });
    expect(told(provider)).toMatchObject({
      tools: ["weather"],
      results: resultsFor(
        provider,
        uses.map(({ id }) => id),
      ),
    });
  });

  test("gets thinking with its signature where there is one", async () => {
    const { content } = await anthropic.messages.create(ask("think", [{ role: "user", content: "where?" }]));
    expect(content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(content[0]).toMatchObject({ thinking: "Which city?" });
    if (provider === "ant") expect(content[0]).toMatchObject({ signature: "c2lnbmVk" });
  });

  test("gets JSON by a schema that the provider enforces", async () => {
    const { content } = await anthropic.messages.create({
      ...ask("json", [{ role: "user", content: "city?" }]),
      output_config: { format: { type: "json_schema", schema: CITY } },
    });
    expect(content[0]).toMatchObject({ type: "text", text: '{"city":"Oslo","population":717710}' });
    expectSchema(provider);
  });

  test("gets its own error classes, in its own shape", async () => {
    const failing = (status: number) =>
      anthropic.messages.create(ask(`status-${status}`, [{ role: "user", content: "x" }]));
    const limited = await failing(429).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
    expect(limited).toMatchObject({ error: { type: "error", error: { type: "rate_limit_error" } } });
    await expect(failing(500)).rejects.toBeInstanceOf(Anthropic.InternalServerError);
  });

  test("counts tokens", async () => {
    const { data, response } = await anthropic.messages
      .countTokens({ model: `${provider}/text`, messages: [{ role: "user", content: "hello there" }], tools })
      .withResponse();
    const estimated = provider !== "ant";
    expect(response.headers.get("x-modelrig-estimated")).toBe(String(estimated));
    if (estimated) return expect(data.input_tokens).toBeGreaterThan(3);
    expect(data.input_tokens).toBe(42);
    expect(last().path).toBe("/messages/count_tokens");
    expect(Object.keys(last().body).sort()).toEqual(["messages", "model", "tools"]);
  });
});

describe("what the gateway itself refuses, a client reads in its own words", () => {
  const stranger = () => new Anthropic({ baseURL: dev.ready.url, apiKey: "rig_sk_none", maxRetries: 0 });
  const hi = { max_tokens: 5, messages: [{ role: "user" as const, content: "x" }] };

  test("a wrong key, an unknown model, a body without max_tokens", async () => {
    await expect(stranger().messages.create({ model: "ant/text", ...hi })).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    );
    await expect(anthropic.messages.create({ model: "nobody/x", ...hi })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
    const { max_tokens: _none, ...incomplete } = hi;
    await expect(
      anthropic.messages.create({ model: "ant/text", ...incomplete } as Anthropic.MessageCreateParamsNonStreaming),
    ).rejects.toMatchObject({ status: 400, error: { error: { type: "invalid_request_error", param: "max_tokens" } } });
  });

  test("a response that refers to state, which nobody here keeps", async () => {
    await expect(
      openai.responses.create({ model: "oai/text", input: "x", previous_response_id: "resp_0" }),
    ).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });
});

describe("losses are said, not silent", () => {
  const dropped = async (provider: Provider, body: Record<string, unknown>) => {
    const messages = [{ role: "user" as const, content: "x", name: "ann" }];
    const { response } = await openai.chat.completions
      .create({ model: `${provider}/text`, messages, ...body })
      .withResponse();
    return response.headers.get("x-modelrig-dropped")?.split(", ").sort() ?? [];
  };

  test("each target names what it has no word for", async () => {
    const body = { seed: 7, logit_bias: { "1": 1 }, store: true };
    expect(await dropped("oai", body)).toEqual([]);
    expect(await dropped("ant", body)).toEqual(["logit_bias", "messages[].name", "seed", "store"]);
    expect(await dropped("gem", body)).toEqual(["logit_bias", "messages[].name", "store"]);
    expect(await dropped("res", body)).toEqual(["logit_bias", "messages[].name", "seed", "store"]);
  });
});

describe("the openai client's embeddings", () => {
  const embed = (provider: Provider, input: string | string[], encoding?: "float") =>
    openai.embeddings
      .create({ model: `${provider}/embed`, input, ...(encoding && { encoding_format: encoding }) })
      .withResponse();

  test.each(["oai", "res", "gem"] as const)("come from %s, decoded from base64 or as numbers", async (provider) => {
    const one = await embed(provider, "Oslo");
    expect(one.data.data.map(({ embedding }) => [...embedding])).toEqual([[0.5, -0.25]]);
    const two = await embed(provider, ["Oslo", "Rome"], "float");
    expect(two.data.data.map(({ embedding }) => embedding[1])).toEqual(
      provider === "gem" ? [0.5, 0.5] : [-0.25, -0.25],
    );
    const tokens = two.data.usage.prompt_tokens;
    expect(tokens).toBe(provider === "gem" ? 3 : 8);
    expect(two.response.headers.get("x-modelrig-cost-usd")).toBe(`0.00000${tokens}000`);
    expect(two.response.headers.get("x-modelrig-served")).toBe(`${provider}/embed`);
  });

  test("are refused where a provider has none", async () => {
    await expect(embed("ant", "Oslo")).rejects.toMatchObject({ status: 400, code: "unsupported_parameter" });
    await expect(openai.embeddings.create({ model: "demo.none", input: "x" })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
  });
});
