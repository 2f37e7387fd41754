import { describe, expect, it } from "vitest";
import { isPointer, pointerTo, valueAt } from "../../../src/json/pointer.ts";

// The document and the pointers of RFC 6901, section 5.
const rfc = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8,
};

describe("a JSON pointer", () => {
  it.each([
    ["", rfc],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
  ])("%j finds its value", (pointer, expected) => {
    expect(valueAt(rfc, pointer)).toEqual(expected);
  });

  it.each(["/foo/2", "/foo/-", "/foo/00", "/foo/length", "/missing/deeper", "/toString", "/__proto__", "foo", "/m~2n"])(
    "%j finds nothing",
    (pointer) => {
      expect(valueAt(rfc, pointer)).toBeUndefined();
    },
  );

  it("is written with its special characters escaped, and read back", () => {
    const pointer = pointerTo(pointerTo("", "a/b~1"), 0);
    expect(pointer).toBe("/a~1b~01/0");
    expect(valueAt({ "a/b~1": ["here"] }, pointer)).toBe("here");
    expect(isPointer(pointer)).toBe(true);
    expect(isPointer("/~")).toBe(false);
  });
});
