import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exceedsDepth } from "../../src/json/depth.ts";
import { pointerTo, valueAt } from "../../src/json/pointer.ts";
import { repairJson } from "../../src/json/repair/repair.ts";
import { undoNullable } from "../../src/json/schema/undo-nullable.ts";
import { compileSchema } from "../../src/json/schema/validate.ts";
import { toStrictSubset } from "../../src/json/strict/strict-subset.ts";

/** Text made of what breaks parsers: brackets, quotes, escapes, fences, keywords, and anything else. */
const shards = fc.constantFrom(
  ...[
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "\\",
    ",",
    ":",
    "(",
    ")",
    "+",
    "`",
    "```",
    "```json\n",
    "/*",
    "*/",
    "//",
    "#",
    "\n",
    " ",
  ],
  ...[
    '"a":',
    "true",
    "None",
    "1_0",
    "-",
    ".",
    "…",
    "“",
    "<think>",
    "</think>",
    "\\u12",
    "\u0000",
    "\ud800",
    "NaN",
    "x(",
  ],
);
const brokenText = fc
  .array(fc.oneof({ weight: 5, arbitrary: shards }, fc.string({ maxLength: 8 })), { maxLength: 60 })
  .map((parts) => parts.join(""));
const document = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

describe("repair", () => {
  it("never throws, and what it returns is JSON of the value it returns", () => {
    fc.assert(
      fc.property(brokenText, fc.boolean(), (text, guided) => {
        const result = repairJson(text, guided ? { schema: { type: "object", required: ["a"] } } : {});
        if (result.ok) expect(JSON.parse(result.value.text)).toEqual(result.value.value);
      }),
      { numRuns: 5_000 },
    );
  });

  it("leaves valid JSON as it is", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(repairJson(text)).toEqual({
          ok: true,
          value: { value: JSON.parse(text), text, changed: false, completed: true },
        });
      }),
    );
  });

  it("finds a document in a fence or in prose, unchanged", () => {
    const prose = fc.string().map((text) => text.replace(/[{}[\]"'`<>/#*“”‘’´]/g, ""));
    fc.assert(
      fc.property(document, prose, prose, fc.boolean(), (value, before, after, fenced) => {
        const text = JSON.stringify(value);
        const answer = fenced
          ? `${before}\n\`\`\`json\n${text}\n\`\`\`\n${after}`
          : `${before}. Answer:\n${text}\nEnd. ${after}`;
        const result = repairJson(answer);
        expect(result).toMatchObject({ ok: true, value: { text, completed: true } });
      }),
      { numRuns: 1_000 },
    );
  });

  it("marks a document that was cut anywhere before its end as cut, or finds nothing", () => {
    const hard = fc.string({ unit: fc.constantFrom(...'"\\{}[],:\n ab'), maxLength: 12 });
    const long = fc.record({
      a: fc.oneof(fc.string(), hard),
      b: fc.array(fc.oneof(fc.jsonValue(), hard, fc.dictionary(hard, hard)), { minLength: 1 }),
      c: fc.nat(),
    });
    fc.assert(
      fc.property(long, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value, share) => {
        const text = JSON.stringify(value);
        const cut = text.slice(0, Math.floor(share * text.length));
        // Cut inside a string right behind a bracket, a text reads like one that forgot a quote: nobody could tell.
        fc.pre(!/[}\]]\s*$/.test(cut));
        const result = repairJson(cut);
        if (result.ok) expect(result.value.completed).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it("escapes what a model forgot to: quotes inside values", () => {
    const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/);
    fc.assert(
      fc.property(words, words, words, (before, quoted, after) => {
        const said = `${before} "${quoted}" ${after}`;
        expect(repairJson(`{"said": "${said}", "n": 1}`)).toMatchObject({
          ok: true,
          value: { value: { said, n: 1 }, completed: true },
        });
      }),
    );
  });
});

/** Schemas every strict mode can express, each with a generator of values that conform to it. */
interface Modelled {
  readonly schema: Record<string, unknown>;
  readonly value: fc.Arbitrary<unknown>;
}

const leaf: fc.Arbitrary<Modelled> = fc.constantFrom<Modelled>(
  { schema: { type: "string" }, value: fc.string() },
  { schema: { type: "string", minLength: 1, maxLength: 9 }, value: fc.string({ minLength: 1, maxLength: 4 }) },
  { schema: { type: "integer", minimum: 0 }, value: fc.nat() },
  { schema: { type: ["number", "null"] }, value: fc.option(fc.integer()) },
  { schema: { enum: ["a", "b"] }, value: fc.constantFrom("a", "b") },
  { schema: { enum: ["a", null] }, value: fc.constantFrom("a", null) },
  { schema: { type: "boolean" }, value: fc.boolean() },
  { schema: { anyOf: [{ type: "string" }, { type: "null" }] }, value: fc.option(fc.string()) },
);

const modelled = fc.letrec<{ node: Modelled; object: Modelled; list: Modelled }>((tie) => ({
  node: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("object"), tie("list")),
  list: tie("node").map(({ schema, value }) => ({
    schema: { type: "array", items: schema },
    value: fc.array(value, { maxLength: 3 }),
  })),
  object: fc
    .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.tuple(tie("node"), fc.boolean()), { minKeys: 1, maxKeys: 4 })
    .map((members) => {
      const entries = Object.entries(members);
      const requiredKeys = entries.filter(([, [, required]]) => required).map(([key]) => key);
      return {
        schema: {
          type: "object",
          properties: Object.fromEntries(entries.map(([key, [{ schema }]]) => [key, schema])),
          required: requiredKeys,
          additionalProperties: false,
        },
        value: fc.record(Object.fromEntries(entries.map(([key, [{ value }]]) => [key, value])), { requiredKeys }),
      };
    }),
})).object;

