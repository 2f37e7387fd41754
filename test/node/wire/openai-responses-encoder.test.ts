import { describe, expect, it } from "vitest";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import type { StreamEvent } from "../../../src/wire/stream-event.ts";

const served = { id: "inf_1", model: "m", created: 1, includeUsage: true };

/** Event names and bodies that a client of the Responses API gets for these neutral events. */
function encoded(...events: readonly StreamEvent[]): Record<string, unknown>[] {
  const encoder = openaiResponsesIngress.streamEncoder(served);
  const text = events.map((event) => encoder.encode({ events: [event] })).join("");
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Record<string, unknown>);
}

const finish: StreamEvent = { type: "finish", choice: 0, finish: { unified: "stop", raw: "stop" } };

describe("a Responses stream for a client", () => {
  const all = encoded(
    { type: "start" },
    { type: "reasoning-delta", choice: 0, text: "hm" },
    { type: "text-delta", choice: 0, text: "a" },
    { type: "tool-call-start", choice: 0, index: 0, id: "c0", name: "f" },
    { type: "tool-call-start", choice: 0, index: 1, id: "c1", name: "g" },
    { type: "tool-call-delta", choice: 0, index: 1, arguments: '{"y":1}' },
    { type: "tool-call-delta", choice: 0, index: 0, arguments: '{"x":1}' },
    finish,
    { type: "end" },
  );

  it("numbers its events as they are sent", () => {
    expect(all.map((event) => event["sequence_number"])).toEqual(all.map((_, index) => index));
  });

  it("closes every item after its parts, and lists them all in the end", () => {
    const order = all.filter((event) => event["output_index"] === 1).map((event) => event["type"]);
    expect(order).toEqual([
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
    ]);
    expect(all.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        output: [
          { type: "reasoning" },
          { type: "message" },
          { call_id: "c0", arguments: '{"x":1}' },
          { call_id: "c1", arguments: '{"y":1}' },
        ],
      },
    });
  });

  it("says incomplete where the answer was cut at its limit", () => {
    const cut = encoded(
      { type: "text-delta", choice: 0, text: "a" },
      { ...finish, finish: { unified: "length", raw: "length" } },
      { type: "end" },
    );
    expect(cut.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "max_output_tokens" } },
    });
  });
});
