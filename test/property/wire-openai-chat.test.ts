import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolCallPart } from "../../src/wire/chat.ts";
import type { WireTarget } from "../../src/wire/dialect.ts";
import { openaiChat, openaiChatIngress } from "../../src/wire/openai-chat/index.ts";
import { sseEvents } from "../../src/wire/sse.ts";
import { bytesOf } from "../support/wire/byte-stream.ts";
import { decodeStream } from "../support/wire/decoded-stream.ts";

const TARGET: WireTarget = {
  provider: "openai",
  model: "served",
  quirks: { developerRole: true, maxTokensField: "max_completion_tokens", topK: true },
};
const SERVED = { id: "inf_1", model: "served", created: 1, includeUsage: true };

const text = fc.string({ unit: "binary", maxLength: 12 }).map((value) => value.toWellFormed());
const word = fc.stringMatching(/^[a-z]{1,6}$/);
const json = fc.jsonValue({ maxDepth: 2 });

/** Pieces of one call's arguments; the last closes the object, as every provider's does. */
const argumentPieces = fc.array(fc.constantFrom('{"a":', "1", ',"b":"', "x}", '"', "2512292042121000001"), {
  maxLength: 5,
});
const calls = fc.array(fc.record({ name: word, pieces: argumentPieces }), { minLength: 1, maxLength: 4 });

interface Fragment {
  readonly index: number;
  readonly id?: string;
  readonly type?: "function";
  readonly function: { readonly name?: string; readonly arguments: string };
}

/** All fragments of all calls, starts in order, argument pieces interleaved by `order`. */
function interleave(
  list: readonly { readonly name: string; readonly pieces: readonly string[] }[],
  order: readonly number[],
): Fragment[] {
  const starts = list.map(
    ({ name }, index): Fragment => ({ index, id: `c${index}`, type: "function", function: { name, arguments: "" } }),
  );
  const queues = list.map(({ pieces }) => [...pieces]);
  const pieces: Fragment[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const open = queues.flatMap((queue, index) => (queue.length > 0 ? [index] : []));
    const index = open[(order[turn % Math.max(1, order.length)] ?? 0) % open.length] ?? 0;
    pieces.push({ index, function: { arguments: queues[index]?.shift() ?? "" } });
  }
  return [...starts, ...pieces];
}

const streamOf = (fragments: readonly Fragment[]): string =>
  [
    ...fragments.map((fragment) => ({
      choices: [{ index: 0, delta: { tool_calls: [fragment] }, finish_reason: null }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ]
    .map((chunk) => `data: ${JSON.stringify({ id: "up", ...chunk })}\n\n`)
    .join("");

function callsIn(content: readonly { readonly type: string }[] = []): ToolCallPart[] {
  return content.filter((part): part is ToolCallPart => part.type === "tool-call");
}

describe("streamed tool calls", () => {
  it("are joined by index, whatever the interleaving, and reach the client joined alike", async () => {
    await fc.assert(
      fc.asyncProperty(calls, fc.array(fc.nat(20), { maxLength: 20 }), async (list, order) => {
        const expected = list.map(({ name, pieces }, index) => ({
          id: `c${index}`,
          name,
          arguments: pieces.join("") || "{}",
        }));
        const decoded = await decodeStream(
          bytesOf(streamOf(interleave(list, order))),
          openaiChat.streamDecoder(TARGET),
        );
        expect(
          callsIn(decoded.answer.choices[0]?.content).map(({ id, name, arguments: value }) => ({
            id,
            name,
            arguments: value,
          })),
        ).toEqual(expected);

        for (const native of [true, false]) {
          const encoder = openaiChatIngress.streamEncoder(SERVED);
          const sent = decoded.frames
            .map((frame) => encoder.encode(native ? frame : { events: frame.events }))
            .join("");
          const again = await decodeStream(bytesOf(sent), openaiChat.streamDecoder(TARGET));
          expect(again.answer.choices).toEqual(decoded.answer.choices);
        }
      }),
    );
  });

  it("one after the other, are told apart though every index is 0", async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (list) => {
        const fragments = list.flatMap(({ name, pieces }, index): Fragment[] => [
          { index: 0, id: `c${index}`, function: { name, arguments: "" } },
          ...pieces.map((piece) => ({ index: 0, function: { arguments: piece } })),
        ]);
        const decoded = await decodeStream(bytesOf(streamOf(fragments)), openaiChat.streamDecoder(TARGET));
        expect(callsIn(decoded.answer.choices[0]?.content).map((call) => call.arguments)).toEqual(
          list.map(({ pieces }) => pieces.join("") || "{}"),
        );
      }),
    );
  });
});

const extra = fc.dictionary(
  word.map((key) => `x_${key}`),
  json.filter((value) => value !== null),
  { maxKeys: 2, noNullPrototype: true },
);
const withExtra = <T extends object>(arbitrary: fc.Arbitrary<T>) =>
  fc.tuple(arbitrary, extra).map(([value, more]) => ({ ...more, ...value }));
const userPart = fc.oneof(
  withExtra(fc.record({ type: fc.constant("text"), text })),
  withExtra(fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: fc.webUrl() }) })),
  withExtra(
    fc.record({
      type: fc.constant("input_audio"),
      input_audio: fc.record({ data: fc.constant("AA=="), format: fc.constantFrom("wav", "mp3") }),
    }),
  ),
  withExtra(fc.record({ type: fc.constant("something_new"), value: json })),
);
const toolCall = withExtra(
  fc.record({ id: word, type: fc.constant("function"), function: fc.record({ name: word, arguments: text }) }),
);
const message = fc.oneof(
  withExtra(fc.record({ role: fc.constantFrom("system", "developer"), content: text })),
  withExtra(
    fc.record({
      role: fc.constant("user"),
      content: fc.oneof(text, fc.array(userPart, { minLength: 1, maxLength: 3 })),
    }),
  ),
  withExtra(
    fc.record({
      role: fc.constant("assistant"),
      content: fc.option(text),
      tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 2 }),
    }),
  ),
  withExtra(fc.record({ role: fc.constant("tool"), tool_call_id: word, content: text })),
);
const tool = withExtra(
  fc.record({
    type: fc.constant("function"),
    function: withExtra(fc.record({ name: word, parameters: fc.constant({ type: "object" }) })),
  }),
);
const request = withExtra(
  fc.record(
    {
      model: word,
      messages: fc.array(message, { minLength: 1, maxLength: 5 }),
      tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
      tool_choice: fc.constantFrom("auto", "none", "required"),
      response_format: fc.constantFrom(
        { type: "json_object" },
        { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, note: 1 } },
      ),
      max_completion_tokens: fc.integer({ min: 1, max: 9_999 }),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      stop: fc.array(text, { minLength: 1, maxLength: 3 }),
      seed: fc.nat(),
      n: fc.integer({ min: 1, max: 4 }),
      reasoning_effort: fc.constantFrom("low", "high", "default"),
      service_tier: fc.constantFrom("auto", "flex"),
      metadata: fc.dictionary(word, word, { noNullPrototype: true }),
      stream: fc.constant(true),
    },
    { requiredKeys: ["model", "messages"] },
  ),
);

