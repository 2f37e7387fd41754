import { describe, expect, it } from "vitest";
import { openaiEmbeddings } from "../../../src/wire/openai-chat/embedding.ts";
import { targetOf } from "../../support/wire/encoded-request.ts";

const FLOATS = [0.5, -0.25, 3];
const BASE64 = Buffer.from(Float32Array.from(FLOATS).buffer).toString("base64");

describe("vectors come in the encoding that the caller asked for", () => {
  const answered = (encoding: "float" | "base64", embedding: unknown) =>
    openaiEmbeddings.decodeAnswer(
      { data: [{ index: 0, embedding }] },
      { inputs: ["x"], encoding, body: {} },
      targetOf("chat", "m"),
    );

  it.each([
    ["float", FLOATS, FLOATS],
    ["float", BASE64, FLOATS],
    ["base64", FLOATS, BASE64],
    ["base64", BASE64, BASE64],
  ] as const)("%s of %j", (encoding, embedding, vector) => {
    expect(answered(encoding, embedding)).toMatchObject({ ok: true, value: { vectors: [vector] } });
  });

  it.each([[["a"]], ["AAA="], ["***"], [null]])("and %j is no vector", (embedding) => {
    expect(answered("float", embedding)).toMatchObject({ ok: false });
  });
});
