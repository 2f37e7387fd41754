/** Signed or encrypted thinking of one provider, through clients that speak another dialect, and back. */
import { describe, expect, it } from "vitest";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import { carriedThinking, carryThinking } from "../../../src/wire/carried-thinking.ts";
import type { AnswerChoice, AssistantPart, ChatAnswer, ReasoningPart } from "../../../src/wire/chat.ts";
import type { IngressDialect } from "../../../src/wire/dialect.ts";
import { reasoningParts } from "../../../src/wire/openai-chat/content.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import { partEvents } from "../../../src/wire/part-events.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies of three APIs are read without types
type Json = any;

const served = { id: "inf_1", model: "m", created: 1, includeUsage: true };
const claude: ReasoningPart = {
  type: "reasoning",
  text: "Hm, ä 🙂",
  signature: "c2lnbmVk",
  from: "anthropic-messages",
};
const hidden: ReasoningPart = { type: "reasoning", text: "", encrypted: "b3BhcXVl", from: "anthropic-messages" };
const gpt: ReasoningPart = { type: "reasoning", text: "So.", encrypted: "Z3B0", id: "rs_1", from: "openai-responses" };
const call: AssistantPart = { type: "tool-call", id: "c1", name: "f", arguments: "{}", signature: "Z2Vt" };
const gemini = { text: "", signature: "Z2Vt", from: "gemini", callId: "c1" };

function answerOf(content: readonly AssistantPart[]): ChatAnswer {
  const choice: AnswerChoice = { index: 0, content, finish: { unified: "stop", raw: undefined } };
  return { choices: [choice] };
}

/** Every event body of the stream that says the same. */
function streamed(ingress: IngressDialect, content: readonly AssistantPart[]): Json[] {
  const encoder = ingress.streamEncoder(served);
  const events = content.flatMap((part) => partEvents(part, 0, 0));
  const text = [...events, { type: "end" } as const].map((event) => encoder.encode({ events: [event] })).join("");
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** The blocks that an Anthropic client puts together out of a stream. */
function blocks(events: readonly Json[]): Json[] {
  const found: Json[] = [];
  for (const { type, index, content_block, delta } of events) {
    if (type === "content_block_start") found[index] = { ...content_block };
    if (type !== "content_block_delta") continue;
    if (delta.type === "thinking_delta") found[index].thinking += delta.thinking;
    if (delta.type === "signature_delta") found[index].signature += delta.signature;
  }
  return found;
}

describe("the carrier", () => {
  it("gives back what it was given, and nothing for a provider's own value", () => {
    const { type: _type, ...thinking } = claude;
    expect(carriedThinking(carryThinking(thinking))).toMatchObject(thinking);
    for (const foreign of ["c2lnbmVk", "", "modelrig.1.", "modelrig.1.%%%", `modelrig.1.${btoa("[]")}`, undefined])
      expect(carriedThinking(foreign)).toBeUndefined();
  });
});

describe("a Responses client holds thinking of Anthropic and Gemini as encrypted content", () => {
  const carriedIn = (items: readonly Json[]) =>
    items.filter(({ type }) => type === "reasoning").map((item) => carriedThinking(item.encrypted_content));

  it.each([
    ["signed", [claude], [{ text: claude.text, signature: "c2lnbmVk", from: "anthropic-messages" }]],
    ["redacted", [hidden], [{ encrypted: "b3BhcXVl", from: "anthropic-messages" }]],
    ["of a call", [call], [gemini]],
    ["signed and of a call", [claude, call], [{ text: claude.text }, gemini]],
  ] as const)("%s, whole and streamed", (_what, content, expected) => {
    const whole = openaiResponsesIngress.encodeAnswer(answerOf(content), served) as Json;
    expect(carriedIn(whole.output)).toMatchObject(expected);
    expect(streamed(openaiResponsesIngress, content).at(-1).response.output).toEqual(whole.output);
  });

  it("and of a Responses upstream as it came", () => {
    const whole = openaiResponsesIngress.encodeAnswer(answerOf([gpt]), served) as Json;
    expect(whole.output).toMatchObject([{ type: "reasoning", id: "rs_1", encrypted_content: "Z3B0" }]);
  });
});

describe("an Anthropic client holds thinking of others in the signature", () => {
  it.each([
    ["of a Responses upstream", [gpt], [{ thinking: "So.", carried: { encrypted: "Z3B0", id: "rs_1", text: "So." } }]],
    ["of a Gemini call", [call], [{ thinking: "", carried: gemini }]],
    ["its own as it is", [claude], [{ thinking: claude.text, signature: "c2lnbmVk" }]],
    ["its own redacted", [hidden], []],
  ] as const)("%s, whole and streamed", (_what, content, expected) => {
    const whole = anthropicMessagesIngress.encodeAnswer(answerOf(content), served) as Json;
    const thinking = (all: readonly Json[]) =>
      all
        .filter(({ type }) => type === "thinking")
        .map((block) => ({ ...block, carried: carriedThinking(block.signature) }));
    expect(thinking(whole.content)).toMatchObject(expected);
    expect(thinking(blocks(streamed(anthropicMessagesIngress, content)))).toEqual(thinking(whole.content));
  });
});

describe("a chat client holds it in reasoning_details, with whose it is", () => {
  it.each([
    ["signed", claude],
    ["redacted", hidden],
    ["encrypted", gpt],
  ])("%s, whole and streamed", (_what, part) => {
    const { choices } = openaiChatIngress.encodeAnswer(answerOf([part]), served) as Json;
    const chunks = streamed(openaiChatIngress, [part]).flatMap(({ choices: [choice] }) => choice?.delta ?? []);
    const delta = chunks.find((each) => each.reasoning_details);
    for (const message of [choices[0].message, delta]) {
      const { encrypted, signature, from } = part;
      expect(reasoningParts(message)).toContainEqual(expect.objectContaining({ encrypted, signature, from }));
    }
  });
});
