import { describe, expect, it } from "vitest";
import { type StrictSubset, toStrictSubset } from "../../../src/json/strict/strict-subset.ts";

const SUBSETS: readonly StrictSubset[] = ["openai", "anthropic", "gemini"];

function fitted(schema: Record<string, unknown>, subset: StrictSubset) {
  const result = toStrictSubset(schema, subset);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function refusals(schema: Record<string, unknown>, subset: StrictSubset) {
  const result = toStrictSubset(schema, subset);
  return result.ok ? [] : result.error;
}

const object = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});

describe("objects", () => {
  it("are closed with everything required and absent properties nullable for OpenAI", () => {
    const schema = object({ a: { type: "string" }, b: { type: "integer" }, c: { enum: ["x"] } }, ["a"]);
    expect(fitted(schema, "openai")).toEqual({
      schema: {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: ["integer", "null"] },
          c: { type: ["string", "null"], enum: ["x", null] },
        },
        required: ["a", "b", "c"],
        additionalProperties: false,
      },
      lossy: false,
      nullsForAbsent: true,
      moved: [],
    });
  });

  it("are closed and keep absent properties for Anthropic", () => {
    expect(fitted(object({ a: { type: "string" }, b: { type: "integer" } }, ["a"]), "anthropic").schema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    });
  });

  it("state the order of their properties, and no additionalProperties, for Gemini", () => {
    expect(
      fitted({ ...object({ z: { type: "string" }, a: { type: "string" } }), additionalProperties: false }, "gemini")
        .schema,
    ).toEqual({
      type: "object",
      properties: { z: { type: "string" }, a: { type: "string" } },
      propertyOrdering: ["z", "a"],
    });
  });
});

describe("what a provider does not enforce moves into the description", () => {
  const schema = object(
    { name: { type: "string", description: "As printed.", minLength: 2, pattern: "^[A-Z]", format: "iban" } },
    ["name"],
  );

  it.each([
    [
      "openai",
      { type: "string", pattern: "^[A-Z]", description: 'As printed.\nConstraints: minLength 2; format "iban"' },
    ],
    [
      "anthropic",
      { type: "string", description: 'As printed.\nConstraints: minLength 2; pattern "^[A-Z]"; format "iban"' },
    ],
    [
      "gemini",
      { type: "string", minLength: 2, pattern: "^[A-Z]", description: 'As printed.\nConstraints: format "iban"' },
    ],
  ] as const)("for %s", (subset, expected) => {
    const { schema: sent, lossy, moved } = fitted(schema, subset);
    expect(sent).toMatchObject({ properties: { name: expected } });
    expect(Object.keys((sent["properties"] as { name: object }).name).sort()).toEqual(Object.keys(expected).sort());
    expect(lossy).toBe(true);
    expect(moved).toContain("/properties/name/format");
  });

  it("conditions too, so that the model reads them", () => {
    const conditional = { ...object({ a: { type: "string" } }, ["a"]), not: { properties: { a: { const: "no" } } } };
    expect(fitted(conditional, "openai")).toMatchObject({
      schema: { description: 'Constraints: not {"properties":{"a":{"const":"no"}}}' },
      moved: ["/not"],
    });
  });
});

