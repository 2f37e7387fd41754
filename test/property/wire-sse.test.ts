import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SseEvent, WireTarget } from "../../src/wire/dialect.ts";
import { streamDecoder } from "../../src/wire/openai-chat/events.ts";
import { sseEvents, sseFrame } from "../../src/wire/sse.ts";
import { bytesOf, cutAt } from "../support/wire/byte-stream.ts";
import { skipWithoutCorpus } from "../support/wire/corpus.ts";
import { decodeStream } from "../support/wire/decoded-stream.ts";
import { wireExchanges } from "../support/wire/wire-exchanges.ts";

const TARGET: WireTarget = { provider: "openai", model: "m", quirks: {} };

/** Text without line ends, rich in what breaks parsers: characters of several bytes, colons, blanks, byte order marks. */
const line = fc.string({
  unit: fc.constantFrom("a", ":", " ", "data", "é", "你", "🙂", '"', "{", "\ufeff", "\u2028"),
  maxLength: 12,
});
const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
const cuts = fc.array(fc.nat({ max: 4_000 }), { maxLength: 40 });

const event = fc.record({
  data: fc.array(line, { minLength: 1, maxLength: 3 }),
  name: fc.option(fc.constantFrom("ping", "error", "x"), { nil: undefined }),
  comment: fc.boolean(),
  space: fc.boolean(),
});

async function read(body: ReadableStream<Uint8Array>): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const { event: name, data } of sseEvents(body)) events.push({ event: name, data });
  return events;
}

describe("server-sent events", () => {
  it("read the same wherever their bytes are cut and however their lines end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        fc.array(lineEnd, { minLength: 1, maxLength: 7 }),
        cuts,
        async (events, ends, offsets) => {
          let count = 0;
          let text = "";
          const add = (content: string): void => {
            const end = ends[count++ % ends.length] ?? "\n";
            // An LF right after a CR would belong to it: two line ends need a second CR.
            text += content + (content === "" && end === "\n" && text.endsWith("\r") ? "\r\n" : end);
          };
          for (const { data, name, comment, space } of events) {
            if (comment) add(": keep-alive");
            if (name !== undefined) add(`event:${space ? " " : ""}${name}`);
            for (const part of data) add(`data: ${part}`);
            add("");
          }
          const expected = events.map(({ data, name }) => ({ event: name, data: data.join("\n") }));
          expect(await read(cutAt(text, offsets))).toEqual(expected);
          expect(await read(bytesOf(text))).toEqual(expected);
        },
      ),
    );
  });

  it("written and read again are the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
        async (lines, name) => {
          const data = lines.join("\n");
          expect(await read(bytesOf(sseFrame(data, name)))).toEqual([{ event: name, data }]);
        },
      ),
    );
  });

  const recorded = wireExchanges("chat.completions").filter(
    ({ response }) => response.stream && response.text.length < 8_000,
  );
  it.skipIf(skipWithoutCorpus("recorded streams cut at random", 31))(
    "recorded streams mean the same wherever they are cut",
    async () => {
      const whole = new Map(
        await Promise.all(
          recorded.map(
            async ({ key, response }) =>
              [key, await decodeStream(cutAt(response.text, []), streamDecoder(TARGET))] as const,
          ),
        ),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...recorded),
          fc.array(fc.nat({ max: 8_000 }), { maxLength: 60 }),
          async ({ key, response }, offsets) => {
            const cut = await decodeStream(cutAt(response.text, offsets), streamDecoder(TARGET));
            expect(cut.events).toEqual(whole.get(key)?.events);
          },
        ),
        { numRuns: 150 },
      );
    },
  );

  it.skipIf(skipWithoutCorpus("recorded streams ended early", 31))(
    "a recorded stream that ends early never looks complete before its finish reason",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...recorded),
          fc.double({ min: 0, max: 1, noNaN: true }),
          async ({ response }, share) => {
            const text = response.text.slice(0, Math.floor(response.text.length * share));
            const { ended, failure } = await decodeStream(cutAt(text, []), streamDecoder(TARGET));
            const finished = /"finish_reason": ?"\w+"/.test(text) || text.includes("data: [DONE]");
            expect(ended).toBe(failure === undefined);
            if (!finished) expect(failure).toBeDefined();
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});