const conforming = modelled.chain(({ schema, value }) => value.map((sample) => ({ schema, sample })));

function accepts(schema: unknown, value: unknown): boolean {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value(value).valid;
}

/** The value as OpenAI's strict mode would have the model write it: every declared property there, absent ones null. */
function asStrict(schema: unknown, value: unknown): unknown {
  if (typeof schema !== "object" || schema === null || typeof value !== "object" || value === null) return value;
  const { properties = {}, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  if (Array.isArray(value)) return value.map((item) => asStrict(items, item));
  const members = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties).map(([key, inner]) => [
      key,
      Object.hasOwn(members, key) ? asStrict(inner, members[key]) : null,
    ]),
  );
}

describe("strict subsets", () => {
  it("let every conforming value through, as the provider has it written", () => {
    fc.assert(
      fc.property(conforming, ({ schema, sample }) => {
        const openai = toStrictSubset(schema, "openai");
        const anthropic = toStrictSubset(schema, "anthropic");
        if (openai.ok) expect(accepts(openai.value.schema, asStrict(schema, sample))).toBe(true);
        expect(anthropic.ok && accepts(anthropic.value.schema, sample)).toBe(true);
      }),
    );
  });

  it("and undoing gives back a value that conforms to the original", () => {
    fc.assert(
      fc.property(conforming, ({ schema, sample }) => {
        expect(accepts(schema, undoNullable(schema, asStrict(schema, sample)))).toBe(true);
        // A value that needs no undoing is left alone.
        expect(undoNullable(schema, sample)).toEqual(sample);
      }),
    );
  });

  it("hold only keywords that the provider takes, every object closed and complete for OpenAI", () => {
    const allowed =
      /^(?:type|properties|required|additionalProperties|items|anyOf|enum|const|\$ref|\$defs|title|description|format|pattern|minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minItems|maxItems)$/;
    const check = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { properties, required, items, anyOf, ...rest } = node as Record<string, unknown>;
      for (const keyword of Object.keys(rest)) expect(keyword).toMatch(allowed);
      if (properties !== undefined) {
        expect(required).toEqual(Object.keys(properties as object));
        expect(rest["additionalProperties"]).toBe(false);
        Object.values(properties as object).forEach(check);
      }
      check(items);
      if (Array.isArray(anyOf)) anyOf.forEach(check);
    };
    fc.assert(
      fc.property(modelled, ({ schema }) => {
        const fitted = toStrictSubset(schema, "openai");
        if (fitted.ok) check(fitted.value.schema);
        else expect(fitted.error[0]?.why).toContain("levels");
      }),
    );
  });
});

describe("pointers and depth", () => {
  it("a pointer built from a path finds what the path finds", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), fc.jsonValue(), (path, leafValue) => {
        const nested = path.reduceRight<unknown>((value, key) => Object.fromEntries([[key, value]]), leafValue);
        expect(valueAt(nested, path.reduce<string>(pointerTo, ""))).toEqual(leafValue);
      }),
    );
  });

  it("depth is that of the parsed value", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat({ max: 8 }), (text, max) => {
        expect(exceedsDepth(text, max)).toBe(depthOf(JSON.parse(text)) > max);
      }),
    );
  });
});

describe("validation", () => {
  it("of anything by any schema either compiles or says why not, and never throws", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "$ref",
      "anyOf",
      "pattern",
      "required",
      "enum",
      "$defs",
      "not",
      "x",
    );
    const anySchema = fc.dictionary(
      keyword,
      fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue()), fc.constant("#/$defs/a")),
    );
    fc.assert(
      fc.property(anySchema, fc.jsonValue(), (schema, value) => {
        const compiled = compileSchema(schema);
        if (compiled.ok) expect(compiled.value(value).valid).toBeTypeOf("boolean");
        else expect(compiled.error.length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
