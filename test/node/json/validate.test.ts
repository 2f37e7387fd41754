import { describe, expect, it } from "vitest";
import { parseExact } from "../../../src/json/exact-numbers.ts";
import { SchemaCheck } from "../../../src/json/schema/schema-check.ts";
import { openSchema } from "../../../src/json/schema/schema-document.ts";
import { compileSchema } from "../../../src/json/schema/validate.ts";
import { Steps } from "../../../src/json/steps.ts";

function validator(schema: unknown) {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value;
}

function faultsOf(schema: unknown) {
  const compiled = compileSchema(schema);
  return compiled.ok ? [] : compiled.error;
}

function stepsOf(schema: unknown, value: unknown): number {
  const opened = openSchema(schema);
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  const steps = new Steps(Number.POSITIVE_INFINITY);
  new SchemaCheck(opened.value, 0, steps).accepts(opened.value.root, value, undefined);
  return steps.taken;
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
    expect(new Set(paths)).toEqual(new Set(["/id", "/lines/0/qty~1unit", "/lines/1/qty~1unit", "/extra"]));
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
    ["of a draft that is not supported", { $schema: "http://json-schema.org/draft-03/schema#" }, "/$schema"],
    ["of two drafts", { items: { $schema: "http://json-schema.org/draft-07/schema#" } }, "/items/$schema"],
    ["with two parts of one name", { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "/$defs/b"],
    ["with an address that is none", { items: { $id: "http://[x" } }, "/items/$id"],
    ["with a pattern that no bounded matcher can judge", { items: { pattern: "(a)\\1" } }, "/items/pattern"],
    ["with such a pattern for names", { patternProperties: { "(a)\\1": {} } }, "/patternProperties/(a)\\1"],
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

  it("judges branches that double at every level once each, also where it names what is wrong", () => {
    const levels = Array.from({ length: 60 }, (_, level) => [
      `d${level}`,
      level === 59 ? { type: "array" } : { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/d${level + 1}` })) },
    ]);
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs: Object.fromEntries(levels) };
    const result = validator(schema)({ a: 1 });
    expect(result).toMatchObject({
      valid: false,
      errors: expect.arrayContaining([expect.objectContaining({ path: "/a" })]),
    });
    expect(result).not.toHaveProperty("tooCostly", true);
  });

  it("judges while that is little", () => {
    expect(validator(fan(8))("text")).toEqual({ valid: true });
    expect(validator(fan(8))(1).valid).toBe(false);
  });

  it("judges each part once for each value, however many ways lead to it", () => {
    expect(stepsOf(fan(18), "text")).toBeLessThan(400);
    expect(stepsOf(fan(60), "text")).toBeLessThan(1_000);
    const either = JSON.parse(JSON.stringify(fan(18)).replaceAll("allOf", "anyOf")) as unknown;
    expect(stepsOf(either, 1)).toBeLessThan(400);
    expect(validator(either)(1).valid).toBe(false);
  });

  it("judges a long array whose items all refer to one definition", () => {
    const list = validator({ $defs: { i: { type: "integer" } }, type: "array", items: { $ref: "#/$defs/i" } });
    expect(list(Array.from({ length: 50_000 }, (_, index) => index)).valid).toBe(true);
  });
});

describe("the steps of one value", () => {
  it("grow with the value where items must differ", () => {
    const objects = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index, name: `n${index}` }));
    const unique = { type: "array", uniqueItems: true };
    expect(stepsOf(unique, objects(20_000))).toBeLessThan(4 * 20_000);
    expect(validator(unique)(objects(20_000)).valid).toBe(true);
    expect(
      validator(unique)([
        { a: 1, b: [2] },
        { b: [2], a: 1.0 },
      ]).valid,
    ).toBe(false);
  });

  it("end at the first of a million unknown keys, and at once where they are too many", () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, index]));
    expect(stepsOf({ properties: { a: {} }, additionalProperties: false }, many)).toBeLessThan(10);
    const patterned = { maxProperties: 10, patternProperties: { "^x(a|aa)+$": {} } };
    expect(stepsOf(patterned, many)).toBeLessThan(10);
    const verdict = validator({ additionalProperties: false })(many);
    expect(verdict.valid ? [] : verdict.errors).toHaveLength(50);
  });

  it("are limited, and the refusal names the limit and is marked", () => {
    const schema = { items: { pattern: ".{1,3000}x" } };
    const verdict = validator(schema)(Array.from({ length: 10 }, () => "a".repeat(20_000)));
    expect(verdict).toMatchObject({ valid: false, tooCostly: true });
    expect(verdict.valid ? "" : verdict.errors[0]?.message).toContain("5000000 steps");
  });
});

describe("a schema of draft-04", () => {
  const draft04 = (schema: object) => validator({ $schema: "http://json-schema.org/draft-04/schema#", ...schema });

  it("switches a bound with a boolean beside it", () => {
    const above = draft04({ minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false });
    expect([1, 2, 3, 4].map((value) => above(value).valid)).toEqual([false, true, true, false]);
    expect(draft04({ exclusiveMaximum: true })(9).valid).toBe(true);
  });

  it("names its parts with id, but not inside an enum or an unknown keyword", () => {
    const named = draft04({
      id: "https://x.example/root.json",
      definitions: { a: { id: "a.json", type: "integer" }, b: { id: "#b", type: "string" } },
      enum: [{ id: "https://x.example/a.json" }, 1, "text"],
      anyOf: [{ $ref: "a.json" }, { $ref: "#b" }],
    });
    expect([1, "text", { id: "https://x.example/a.json" }].map((value) => named(value).valid)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("ignores keywords of later drafts, and what stands beside a $ref", () => {
    expect(draft04({ const: 1, contains: { type: "null" }, if: {}, else: false, propertyNames: false })(2).valid).toBe(
      true,
    );
    const beside = draft04({ $ref: "#/definitions/s", maxLength: 1, definitions: { s: { type: "string" } } });
    expect(beside("long").valid).toBe(true);
  });

  it("has items as a list with additionalItems, and dependencies", () => {
    const tuple = draft04({ items: [{ type: "integer" }], additionalItems: false });
    expect([[1], [1, 2], ["a"]].map((value) => tuple(value).valid)).toEqual([true, false, false]);
    const needs = draft04({ dependencies: { a: ["b"], c: { required: ["d"] } } });
    expect([{ a: 1, b: 1 }, { a: 1 }, { c: 1 }, { c: 1, d: 1 }].map((value) => needs(value).valid)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});

describe("OpenAPI's nullable", () => {
  it.each([
    [{ type: "string", nullable: true }],
    [{ type: "string", enum: ["a"], nullable: true }],
    [{ anyOf: [{ type: "string" }], nullable: true }],
    [{ allOf: [{ $ref: "#/$defs/s" }], nullable: true, $defs: { s: { type: "string" } } }],
  ])("lets a value be null besides what else it may be: %j", (schema) => {
    expect(validator(schema)(null).valid).toBe(true);
    expect(validator(schema)(1).valid).toBe(false);
    expect(validator(schema)("a").valid).toBe(true);
    expect(validator({ ...schema, nullable: false })(null).valid).toBe(false);
  });
});

describe("a reference", () => {
  it.each(["#/$defs/%5Bx%5D%2B", "#/$defs/[x]+", "#/$defs/%5bx%5d+"])("may encode any character: %s", ($ref) => {
    const schema = { $defs: { "[x]+": { type: "string" } }, properties: { b: { $ref } } };
    expect([{ b: "s" }, { b: 1 }].map((value) => validator(schema)(value).valid)).toEqual([true, false]);
  });

  it("tells one anchor apart under two addresses", () => {
    const schema = {
      $defs: {
        a: { $id: "https://a.example/", $anchor: "x", type: "string" },
        b: { $id: "https://b.example/", $anchor: "x", type: "integer" },
      },
      $ref: "https://b.example/#x",
    };
    expect([1, "s"].map((value) => validator(schema)(value).valid)).toEqual([true, false]);
  });
});

describe("a number", () => {
  it("that a double cannot hold is an integer, and differs from its neighbours", () => {
    const value = parseExact("[9007199254740993, 9007199254740992]");
    const schema = { items: { type: "integer", minimum: 1, multipleOf: 1 }, uniqueItems: true };
    expect(validator(schema)(value)).toEqual({ valid: true });
    expect(validator({ items: { multipleOf: 2 } })(value).valid).toBe(false);
    expect(validator({ items: { type: "object" } })(value).valid).toBe(false);
  });

  it.each([
    [0.3, 0.1, true],
    [1.15, 0.05, true],
    [4.5, 1.5, true],
    [0.35, 0.1, false],
    [1e22, 1e-7, true],
    [1e308, 0.123456789, false],
    [-0.02, 0.01, true],
    [1e-7, 1e-8, true],
  ])("is a multiple as its decimals say: %d of %d", (value, multipleOf, valid) => {
    expect(validator({ multipleOf })(value).valid).toBe(valid);
  });
});
