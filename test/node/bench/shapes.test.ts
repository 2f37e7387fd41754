import { describe, expect, it } from "vitest";
import { answerText } from "../../../src/wire/chat.ts";
import type { UpstreamDialect } from "../../../src/wire/dialect.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { shapeName, shapeOf, streamedAnswer, WIRES, wholeAnswer } from "../../bench/shapes.ts";
import { bytesOf } from "../../support/wire/byte-stream.ts";
import { decodeStream } from "../../support/wire/decoded-stream.ts";

const FOLDERS = { openai: "openai-chat", anthropic: "anthropic-messages", gemini: "gemini" } as const;
const shape = { events: 7, characters: 12 };
const model = shapeName(shape);
const target = { provider: "bench", model, quirks: {} };
const dialectOf = (wire: (typeof WIRES)[number]): UpstreamDialect => upstreamDialect(FOLDERS[wire]);

describe.each(WIRES)("what the bench upstream says on the %s wire", (wire) => {
  it("is read by the dialect as a whole answer with its usage", () => {
    const decoded = dialectOf(wire).decodeAnswer(JSON.parse(wholeAnswer(wire, model)), target);
    if (!decoded.ok) throw new Error(decoded.error.message);
    expect(decoded.value.choices.map(answerText).join("")).toHaveLength(shape.events * shape.characters);
    expect(decoded.value.usage).toMatchObject({ input: { total: 20 }, output: { total: shape.events } });
  });

  it("is read by the dialect as a stream of that many pieces that ends cleanly", async () => {
    const body = bytesOf(streamedAnswer(wire, model).join(""));
    const { frames } = await decodeStream(body, dialectOf(wire).streamDecoder(target));
    const events = frames.flatMap((frame) => frame.events);
    const pieces = events.filter((event) => event.type === "text-delta" && event.text !== "");
    expect(pieces).toHaveLength(shape.events);
    expect(events.at(-1)).toEqual({ type: "end" });
    expect(events.some((event) => event.type === "finish" && event.finish.unified === "stop")).toBe(true);
  });
});

describe("a shape", () => {
  it("is told by the model's name", () => {
    expect(shapeOf(shapeName({ events: 200, characters: 16 }))).toEqual({ events: 200, characters: 16 });
  });
});
