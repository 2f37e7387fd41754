import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../src/json/schema/validate.ts";

function validator(schema: unknown) {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value;
}

function faultsOf(schema: unknown) {
  const compiled = compileSchema(schema);
  return compiled.ok ? [] : compiled.error;
}

const order = {
  type: "object",
  properties: {
    id: { type: "string", pattern: "^o-" },
    lines: { type: "array", items: { type: "object", properties: { "qty/unit": { type: "integer", minimum: 1 } } } },
  },
  required: ["id", "lines"],
  additionalProperties: false,
};

describe("a validator", () => {
  it("accepts what conforms, and names the place of every error of what does not", () => {
    const validate = validator(order);
    expect(validate({ id: "o-1", lines: [{ "qty/unit": 2 }] })).toEqual({ valid: true });
    const result = validate({ id: "x", lines: [{ "qty/unit": 0 }, { "qty/unit": "2" }], extra: 1 });
    expect(result.valid).toBe(false);
    const paths = result.valid ? [] : result.errors.map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(["/id", "/lines/0/qty~1unit", "/lines/1/qty~1unit", "", "/extra"]));
  });

  it("is made once per schema object", () => {
    expect(validator(order)).toBe(validator(order));
    expect(validator({ ...order })).not.toBe(validator(order));
  });

  it("leaves the schema as it was, also a frozen one", () => {
    const schema = Object.freeze({ $id: "https://x.example/s", $ref: "#/$defs/a", $defs: { a: { type: "string" } } });
    const before = JSON.stringify(schema);
    expect(validator(schema)("a")).toEqual({ valid: true });
    expect(JSON.stringify(schema)).toBe(before);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["$id", "$ref", "$defs"]);
  });

  it("reads draft-07 where $schema says so: what stands beside $ref does not count", () => {
    const schema = { $ref: "#/definitions/s", maxLength: 1, definitions: { s: { type: "string" } } };
    expect(validator(schema)("long").valid).toBe(false);
    expect(validator({ $schema: "http://json-schema.org/draft-07/schema#", ...schema })("long").valid).toBe(true);
  });

  it("follows recursion as deep as the value goes", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" } }, additionalProperties: false };
    expect(validator(tree)({ child: { child: { child: {} } } }).valid).toBe(true);
    expect(validator(tree)({ child: { child: { chld: {} } } }).valid).toBe(false);
  });

  it("calls a value nested beyond the stack invalid instead of failing", () => {
    const tree = { type: "array", items: { $ref: "#" } };
    let value: unknown = [];
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(validator(tree)(value)).toMatchObject({ valid: false });
  });

  it("survives a list of more errors than a call can carry", () => {
    const result = validator({ type: "array", items: { type: "string" } })(Array.from({ length: 200_000 }, () => 1));
    expect(result.valid).toBe(false);
    expect(result.valid ? 0 : result.errors.length).toBeLessThanOrEqual(50);
  });

  it("resolves references by pointer (escaped too), by anchor, and into keywords it does not know", () => {
    expect(validator({ $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { const: 1 } } })(2).valid).toBe(false);
    expect(validator({ $ref: "#here", $defs: { a: { $anchor: "here", const: 1 } } })(2).valid).toBe(false);
    expect(validator({ $ref: "#/components/schemas/A", components: { schemas: { A: { const: 1 } } } })(2).valid).toBe(
      false,
    );
  });

  it("takes a property called __proto__ for what it is", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as unknown;
    expect(validator(schema)(JSON.parse('{"__proto__":1}')).valid).toBe(false);
  });
});

describe("a schema is refused", () => {
  it.each([
    ["that is no schema", 7, ""],
    ["with an unknown type", { properties: { a: { type: "strng" } } }, "/properties/a/type"],
    ["with a keyword of the wrong shape", { required: "a" }, "/required"],
    ["with a broken regular expression", { pattern: "(" }, "/pattern"],
    ["with a bound that is no number", { items: { minimum: "1" } }, "/items/minimum"],
    ["with a reference that leads nowhere", { properties: { a: { $ref: "#/$defs/x" } } }, "/properties/a/$ref"],
    ["with a remote reference, which is not fetched", { $ref: "https://x.example/schema.json" }, "/$ref"],
    ["with a dynamic reference", { items: { $dynamicRef: "#node" } }, "/items/$dynamicRef"],
    ["of a draft that is not supported", { $schema: "http://json-schema.org/draft-04/schema#" }, "/$schema"],
    [
      "with OpenAPI's nullable, which would be ignored",
      { properties: { a: { nullable: true } } },
      "/properties/a/nullable",
    ],
  ])("%s", (_, schema, pointer) => {
    expect(faultsOf(schema).map((fault) => fault.pointer)).toContain(pointer);
  });

  it("that refers in a circle, directly or through keywords that apply to the same value", () => {
    expect(faultsOf({ $ref: "#" })).toHaveLength(1);
    const circle = { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/a" }] } } };
    expect(faultsOf(circle)[0]?.message).toContain("circle");
  });

  it("that nests beyond reason, without running out of stack", () => {
    let schema: Record<string, unknown> = { type: "string" };
    for (let level = 0; level < 50_000; level += 1) schema = { type: "array", items: schema };
    expect(faultsOf(schema)[0]?.message).toContain("nested deeper");
  });
});

describe("a schema whose references double the work at each level", () => {
  const fan = (levels: number): Record<string, unknown> => {
    const defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level <= levels; level += 1) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      defs[`d${level}`] = { allOf: [below, below] };
    }
    return { $defs: defs, $ref: `#/$defs/d${levels}` };
  };

  it("judges while that is little", () => {
    expect(validator(fan(8))("text")).toEqual({ valid: true });
    expect(validator(fan(8))(1).valid).toBe(false);
  });

  it("accepts nothing where it would hold the isolate, and says so", () => {
    const verdict = validator(fan(60))("text");
    expect(verdict).toMatchObject({ valid: false, errors: [{ message: expect.stringContaining("branch so much") }] });
  });

  it("judges a long array whose items all refer to one definition", () => {
    const list = validator({ $defs: { i: { type: "integer" } }, type: "array", items: { $ref: "#/$defs/i" } });
    expect(list(Array.from({ length: 50_000 }, (_, index) => index)).valid).toBe(true);
  });
});