describe("alternatives", () => {
  it("oneOf becomes anyOf, which enforces less", () => {
    const schema = object({ v: { oneOf: [{ type: "string" }, object({ k: { const: "a" } }, ["k"])] } }, ["v"]);
    for (const subset of SUBSETS) {
      const { schema: sent, lossy } = fitted(schema, subset);
      expect(sent).toMatchObject({ properties: { v: { anyOf: [{ type: "string" }, { type: "object" }] } } });
      expect(lossy).toBe(true);
    }
  });

  it("'or null' is written the way each provider takes it", () => {
    const schema = object({ v: { type: ["string", "null"] }, w: { anyOf: [{ type: "number" }, { type: "null" }] } }, [
      "v",
      "w",
    ]);
    const orNull = (subset: StrictSubset) => fitted(schema, subset).schema["properties"];
    expect(orNull("openai")).toMatchObject({
      v: { type: ["string", "null"] },
      w: { anyOf: [{ type: "number" }, { type: "null" }] },
    });
    expect(orNull("anthropic")).toMatchObject({ v: { anyOf: [{ type: "string" }, { type: "null" }] } });
    expect(orNull("gemini")).toEqual({ v: { type: "string", nullable: true }, w: { type: "number", nullable: true } });
  });

  it("what stands beside them holds in each of them", () => {
    const schema = {
      ...object({ a: { type: "string" }, b: { type: "string" } }),
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(fitted(schema, "anthropic").schema).toMatchObject({
      anyOf: [
        { type: "object", properties: { a: {}, b: {} }, required: ["a"], additionalProperties: false },
        { type: "object", properties: { a: {}, b: {} }, required: ["b"], additionalProperties: false },
      ],
    });
  });

  it("allOf is merged, through references", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/base" }, object({ b: { type: "boolean" } }, ["b"])],
      $defs: { base: object({ a: { type: "string", minLength: 1 }, b: { type: "boolean" } }, ["a"]) },
    };
    for (const subset of SUBSETS) {
      const sent = fitted(schema, subset).schema;
      expect(sent).toMatchObject({
        type: "object",
        properties: { a: { type: "string" }, b: { type: "boolean" } },
        required: ["a", "b"],
      });
      expect(sent["allOf"]).toBeUndefined();
    }
  });
});

describe("references", () => {
  const shared = {
    ...object({ from: { $ref: "#/definitions/Place" }, to: { $ref: "#/definitions/Place" } }, ["from", "to"]),
    definitions: { Place: object({ city: { type: "string" } }, ["city"]) },
  };
  const list = {
    $ref: "#/$defs/Node",
    $defs: { Node: object({ next: { $ref: "#/$defs/Node" }, v: { type: "string" } }, ["v"]) },
  };

  it("stay references into $defs for OpenAI and Anthropic, and are written out for Gemini", () => {
    for (const subset of ["openai", "anthropic"] as const) {
      expect(fitted(shared, subset).schema).toMatchObject({
        properties: { from: { $ref: "#/$defs/Place" }, to: { $ref: "#/$defs/Place" } },
        $defs: { Place: { type: "object", additionalProperties: false } },
      });
    }
    const place = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      propertyOrdering: ["city"],
    };
    expect(fitted(shared, "gemini").schema).toEqual({
      type: "object",
      properties: { from: place, to: place },
      required: ["from", "to"],
      propertyOrdering: ["from", "to"],
    });
  });

  it("may recurse for OpenAI only; the others refuse with the place", () => {
    expect(fitted(list, "openai").schema).toMatchObject({
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
    });
    for (const subset of ["anthropic", "gemini"] as const) {
      expect(refusals(list, subset)).toMatchObject([
        { pointer: "/properties/next", why: expect.stringContaining("recursive") },
      ]);
    }
    expect(refusals(object({ child: { $ref: "#" } }), "gemini")).toHaveLength(1);
  });

  it("to parts of the same name become definitions of different names", () => {
    const schema = {
      ...object({ a: { $ref: "#/$defs/x" }, b: { $ref: "#/definitions/x" } }, ["a", "b"]),
      $defs: { x: object({ p: { type: "string" } }) },
      definitions: { x: object({ q: { type: "string" } }) },
    };
    expect(Object.keys(fitted(schema, "openai").schema["$defs"] as object)).toEqual(["x", "x_2"]);
  });
});

