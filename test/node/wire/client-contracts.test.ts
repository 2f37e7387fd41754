/**
 * What clients get, held against contracts that others wrote: the types of Anthropic's client always, OpenAI's OpenAPI
 * document where `MODELRIG_OPENAI_DOCUMENT` names its JSON file.
 */
import { readFileSync } from "node:fs";
import type {
  Message,
  MessageDeltaUsage,
  RawMessageDeltaEvent,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
  Usage,
} from "@anthropic-ai/sdk/resources/messages";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import type { ChatRequest, DialectName } from "../../../src/wire/chat.ts";
import type { IngressDialect, ServedContext } from "../../../src/wire/dialect.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import {
  type Said,
  type SaidAnswer,
  sayAnthropic,
  sayChat,
  sayGemini,
  sayResponses,
} from "../../support/upstreams/dialect-answers.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies and a foreign document are read without types
type Json = any;

const target = { provider: "p", model: "m", quirks: {} };
const SAY: Record<DialectName, (answer: SaidAnswer, stream: boolean) => Said> = {
  "openai-chat": sayChat,
  "openai-responses": sayResponses,
  "anthropic-messages": sayAnthropic,
  gemini: sayGemini,
};
const ANSWERS: Record<string, SaidAnswer> = {
  text: { text: "Grüße" },
  calls: {
    text: "Let me look.",
    calls: [
      { id: "call_oslo", name: "weather", args: { place: "Oslo" } },
      { id: "call_rome", name: "weather", args: { place: "Rome" } },
    ],
  },
  think: { thought: { text: "Which city?", signature: "c2lnbmVk" }, text: "Oslo" },
};
const cases = (Object.keys(SAY) as DialectName[]).flatMap((dialect) =>
  Object.keys(ANSWERS).map((kind) => [dialect, kind] as const),
);

function servedTo(asked?: ChatRequest): ServedContext {
  return { id: "inf_1", model: "m", created: 1, includeUsage: true, asked, now: () => 2 };
}

function wholeTo(ingress: IngressDialect, dialect: DialectName, kind: string, asked?: ChatRequest): Json {
  const said = SAY[dialect](ANSWERS[kind] ?? {}, false);
  const decoded = upstreamDialect(dialect).decodeAnswer("body" in said ? said.body : undefined, target);
  if (!decoded.ok) throw new Error(decoded.error.message);
  return ingress.encodeAnswer(decoded.value, servedTo(asked));
}

/** Bodies of all events; `cut` ends the stream by a failure after so many upstream events. */
function streamTo(
  ingress: IngressDialect,
  dialect: DialectName,
  kind: string,
  asked?: ChatRequest,
  cut?: number,
): Json[] {
  const said = SAY[dialect](ANSWERS[kind] ?? {}, true);
  const encoder = ingress.streamEncoder(servedTo(asked));
  const decoder = upstreamDialect(dialect).streamDecoder(target);
  const events = "events" in said ? said.events.slice(0, cut) : [];
  const frames = events.map(([event, data]) =>
    decoder.decode({ event, data: typeof data === "string" ? data : JSON.stringify(data) }),
  );
  const end =
    cut === undefined
      ? encoder.encode(decoder.finish())
      : encoder.fail({ class: "network", reason: "reset", message: "cut" }, { inferenceId: "inf_1", attempts: [] });
  const text = frames.map((frame) => encoder.encode(frame)).join("") + end;
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** Every member that the client's type requires; the compiler holds the lists to the types. */
type Members<T> = { readonly [Key in keyof T as Partial<Pick<T, Key>> extends Pick<T, Key> ? never : Key]: true };
const members = <T>(list: Members<T>): string[] => Object.keys(list);

const MESSAGE = members<Message>({
  ...{ id: true, container: true, content: true, diagnostics: true, model: true, role: true },
  ...{ stop_details: true, stop_reason: true, stop_sequence: true, type: true, usage: true },
});
const USAGE = members<Usage>({
  ...{ cache_creation: true, cache_creation_input_tokens: true, cache_read_input_tokens: true, inference_geo: true },
  ...{ input_tokens: true, output_tokens: true, output_tokens_details: true, server_tool_use: true },
  ...{ service_tier: true, speed: true },
});
const DELTA_USAGE = members<MessageDeltaUsage>({
  ...{ cache_creation_input_tokens: true, cache_read_input_tokens: true, input_tokens: true, output_tokens: true },
  ...{ output_tokens_details: true, server_tool_use: true },
});
const DELTA = members<RawMessageDeltaEvent.Delta>({
  ...{ container: true, stop_details: true, stop_reason: true, stop_sequence: true },
});
const BLOCKS: Record<string, string[]> = {
  text: members<TextBlock>({ citations: true, text: true, type: true }),
  thinking: members<ThinkingBlock>({ signature: true, thinking: true, type: true }),
  tool_use: members<ToolUseBlock>({ id: true, caller: true, input: true, name: true, type: true }),
};

describe("an Anthropic client", () => {
  const translated = cases.filter(([dialect]) => dialect !== "anthropic-messages");

  it.each(translated)("of a %s upstream gets every member of a message that says %s", (dialect, kind) => {
    const message = wholeTo(anthropicMessagesIngress, dialect, kind);
    expect(Object.keys(message).sort()).toEqual([...MESSAGE].sort());
    expect(Object.keys(message.usage).sort()).toEqual([...USAGE].sort());
    for (const block of message.content)
      expect(Object.keys(block).sort()).toEqual([...(BLOCKS[block.type] ?? [])].sort());
  });

  it.each(translated)("of a %s upstream gets every member of the events of a stream that says %s", (dialect, kind) => {
    const events = streamTo(anthropicMessagesIngress, dialect, kind);
    const find = (type: string) => events.find((event) => event.type === type);
    expect(Object.keys(find("message_start").message).sort()).toEqual([...MESSAGE].sort());
    expect(Object.keys(find("message_start").message.usage).sort()).toEqual([...USAGE].sort());
    expect(Object.keys(find("message_delta").delta).sort()).toEqual([...DELTA].sort());
    expect(Object.keys(find("message_delta").usage).sort()).toEqual([...DELTA_USAGE].sort());
    for (const { content_block } of events.filter(({ type }) => type === "content_block_start"))
      expect(Object.keys(content_block).sort()).toEqual([...(BLOCKS[content_block.type] ?? [])].sort());
  });
});

const path = process.env["MODELRIG_OPENAI_DOCUMENT"];
if (path === undefined) console.warn(`skipped: ${4 * cases.length} cases need MODELRIG_OPENAI_DOCUMENT`);

/** The document without examples (which hold `$id`s of their own), and `nullable` as what 3.1 means by it. */
function readable(value: Json): Json {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  const { example: _a, examples: _b, "x-oaiMeta": _c, discriminator: _d, nullable, ...rest } = value;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, readable(member)]));
  return nullable === true ? { anyOf: [inner, { type: "null" }] } : inner;
}

