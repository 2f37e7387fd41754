import { describe, expect, it } from "vitest";
import { exceedsDepth, exceedsMembers } from "../../../src/json/depth.ts";

describe("the depth check before parsing", () => {
  it.each([
    ["1", 0, false],
    ["[]", 0, true],
    ["[]", 1, false],
    ['{"a":[{}]}', 2, true],
    ['{"a":[{}]}', 3, false],
    ["[[],[],[[]]]", 2, true],
    ["[[],[],[]]", 2, false],
  ])("%s deeper than %i: %s", (text, max, expected) => {
    expect(exceedsDepth(text, max)).toBe(expected);
  });

  it("does not count brackets inside strings, whatever quotes and backslashes they hold", () => {
    expect(exceedsDepth(String.raw`{"a":"[[[[\"[[["}`, 1)).toBe(false);
    expect(exceedsDepth(String.raw`["\\",[[1]]]`, 2)).toBe(true);
    expect(exceedsDepth('["[[[[', 1)).toBe(false);
  });

  it("refuses a million brackets at the first one too many", () => {
    expect(exceedsDepth("[".repeat(1_000_000), 64)).toBe(true);
  });
});

describe("the count of members before parsing", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();

  it.each([
    ["one object at its limit", `{${keys(10)}}`, false],
    ["one object above it", `{${keys(11)}}`, true],
    ["a deeper object above it", `{"a":[{${keys(11)}}]}`, true],
    ["several objects at the limit of all", `[${Array.from({ length: 3 }, () => `{${keys(10)}}`).join()}]`, false],
    ["several objects above it", `[${Array.from({ length: 4 }, () => `{${keys(10)}}`).join()}]`, true],
    ["colons and braces of strings", `{"a":"${":{}".repeat(50)}"}`, false],
    ["a text that ends early", `{${keys(11)}`, true],
  ])("%s", (_, text, expected) => {
    expect(exceedsMembers(text, { each: 10, total: 30 })).toBe(expected);
  });
});