describe("values", () => {
  it("a constant becomes an enum for Gemini where it is a string, else moves", () => {
    const schema = object({ kind: { const: "a" }, version: { const: 2 } }, ["kind", "version"]);
    expect(fitted(schema, "gemini")).toMatchObject({
      schema: {
        properties: {
          kind: { type: "string", enum: ["a"] },
          version: { type: "integer", description: "Constraints: const 2" },
        },
      },
      moved: ["/properties/version/const"],
    });
    expect(fitted(schema, "openai").schema).toMatchObject({ properties: { version: { type: "integer", const: 2 } } });
  });
});

describe("what a subset cannot express is refused, with the place and the reason", () => {
  it.each([
    ["any value", object({ a: {} }, ["a"]), "/properties/a"],
    ["a free-form object", object({ a: { type: "object" } }, ["a"]), "/properties/a"],
    [
      "freely named properties",
      object({ a: { ...object({ k: { type: "string" } }), additionalProperties: { type: "number" } } }),
      "/properties/a",
    ],
    ["a tuple", object({ a: { type: "array", prefixItems: [{ type: "string" }] } }), "/properties/a"],
    ["items of any kind", object({ a: { type: "array" } }), "/properties/a"],
    ["a required property that is not declared", object({ a: { type: "string" } }, ["b"]), ""],
    ["a malformed schema", object({ a: { type: "strng" } }), "/properties/a/type"],
  ])("%s", (_, schema, pointer) => {
    for (const subset of SUBSETS) {
      expect(refusals(schema, subset).map((fault) => fault.pointer)).toContain(pointer);
      for (const { why } of refusals(schema, subset)) expect(why).not.toBe("");
    }
  });

  it("contradicting parts of allOf", () => {
    expect(refusals({ allOf: [{ type: "string" }, { type: "number" }] }, "anthropic")).toMatchObject([{ pointer: "" }]);
  });

  const nested = (levels: number): Record<string, unknown> =>
    levels === 0 ? { type: "string" } : object({ a: nested(levels - 1) }, ["a"]);
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: "string" }]));
  const values = (count: number, length: number) =>
    Array.from({ length: count }, (_, n) => String(n).padStart(length, "x"));

  it.each([
    ["ten levels", nested(10), nested(11)],
    ["5,000 properties", object(many(5_000)), object(many(5_001))],
    [
      "1,000 enum values",
      object({ a: { enum: values(1_000, 4) } }, ["a"]),
      object({ a: { enum: values(1_001, 4) } }, ["a"]),
    ],
    [
      "15,000 characters of one large enum",
      object({ a: { enum: values(300, 50) } }),
      object({ a: { enum: values(300, 51) } }),
    ],
    [
      "120,000 characters of names",
      object({ ["n".repeat(119_999)]: { type: "string" } }),
      object({ ["n".repeat(120_001)]: { type: "string" } }),
    ],
    ["an object at the top", object({ a: { type: "string" } }), { type: "array", items: { type: "string" } }],
  ])("more than OpenAI's %s", (_, within, beyond) => {
    expect(refusals(within, "openai")).toEqual([]);
    expect(refusals(beyond, "openai")).toHaveLength(1);
    expect(refusals(beyond, "anthropic")).toEqual([]);
  });

  it("references that multiply when written out", () => {
    const doubling = Array.from({ length: 30 }, (_, n) => [
      `d${n}`,
      object({ l: { $ref: `#/$defs/d${n + 1}` }, r: { $ref: `#/$defs/d${n + 1}` } }, ["l", "r"]),
    ]);
    const schema = { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(doubling), d30: { type: "string" } } };
    expect(refusals(schema, "gemini")).toMatchObject([{ why: "is too large" }]);
    expect(refusals(schema, "anthropic")).toEqual([]);
  });
});

it("a schema is fitted once, and is not modified", () => {
  const schema = object({ a: { type: "string", minLength: 1 } });
  const before = JSON.stringify(schema);
  expect(toStrictSubset(schema, "openai")).toBe(toStrictSubset(schema, "openai"));
  expect(JSON.stringify(schema)).toBe(before);
});
