import { describe, expect, it } from "vitest";
import { AnswerAssembler } from "../../../src/call/assemble.ts";
import type { ChatAnswer } from "../../../src/wire/chat.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { sseEventsIn } from "../../../src/wire/sse.ts";

const target = { provider: "p", model: "m", quirks: {} };
const call = { name: "look", args: {} };
const chatCall = { index: 0, type: "function", function: { name: "look", arguments: "{}" } };

const GEMINI = { candidates: [{ content: { parts: [{ functionCall: call }] }, finishReason: "STOP" }] };
const CHAT = {
  choices: [{ index: 0, message: { role: "assistant", tool_calls: [chatCall] }, finish_reason: "tool_calls" }],
};
const CHAT_CHUNK = { choices: [{ index: 0, delta: { tool_calls: [chatCall] }, finish_reason: "tool_calls" }] };

function whole(name: "gemini" | "openai-chat", body: unknown): ChatAnswer {
  const decoded = upstreamDialect(name).decodeAnswer(body, target);
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value;
}

function streamed(name: "gemini" | "openai-chat", chunk: unknown): ChatAnswer | undefined {
  const decoder = upstreamDialect(name).streamDecoder(target);
  const assembler = new AnswerAssembler();
  const frames = [...sseEventsIn(`data: ${JSON.stringify(chunk)}\n\n`)].map((event) => decoder.decode(event));
  for (const frame of [...frames, decoder.finish()]) for (const event of frame.events) assembler.add(event);
  return assembler.answer();
}

const idIn = (answer: ChatAnswer | undefined): string | undefined =>
  answer?.choices[0]?.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))[0];

describe("a tool call without an id", () => {
  it.each([
    ["gemini", () => whole("gemini", GEMINI)],
    ["gemini, streamed", () => streamed("gemini", GEMINI)],
    ["chat", () => whole("openai-chat", CHAT)],
    ["chat, streamed", () => streamed("openai-chat", CHAT_CHUNK)],
  ] as const)("has one of its own where the answer has none either: %s", (_where, decode) => {
    const [one, other] = [idIn(decode()), idIn(decode())];
    expect(one).toMatch(/^call_[0-9a-f]{32}_0_0$/);
    expect(other).not.toBe(one);
  });

  it.each([
    ["gemini", () => whole("gemini", { ...GEMINI, responseId: "r1" })],
    ["gemini, streamed", () => streamed("gemini", { ...GEMINI, responseId: "r1" })],
    ["chat", () => whole("openai-chat", { ...CHAT, id: "r1" })],
    ["chat, streamed", () => streamed("openai-chat", { ...CHAT_CHUNK, id: "r1" })],
  ] as const)("is named after its answer: %s", (_where, decode) => {
    expect(idIn(decode())).toBe("call_r1_0_0");
  });
});
