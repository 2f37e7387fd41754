import { describe, expect, it } from "vitest";
import { can, isExpired } from "../../../src/identity/authorize.ts";
import { EVERY_LANE, EVERY_ROUTE, isReachPattern, mayCall } from "../../../src/identity/reach.ts";
import { SCOPES } from "../../../src/identity/scope.ts";

describe("what a key may call", () => {
  const cases: [patterns: readonly string[] | undefined, reach: string, may: boolean][] = [
    [undefined, "raw:openai/gpt-5.4", true],
    [[], "example.summarize", false],
    [["example.summarize"], "example.summarize", true],
    [["example.summarize"], "example.summarize2", false],
    [["example.summarize"], "example.Summarize", false],
    [["example.*"], "example.summarize", true],
    [["example.*"], "examples.summarize", false],
    [["*.summarize"], "example.summarize", true],
    [["a*b*c"], "a-b-c", true],
    [["a*b*c"], "abc", true],
    [["a*b*c"], "a-c", false],
    [["ab*ba"], "aba", false],
    [["e.ample"], "example", false],
    // All routes are neither raw models nor the auto lane.
    [[EVERY_ROUTE], "example.summarize", true],
    [[EVERY_ROUTE], "raw:openai/gpt-5.4", false],
    [[EVERY_ROUTE], "auto", false],
    [[EVERY_ROUTE], "auto:batch", false],
    [["raw:openai/*"], "raw:openai/gpt-5.4", true],
    [["raw:openai/*"], "raw:openai2/gpt-5.4", false],
    [["raw:openai/*"], "openai/gpt-5.4", false],
    [["raw:ollama/*"], "raw:ollama/llama3:8b", true],
    [["r*"], "raw:openai/gpt-5.4", false],
    [["auto"], "auto", true],
    [["auto"], "auto:batch", false],
    [["auto:*"], "auto:batch", true],
    [["auto:*"], "auto", false],
    [EVERY_LANE, "example.summarize", true],
    [EVERY_LANE, "raw:openai/gpt-5.4", true],
    [EVERY_LANE, "auto", true],
    [EVERY_LANE, "auto:batch", true],
  ];
  it.each(cases)("with %j, %s: %s", (routes, reach, may) => {
    expect(mayCall({ routes }, reach)).toBe(may);
  });

  it("is written as patterns that can be read, and others are refused at intake", () => {
    for (const pattern of [
      "*",
      "example.*",
      "raw:*",
      "raw:openai/*",
      "raw:ollama/llama3:8b",
      "auto",
      "auto:batch",
      "*.a",
    ])
      expect(isReachPattern(pattern)).toBe(true);
    for (const pattern of ["", " ", "example .a", "foo:bar", "raw:", "auto:", "a\n", "ü"])
      expect(isReachPattern(pattern)).toBe(false);
  });
});

describe("scopes", () => {
  it("allow what they say, and admin everything", () => {
    expect(can({ scopes: ["call"] }, "call")).toBe(true);
    expect(can({ scopes: ["call", "grade"] }, "query")).toBe(false);
    for (const scope of SCOPES) expect(can({ scopes: ["admin"] }, scope)).toBe(true);
  });
});

describe("expiry", () => {
  it("is refused from its very millisecond", () => {
    expect(isExpired({ expiresAt: 1_000 }, 999)).toBe(false);
    expect(isExpired({ expiresAt: 1_000 }, 1_000)).toBe(true);
    expect(isExpired({}, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