describe.skipIf(path === undefined)("by OpenAI's own document", () => {
  const { components }: Json =
    path === undefined ? { components: { schemas: {} } } : readable(JSON.parse(readFileSync(path, "utf8")));
  const validators = new Map<string, Validator>();
  const events = new Map<string, string>();
  for (const { $ref } of components.schemas.ResponseStreamEvent?.anyOf ?? []) {
    const name = String($ref).split("/").at(-1) ?? "";
    events.set(components.schemas[name]?.properties?.type?.enum?.[0], name);
  }

  function faults(name: string, value: unknown): string[] {
    let validator = validators.get(name);
    if (!validator) {
      const schema = { $id: `https://document/${name}`, $ref: `#/components/schemas/${name}`, components };
      validator = new Validator(structuredClone(schema) as never, "2020-12", false);
      validators.set(name, validator);
    }
    // The document's own examples say null while no usage is known; its schema does not.
    const told = JSON.parse(JSON.stringify(value), (key, member) => (key === "usage" ? (member ?? undefined) : member));
    return validator
      .validate(told)
      .errors.map(({ instanceLocation, error }) => `${name} ${instanceLocation}: ${error}`);
  }

  const decoded = openaiResponsesIngress.decodeRequest({
    ...{
      model: "m",
      input: "x",
      instructions: "i",
      metadata: { a: "b" },
      temperature: 0.5,
      reasoning: { effort: "low" },
    },
    tools: [{ type: "function", name: "weather", parameters: { type: "object" } }],
    text: { format: { type: "json_schema", name: "n", schema: { type: "object" } } },
  });
  const asked = decoded.ok ? decoded.value.request : undefined;

  it.each(cases)("chat answers of a %s upstream that say %s are right, whole, streamed and cut", (dialect, kind) => {
    expect(faults("CreateChatCompletionResponse", wholeTo(openaiChatIngress, dialect, kind))).toEqual([]);
    for (const cut of [undefined, 3]) {
      for (const chunk of streamTo(openaiChatIngress, dialect, kind, undefined, cut))
        expect(faults(chunk.error ? "ErrorResponse" : "CreateChatCompletionStreamResponse", chunk)).toEqual([]);
    }
  });

  it.each(cases)("responses of a %s upstream that say %s are right, whole, streamed and cut", (dialect, kind) => {
    expect(faults("Response", wholeTo(openaiResponsesIngress, dialect, kind, asked))).toEqual([]);
    for (const cut of [undefined, 4]) {
      for (const event of streamTo(openaiResponsesIngress, dialect, kind, asked, cut))
        expect(faults(events.get(event.type) ?? `no event ${event.type}`, event)).toEqual([]);
    }
  });
});
