/** What `routes check` finds in bundles that compile and are probably not what was meant. */
import { describe, expect, it } from "vitest";
import { compileAll } from "../../../src/config/compile-all.ts";

const CONFIG = `providers:
  own:
    dialect: openai
    base_url: http://127.0.0.1:9/v1
    models:
      one: { context_window: 1000, max_output: 100, price: { input_per_million: 1, output_per_million: 2 } }
      unpriced: { context_window: 1000, max_output: 100 }
`;

async function warned(route: string): Promise<readonly string[]> {
  const bundle = { file: "a.yaml", text: `route: a\ntemplate: { user: "hi" }\n${route}` };
  const context = { at: new Date("2026-12-01T00:00:00Z"), readFile: () => undefined };
  const result = await compileAll([bundle], { file: "modelrig.yaml", text: CONFIG }, context);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join("\n"));
  return result.warnings.map(({ code, line, message }) => `${code} ${line} ${message}`);
}

const ONE = "candidates: [{ provider: own, model: one }]\n";
const schema = (text: string): string => `${ONE}output: { schema: ${text} }\n`;

describe("a required name that no property has", () => {
  it.each([
    ["at the top", "{ type: object, properties: { summary: { type: string } }, required: [sumary] }"],
    [
      "in a nested object",
      "{ type: object, properties: { o: { type: object, properties: { summary: {} }, required: [sumary] } } }",
    ],
    [
      "in the items of a list",
      "{ type: object, properties: { l: { type: array, items: { type: object, properties: { summary: {} }, required: [sumary] } } } }",
    ],
    [
      "in a definition",
      "{ $ref: '#/$defs/t', $defs: { t: { type: object, properties: { summary: {} }, required: [sumary] } } }",
    ],
  ])("is named with its likely spelling %s", async (_where, text) => {
    expect(await warned(schema(text))).toEqual([
      expect.stringMatching(/^route\.required_undeclared 4 sumary is required.*did you mean summary\?$/),
    ]);
  });

  it("is named in the input too", async () => {
    const input = "input: { type: object, properties: { text: { type: string } }, required: [txet] }\n";
    expect(await warned(`${ONE}${input}`)).toContainEqual(expect.stringContaining("txet is required"));
  });

  it.each([
    ["every name is declared", "{ type: object, properties: { a: {} }, required: [a] }"],
    ["nothing is declared", "{ type: object, required: [a] }"],
    [
      "a pattern may declare it",
      "{ type: object, properties: { a: {} }, patternProperties: { '^b': {} }, required: [b1] }",
    ],
    [
      "another part of the schema may",
      "{ type: object, properties: { a: {} }, allOf: [{ properties: { b: {} } }], required: [b] }",
    ],
  ])("is no matter where %s", async (_why, text) => {
    expect(await warned(schema(text))).toEqual([]);
  });
});

describe("a candidate", () => {
  it.each([
    ["own", "onee", "did you mean one?"],
    ["sim", "atlas-smal", "did you mean atlas-small?"],
  ])("that %s does not list is named with its likely spelling", async (provider, model, hint) => {
    const found = await warned(
      `candidates: [{ provider: ${provider}, model: ${model} }, { provider: own, model: one }]\n`,
    );
    expect(found.find((one) => one.startsWith("route.unlisted_model"))).toContain(hint);
  });

  it("of a provider that lists no models is not doubted", async () => {
    const found = await warned("candidates: [{ provider: openai, model: gpt-of-tomorrow }]\n");
    expect(found.some((one) => one.startsWith("route.unlisted_model"))).toBe(false);
  });

  it("whose price nobody knows is named, with a budget and without", async () => {
    for (const more of ["", "budget: { usd_per_day: 5 }\n"])
      expect(
        await warned(`candidates: [{ provider: own, model: unpriced, params: { max_tokens: 9 } }]\n${more}`),
      ).toEqual([expect.stringMatching(/^route\.unpriced_candidate .*own\/unpriced has no known price/)]);
  });

  it("that may be unpriced is not named", async () => {
    expect(await warned("allow_unpriced: true\ncandidates: [{ provider: own, model: unpriced }]\n")).toEqual([]);
  });
});
