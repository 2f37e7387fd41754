import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findUnsupported } from "../../../src/json/schema/unsupported.ts";
import { compileSchema } from "../../../src/json/schema/validate.ts";
import { corpusFiles, corpusPath, readJson, skipWithoutCorpus } from "../../support/wire/corpus.ts";

interface SuiteGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

interface Tally {
  readonly right: number;
  readonly refused: number;
  readonly wrong: readonly string[];
}

const SUITE = ["jsonschema", "JSON-Schema-Test-Suite", "tests"];
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function run(draft: string, ...part: readonly string[]): Tally {
  const folder = [...SUITE, draft, ...part];
  const results = corpusFiles(...folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readJson<SuiteGroup[]>(...folder, name).map((group) => runGroup(name, group, draft)));
  return {
    right: results.reduce((sum, { right }) => sum + right, 0),
    refused: results.reduce((sum, { refused }) => sum + refused, 0),
    wrong: results.flatMap(({ wrong }) => wrong),
  };
}

function runGroup(file: string, { description, schema, tests }: SuiteGroup, draft: string): Tally {
  const drafted = draft === "draft7" && typeof schema === "object" ? { $schema: DRAFT_07, ...schema } : schema;
  const compiled = compileSchema(drafted);
  if (!compiled.ok || findUnsupported(drafted).length > 0) return { right: 0, refused: tests.length, wrong: [] };
  const wrong = tests.filter(({ data, valid }) => compiled.value(data).valid !== valid);
  const named = wrong.map((test) => `${file} | ${description} | ${test.description}`);
  return { right: tests.length - wrong.length, refused: 0, wrong: named };
}

const skip = skipWithoutCorpus("JSON Schema Test Suite", "about 3,900");

describe.skipIf(skip)("the JSON Schema Test Suite", () => {
  const runs = skip
    ? []
    : ["draft2020-12", "draft7"].flatMap((draft) =>
        [[], ["optional"], ["optional", "format"]]
          .filter((part) => existsSync(corpusPath(...SUITE, draft, ...part)))
          .map((part) => ({ draft, part: part.join("/") || "required", ...run(draft, ...part) })),
      );

  it("prints what is right, refused as unsupported, and wrong", () => {
    console.table(
      runs.map(({ draft, part, right, refused, wrong }) => ({ draft, part, right, refused, wrong: wrong.length })),
    );
    expect(runs).toHaveLength(6);
  });

  const named = (draft: string, part: string) => runs.find((one) => one.draft === draft && one.part === part);

  it("gives no wrong verdict in draft-07, required or optional", () => {
    expect(named("draft7", "required")?.wrong).toEqual([]);
    expect(named("draft7", "optional")?.wrong).toEqual([]);
    expect(named("draft7", "required")?.right).toBeGreaterThanOrEqual(876);
  });

  it("differs in draft 2020-12 only where formats are asserted on purpose", () => {
    const wrong = named("draft2020-12", "required")?.wrong ?? [];
    const onPurpose = wrong.filter((name) => name.startsWith("format.json") && name.includes("only an annotation"));
    expect(wrong.filter((name) => !onPurpose.includes(name))).toEqual([]);
    expect(named("draft2020-12", "optional")?.wrong).toEqual([]);
    expect(named("draft2020-12", "required")?.right).toBeGreaterThanOrEqual(1150);
  });

  it("accepts too much in formats only: internationalised host names and rare URI faults", () => {
    for (const draft of ["draft2020-12", "draft7"]) {
      const files = (named(draft, "optional/format")?.wrong ?? []).map((name) => name.split(" | ")[0]);
      expect(new Set(files)).toEqual(new Set(["hostname.json", "uri.json", "uri-reference.json"]));
      expect(files.length).toBeLessThanOrEqual(32);
    }
  });
});
