import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { compileAll } from "../../../src/config/compile-all.ts";
import { compileConfig } from "../../../src/config/compile-config.ts";
import { generate } from "../../../src/provider/sim/generate.ts";
import { bundleShape } from "../../../src/route/bundle-shape.ts";
import type { Fault } from "../../../src/route/fault.ts";

/** Text that is nearly a bundle: its words, YAML's own marks, and things that break parsers. */
const words = fc.constantFrom(
  ...Object.keys(bundleShape),
  "provider",
  "model",
  "sim",
  "atlas-large",
  "schema",
  "type",
  "object",
  "properties",
  ": ",
  "- ",
  "\n",
  "  ",
  "\t",
  "{",
  "}",
  "[",
  "]",
  ",",
  "|\n",
  ">-\n",
  "&a ",
  "*a",
  "<<: *a",
  "? ",
  "!!str ",
  "!x ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "#",
  "'",
  '"',
  "\\",
  "\u0000",
  "\ud800",
  "\u2028",
  "\r\n",
  "\r",
  "{{ x }}",
  "{% if %}",
  "__proto__",
  "constructor",
  "~",
  "null",
  "true",
  ".inf",
  ".nan",
  "0x10",
  "1e999",
  "2001-01-01",
  "😀",
);
const scrambled = fc.array(words, { maxLength: 80 }).map((parts) => parts.join(""));
const json = fc.dictionary(
  fc.oneof(fc.constantFrom(...Object.keys(bundleShape)), fc.string()),
  fc.jsonValue({ maxDepth: 4 }),
);
const mutated = fc.tuple(json, fc.nat(), fc.string({ maxLength: 3 })).map(([value, at, insert]) => {
  const text = stringify(value);
  const index = at % (text.length + 1);
  return text.slice(0, index) + insert + text.slice(index + 1);
});
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  scrambled,
  mutated,
  json.map((value) => JSON.stringify(value)),
);

function expectLocated(faults: readonly Fault[], text: string): void {
  const lines = text.split(/\r\n|\r|\n/);
  for (const fault of faults) {
    expect(fault.line).toBeGreaterThanOrEqual(1);
    expect(fault.line).toBeLessThanOrEqual(lines.length + 1);
    expect(fault.column).toBeGreaterThanOrEqual(1);
    expect(fault.length).toBeGreaterThanOrEqual(1);
    expect(fault.code).toMatch(/^(route|config)\.[a-z0-9_]+$/);
    expect(fault.message).not.toBe("");
  }
}

describe("no text throws", () => {
  it("as a bundle: it compiles or it has located faults", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const files = [{ file: "routes/acme.task.yaml", text }];
        const result = await compileAll(files, undefined, { at: new Date(0), readFile: () => undefined });
        expectLocated(result.ok ? result.warnings : result.error, text);
        expect(result.ok || result.error.some(({ severity }) => severity === "error")).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["[", "{a: ", "- ", "? "])("however deep %j is nested", async (open) => {
    for (const depth of [90, 200, 3_000]) {
      const files = [{ file: "routes/acme.task.yaml", text: open.repeat(depth) }];
      const result = await compileAll(files, undefined, { at: new Date(0), readFile: () => undefined });
      expect(result.ok).toBe(false);
    }
  });

  it("as a configuration", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { config, faults } = compileConfig("modelrig.yaml", text);
        expectLocated(faults, text);
        expect((config === undefined) === faults.some(({ severity }) => severity === "error")).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("as a schema of the simulation, which answers with some JSON value", () => {
    const word = fc.oneof(
      fc.constantFrom("#", "#/%zz", "#/anyOf/0", "(a{99}){99}", "[", "string", "array"),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "required",
      "$ref",
      "anyOf",
      "allOf",
      "items",
      "enum",
      "const",
      "pattern",
      "minLength",
      "minItems",
      "minimum",
      "multipleOf",
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(
        keyword,
        fc.oneof({ maxDepth: 4 }, word, tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
        { maxKeys: 5 },
      ),
    }));
    fc.assert(
      fc.property(schema, fc.string(), (any, text) => {
        const value = generate(any, { text, seed: "s", accuracy: 0.5 });
        const written = JSON.stringify(value);
        expect(written).toBeTypeOf("string");
        expect(written.length).toBeLessThan(2_000_000);
      }),
      { numRuns: 1_000 },
    );
  });
});
