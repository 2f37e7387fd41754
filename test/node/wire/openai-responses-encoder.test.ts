import { describe, expect, it } from "vitest";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import type { StreamEvent } from "../../../src/wire/stream-event.ts";

const served = { id: "inf_1", model: "m", created: 1, includeUsage: true, now: () => 9 };

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

describe("the order of its items", () => {
  const start = (index: number): StreamEvent => ({
    type: "tool-call-start",
    choice: 0,
    index,
    id: `c${index}`,
    name: "f",
  });
  const piece = (index: number, text: string): StreamEvent => ({
    type: "tool-call-delta",
    choice: 0,
    index,
    arguments: text,
  });
  const text: StreamEvent = { type: "text-delta", choice: 0, text: "a" };
  const begunAndDone = (events: readonly Record<string, unknown>[]) =>
    events.flatMap(({ type, output_index }) => {
      const what = /output_item\.(added|done)$/.exec(String(type))?.[1];
      return what ? [`${what} ${output_index}`] : [];
    });

  it.each([
    ["text, then a call", [text, start(0), piece(0, "{}")]],
    ["calls one after another", [start(0), piece(0, "{}"), start(1), piece(1, "{}")]],
    ["calls whose pieces interleave", [start(0), start(1), piece(0, '{"a"'), piece(1, "{}"), piece(0, ":1}")]],
    ["text amid a call", [start(0), piece(0, '{"a"'), text, piece(0, ":1}")]],
  ])("has each done before the next begins: %s", (_what, events) => {
    const all = encoded(...events, finish, { type: "end" });
    expect(begunAndDone(all)).toEqual(["added 0", "done 0", "added 1", "done 1"]);
    const response = all.at(-1)?.["response"] as { output: { arguments?: string }[] };
    for (const item of response.output) if (item.arguments !== undefined) JSON.parse(item.arguments);
  });

  it("sends a call's pieces as they come while it is the only one open", () => {
    const encoder = openaiResponsesIngress.streamEncoder(served);
    encoder.encode({ events: [start(0)] });
    expect(encoder.encode({ events: [piece(0, '{"a"')] })).toContain("function_call_arguments.delta");
  });
});

describe("an answer that was cut", () => {
  const call: StreamEvent[] = [
    { type: "text-delta", choice: 0, text: "a" },
    { type: "tool-call-start", choice: 0, index: 0, id: "c0", name: "f" },
    { type: "tool-call-delta", choice: 0, index: 0, arguments: '{"x":' },
  ];

  it("at its limit has its last item incomplete, whole or streamed", () => {
    const cut = { ...finish, finish: { unified: "length", raw: "length" } } as const;
    const streamed = encoded(...call, cut, { type: "end" }).at(-1);
    const content = [
      { type: "text", text: "a" },
      { type: "tool-call", id: "c0", name: "f", arguments: '{"x":' },
    ] as const;
    const whole = openaiResponsesIngress.encodeAnswer({ choices: [{ index: 0, content, finish: cut.finish }] }, served);
    for (const response of [streamed?.["response"], whole])
      expect(response).toMatchObject({
        status: "incomplete",
        completed_at: null,
        output: [{ status: "completed" }, { type: "function_call", status: "incomplete" }],
      });
  });

  it.each([
    ["built here", undefined],
    ["passed through", "native"],
  ])("by its upstream closes the open item and names an error of the closed set: %s", (_what, native) => {
    const encoder = openaiResponsesIngress.streamEncoder(served);
    let text = "";
    if (native) {
      const data = {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "message", id: "m", content: [] },
      };
      text += encoder.encode({ events: [], native: { dialect: "openai-responses", event: data.type, data } });
    } else for (const event of call) text += encoder.encode({ events: [event] });
    const attempts = [{ provider: "p" }];
    text += encoder.fail({ class: "network", reason: "reset", message: "cut" }, { inferenceId: "inf_1", attempts });
    const all = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    const tail = all.slice(-3);
    expect(tail.map(({ type }) => type)).toEqual(["response.output_item.done", "error", "response.failed"]);
    expect(tail[0].item.status).toBe("incomplete");
    expect(tail[1]).toMatchObject({ code: "reset", inference_id: "inf_1", attempts });
    expect(tail[2].response).toMatchObject({ status: "failed", error: { code: "server_error", message: "cut" } });
    expect(tail[2].response.output.at(-1).status).toBe("incomplete");
  });
});

describe("the response object", () => {
  const answer = { choices: [{ index: 0, content: [{ type: "text", text: "a" }], finish: finish.finish }] } as const;
  const encode = (body: Record<string, unknown>) => {
    const decoded = openaiResponsesIngress.decodeRequest({ model: "m", input: "x", ...body });
    if (!decoded.ok) throw new Error(decoded.error.message);
    return openaiResponsesIngress.encodeAnswer(answer, { ...served, asked: decoded.value.request });
  };

  it("repeats what was asked", () => {
    const asked = {
      instructions: "Be brief.",
      metadata: { a: "b" },
      parallel_tool_calls: false,
      temperature: 0.3,
      top_p: 0.9,
      tool_choice: "required",
      truncation: "auto",
      max_output_tokens: 77,
      reasoning: { effort: "low" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      user: "u",
    };
    const tool = { type: "function", name: "f", parameters: { type: "object" } };
    expect(encode({ ...asked, tools: [tool] })).toMatchObject({
      ...asked,
      reasoning: { effort: "low", summary: null },
      tools: [{ ...tool, strict: false }],
      completed_at: 9,
    });
  });

  it("says the defaults where nothing was asked, and never that anything is kept", () => {
    expect(encode({ store: true })).toMatchObject({
      ...{ background: false, instructions: null, metadata: {}, parallel_tool_calls: true, store: false },
      ...{ temperature: 1, top_p: 1, tool_choice: "auto", tools: [], truncation: "disabled", service_tier: "default" },
      text: { format: { type: "text" } },
    });
  });

  it("has text that came in parts as one text", () => {
    const content = ["{", '"a":1', "}"].map((text) => ({ type: "text", text }) as const);
    const parts = { choices: [{ index: 0, content, finish: finish.finish }] };
    expect(openaiResponsesIngress.encodeAnswer(parts, served)).toMatchObject({
      output: [{ type: "message", content: [{ type: "output_text", text: '{"a":1}' }] }],
    });
    const { content: blocks } = anthropicMessagesIngress.encodeAnswer(parts, served);
    expect(blocks).toEqual([{ type: "text", text: '{"a":1}', citations: null }]);
  });
});
