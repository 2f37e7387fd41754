import { describe, expect, it } from "vitest";
import type { Inference } from "../../../src/call/inference.ts";
import { answerHeaders } from "../../../workers/calls/answer.ts";

/** Headers as the runtime takes them: it throws on a value that no header may have. */
function droppedHeader(...fields: string[]): string | null {
  const dropped = fields.map((field) => ({ field, why: "" }));
  const inference = { id: "inf_1", attempts: [{ dropped }] } as unknown as Inference;
  return new Headers(answerHeaders(inference)).get("x-modelrig-dropped");
}

describe("x-modelrig-dropped", () => {
  it("names each field once", () => {
    expect(droppedHeader("seed", "tools[].cache_control", "seed")).toBe("seed, tools[].cache_control");
  });

  it.each([
    ["a\r\nx-evil: 1", "a%0D%0Ax-evil%3A%201"],
    ["a, b", "a%2C%20b"],
    ["é☃", "%C3%A9%E2%98%83"],
    ["\u0000", "%00"],
    ["\ud800", "%EF%BF%BD"],
  ])("percent-encodes a client's field name %j", (field, shown) => {
    expect(droppedHeader(field)).toBe(shown);
  });

  it("stays short, and says that it was cut", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `field_${index}`);
    expect(droppedHeader(...many)).toMatch(/^field_0, .{900,1000}, \.\.\.$/);
    expect(droppedHeader("x".repeat(9_000))).toBe("...");
  });
});
