import { describe, expect, it } from "vitest";
import { exceedsDepth } from "../../../src/json/depth.ts";

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
