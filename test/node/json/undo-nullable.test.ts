import { describe, expect, it } from "vitest";
import { undoNullable } from "../../../src/json/schema/undo-nullable.ts";

const schema = {
  type: "object",
  properties: {
    needed: { type: ["string", "null"] },
    absent: { type: "string" },
    eitherWay: { type: ["string", "null"] },
    nested: { $ref: "#/$defs/nested" },
    list: { type: "array", items: { $ref: "#/$defs/nested" } },
    choice: {
      anyOf: [
        { type: "object", properties: { kind: { const: "a" }, x: { type: "null" } }, required: ["kind"] },
        { type: "object", properties: { kind: { const: "b" }, x: { type: "number" } }, required: ["kind"] },
      ],
    },
  },
  required: ["needed"],
  additionalProperties: { type: "object", properties: { y: { type: "string" } } },
  $defs: { nested: { type: "object", properties: { y: { type: "number" } } } },
};

describe("nulls that stand for absent properties", () => {
  it("are taken out, and no others", () => {
    expect(undoNullable(schema, { needed: null, absent: null, eitherWay: null })).toEqual({
      needed: null,
      eitherWay: null,
    });
  });

  it("are taken out at every depth, through references, lists and undeclared properties", () => {
    const value = { needed: "", nested: { y: null }, list: [{ y: null }, { y: 1 }, null], other: { y: null } };
    expect(undoNullable(schema, value)).toEqual({ needed: "", nested: {}, list: [{}, { y: 1 }, null], other: {} });
  });

  it("are judged by the alternative that was meant", () => {
    expect(undoNullable(schema, { needed: "", choice: { kind: "a", x: null } })).toMatchObject({
      choice: { kind: "a", x: null },
    });
    expect(undoNullable(schema, { needed: "", choice: { kind: "b", x: null } })).toEqual({
      needed: "",
      choice: { kind: "b" },
    });
  });

  it("leave the value given as it was", () => {
    const value = { needed: null, absent: null };
    undoNullable(schema, value);
    expect(value).toEqual({ needed: null, absent: null });
  });

  it("stay under a schema that cannot be read, and in a value nested beyond the stack", () => {
    expect(undoNullable({ type: "strng" }, { a: null })).toEqual({ a: null });
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(undoNullable({ type: "array", items: { $ref: "#" } }, deep)).toBe(deep);
  });
});
