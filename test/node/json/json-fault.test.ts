import { describe, expect, test } from "vitest";
import { jsonFaultPosition } from "../../../src/json/json-fault.ts";

describe("the position of a JSON fault", () => {
  test.each([
    ['{"a":}', "line 1, column 6"],
    ['{"a":1,}', "line 1, column 8"],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"],
    ['{"a":"x\ny"}', "line 1, column 8"],
    ['{"a":"\\q"}', "line 1, column 7"],
    ["nul", "line 1, column 1"],
    ["01", "line 1, column 2"],
    ["{} x", "line 1, column 4"],
    ["[1 2]", "line 1, column 4"],
    ["]", "line 1, column 1"],
    ["[}", "line 1, column 2"],
    ["[1,2", "it ends too early, at line 1, column 5"],
    ['{"a":"x', "it ends too early, at line 1, column 8"],
    ["", "it ends too early, at line 1, column 1"],
  ])("%j: %s", (text, where) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonFaultPosition(text)).toBe(where);
  });

  test("finds the end of a megabyte-long string that was cut", () => {
    expect(jsonFaultPosition(`{"a":"${"x".repeat(1_000_000)}`)).toBe("it ends too early, at line 1, column 1000007");
  });
});
