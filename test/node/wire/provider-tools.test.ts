/** Tools that ran at the provider: their charge is in the cost, or the cost is unknown; it is never the tokens alone. */
import { describe, expect, it } from "vitest";
import { cost } from "../../../src/money/cost.ts";
import { createPriceBook } from "../../../src/money/price-book.ts";
import type { DialectName } from "../../../src/wire/chat.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { sseFrame } from "../../../src/wire/sse.ts";
import { bodyOf } from "../../support/wire/byte-stream.ts";
import { decodeStream } from "../../support/wire/decoded-stream.ts";

const target = { provider: "p", model: "m", quirks: {} };
const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
const responses = (...items: string[]) => ({
  id: "r",
  status: "completed",
  output: items.map((type) => ({ type, status: "completed" })),
  usage,
});
const messages = (...content: unknown[]) => ({ type: "message", content, stop_reason: "end_turn", usage });
const server = (name: string) => ({ type: "server_tool_use", id: "s", name, input: {} });
const gemini = (chunk: unknown) => ({
  candidates: [
    { content: { parts: [{ text: "a" }] }, finishReason: "STOP", groundingMetadata: { groundingChunks: [chunk] } },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
});

function toolsOf(dialect: DialectName, body: unknown) {
  const decoded = upstreamDialect(dialect).decodeAnswer(body, target);
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value.usage?.providerTools;
}

describe("tools that the provider ran", () => {
  it.each<[string, DialectName, unknown, unknown]>([
    ["two file searches", "openai-responses", responses("file_search_call", "file_search_call"), { file_search: 2 }],
    ["an interpreter", "openai-responses", responses("code_interpreter_call"), { code_interpreter: 1 }],
    ["a picture", "openai-responses", responses("image_generation_call"), { image_generation: 1 }],
    ["a search, counted apart", "openai-responses", responses("web_search_call"), undefined],
    ["a call of the client", "openai-responses", responses("function_call"), undefined],
    [
      "xAI's own count",
      "openai-responses",
      {
        ...responses(),
        usage: { ...usage, server_side_tool_usage_details: { x_search_calls: 3, web_search_calls: 1 } },
      },
      { x_search: 3 },
    ],
    ["code", "anthropic-messages", messages(server("bash_code_execution")), { code_execution: 1 }],
    ["a page fetched, which costs tokens", "anthropic-messages", messages(server("web_fetch")), undefined],
    [
      "a client's tool of that name",
      "anthropic-messages",
      messages({ type: "tool_use", id: "t", name: "code_execution", input: {} }),
      undefined,
    ],
    ["maps", "gemini", gemini({ maps: { uri: "x" } }), { google_maps: 1 }],
    ["the web", "gemini", gemini({ web: { uri: "x" } }), undefined],
  ])("are counted: %s", (_what, dialect, body, tools) => {
    expect(toolsOf(dialect, body)).toEqual(tools);
  });

  it.each<[DialectName, unknown[], unknown]>([
    [
      "openai-responses",
      [
        { type: "response.output_item.done", output_index: 0, item: { type: "file_search_call" } },
        { type: "response.completed", response: { ...responses(), output: [] } },
      ],
      { file_search: 1 },
    ],
    [
      "anthropic-messages",
      [
        { type: "message_start", message: { id: "m", usage } },
        { type: "content_block_start", index: 0, content_block: server("code_execution") },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
        { type: "message_stop" },
      ],
      { code_execution: 1 },
    ],
  ])("are counted in a stream of %s", async (dialect, events, tools) => {
    const body = bodyOf(events.map((event) => sseFrame(JSON.stringify(event))));
    const { answer } = await decodeStream(body, upstreamDialect(dialect).streamDecoder(target));
    expect(answer.usage?.providerTools).toEqual(tools);
  });

  it("are billed at their price, and make a cost unknown without one", () => {
    const price = createPriceBook().find("openai", "gpt-4.1", new Date("2026-11-20T00:00:00Z"));
    const billed = (providerTools?: Record<string, number>) =>
      cost(price, { input: { total: 5 }, output: { total: 5 }, providerTools, estimated: false, raw: {} }, "standard")
        ?.total;
    expect((billed({ file_search: 2 }) ?? 0) - (billed() ?? 0)).toBe(5_000_000);
    expect(billed()).toBeGreaterThan(0);
    expect(billed({ file_search: 1, code_interpreter: 1 })).toBeUndefined();
    expect(billed({ toString: 1 })).toBeUndefined();
  });
});