describe("requests", () => {
  it("that we accept reach an upstream of the same dialect whole", () => {
    fc.assert(
      fc.property(request, (body) => {
        const decoded = openaiChatIngress.decodeRequest(body);
        if (!decoded.ok) throw new Error(decoded.error.message);
        const encoded = openaiChat.encodeRequest(decoded.value.request, TARGET);
        if (!encoded.ok) throw new Error(encoded.error.message);
        const { tool_choice, ...rest } = body as Record<string, unknown>;
        expect(encoded.value.body).toEqual({
          ...rest,
          ...("tools" in body && tool_choice !== undefined ? { tool_choice } : {}),
          model: "served",
          ...("stream" in body ? { stream_options: { include_usage: true } } : {}),
        });
        expect(encoded.value.dropped).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("of any shape are taken or refused, never a crash", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("model", "messages", "tools", "stop", "response_format", "stream_options", "reasoning", "n"),
          json,
        ),
        (body) => {
          const decoded = openaiChatIngress.decodeRequest(body);
          if (decoded.ok) openaiChat.encodeRequest(decoded.value.request, TARGET);
          else expect(decoded.error).toMatchObject({ class: "bad_request", param: expect.any(String) });
        },
      ),
      { numRuns: 500 },
    );
    const nested = fc.record({
      model: word,
      messages: fc.array(
        fc.dictionary(
          fc.constantFrom("role", "content", "tool_calls", "function_call", "tool_call_id"),
          fc.oneof(json, fc.constantFrom("user", "assistant", "tool")),
        ),
      ),
    });
    fc.assert(
      fc.property(nested, (body) => void openaiChatIngress.decodeRequest(body)),
      { numRuns: 500 },
    );
  });
});

describe("answers", () => {
  it("of any shape are read or refused, never a crash", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          fc.record({
            choices: fc.array(
              fc.dictionary(fc.constantFrom("index", "message", "delta", "finish_reason", "error"), json),
            ),
            usage: json,
          }),
        ),
        (body) => {
          const decoded = openaiChat.decodeAnswer(body, TARGET);
          if (decoded.ok) JSON.stringify(openaiChatIngress.encodeAnswer(decoded.value, SERVED));
          const decoder = openaiChat.streamDecoder(TARGET);
          const encoder = openaiChatIngress.streamEncoder(SERVED);
          for (const frame of [decoder.decode({ data: JSON.stringify(body) }), decoder.finish()]) encoder.encode(frame);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("streams are always valid events for the client, with one usage chunk at most and [DONE] only last", async () => {
    const delta = fc.record(
      { content: fc.option(text), reasoning_content: fc.option(text), role: fc.constant("assistant") },
      { requiredKeys: [] },
    );
    const usage = fc.record({ prompt_tokens: fc.nat(99), completion_tokens: fc.nat(99) });
    const chunk = fc.record(
      {
        choices: fc.array(fc.record({ index: fc.constant(0), delta }), { maxLength: 1 }),
        usage: fc.option(usage),
        id: word,
      },
      { requiredKeys: ["choices"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), fc.boolean(), async (chunks, includeUsage) => {
        const source = [...chunks, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }];
        const body = `${source.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")}data: [DONE]\n\n`;
        const { frames, answer } = await decodeStream(bytesOf(body), openaiChat.streamDecoder(TARGET));
        const encoder = openaiChatIngress.streamEncoder({ ...SERVED, includeUsage });
        const sent: string[] = [];
        for await (const { data } of sseEvents(bytesOf(frames.map((frame) => encoder.encode(frame)).join(""))))
          sent.push(data);
        expect(sent.indexOf("[DONE]")).toBe(sent.length - 1);
        const parsed = sent.slice(0, -1).map((data) => JSON.parse(data) as { usage?: unknown });
        expect(parsed.filter((value) => value.usage).length).toBe(includeUsage && answer.usage ? 1 : 0);
      }),
    );
  });
});
