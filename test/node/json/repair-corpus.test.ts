import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { repairJson } from "../../../src/json/repair/repair.ts";
import { compileSchema } from "../../../src/json/schema/validate.ts";
import { readJsonl, skipWithoutCorpus } from "../../support/wire/corpus.ts";

interface RepairCase {
  readonly id: string;
  readonly kind: string;
  readonly input: string;
  readonly schema?: Record<string, unknown>;
  readonly expected?: unknown;
  /** What the `jsonrepair` library makes of the case, recorded with the corpus. */
  readonly npm_jsonrepair_3?: "pass" | "fail" | "throws";
}

interface Outcome extends RepairCase {
  readonly pass: boolean;
  readonly completed: boolean | undefined;
}

const MUST_FAIL = ["reject", "no-json", "schema-guided-reject"];

function judge(one: RepairCase): Outcome {
  const result = repairJson(one.input, { schema: one.schema });
  const completed = result.ok ? result.value.completed : undefined;
  if (!MUST_FAIL.includes(one.kind)) {
    const pass = "expected" in one && result.ok && isDeepStrictEqual(result.value.value, one.expected);
    return { ...one, pass, completed };
  }
  const validator = compileSchema(one.schema ?? true);
  const conforms = result.ok && validator.ok && validator.value(result.value.value).valid;
  return { ...one, pass: one.schema ? !conforms : !result.ok, completed };
}

const skip = skipWithoutCorpus("json-repair corpus", 784);
const outcomes = skip ? [] : readJsonl<RepairCase>("json-repair", "cases.jsonl").map(judge);
const ofKind = (kind: string) => outcomes.filter((one) => one.kind === kind);
const passed = (some: readonly Outcome[]) => some.filter(({ pass }) => pass).length;
const baseline = (some: readonly Outcome[]) => some.filter((one) => one.npm_jsonrepair_3 === "pass").length;

describe.skipIf(skip)("the json-repair corpus", () => {
  it("prints its results by kind, beside the library's own", () => {
    const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
    const rows = kinds.map((kind) => {
      const some = ofKind(kind);
      const lost = some.filter((one) => !one.pass && one.npm_jsonrepair_3 === "pass").map(({ id }) => id);
      const measured = some.some((one) => one.npm_jsonrepair_3 !== undefined);
      return {
        kind,
        cases: some.length,
        pass: passed(some),
        library: measured ? baseline(some) : "",
        lost: lost.join(" "),
      };
    });
    console.table(rows);
    expect(outcomes).toHaveLength(784);
  });

  it("beats the library on what is to be repaired", () => {
    expect(passed(ofKind("repair"))).toBeGreaterThan(baseline(ofKind("repair")));
    expect(passed(ofKind("repair"))).toBeGreaterThanOrEqual(395);
  });

  it("loses no valid case: every one comes back untouched", () => {
    const valid = ofKind("valid");
    expect(valid.filter(({ pass }) => !pass)).toEqual([]);
    for (const { input } of valid) expect(repairJson(input)).toMatchObject({ value: { text: input, changed: false } });
  });

  it("repairs nothing into a conforming value that must be rejected", () => {
    expect(ofKind("schema-guided-reject").filter(({ pass }) => !pass)).toEqual([]);
  });

  it("answers text without JSON with an error, but for words, which other cases want as strings", () => {
    const accepted = [...ofKind("reject"), ...ofKind("no-json")].filter(({ pass }) => !pass).map(({ input }) => input);
    expect(accepted.sort()).toEqual(["callback {}", "hi", "string"]);
  });

  it("marks every prefix of a document as cut", () => {
    const prefixes = [...ofKind("partial"), ...ofKind("schema-guided-partial")].filter(({ input }) => !isJson(input));
    const whole = prefixes.filter(({ completed }) => completed === true).map(({ id }) => id);
    // A document in a fence that the corpus files under partial, and is whole.
    expect(whole).toEqual(["baml-178"]);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
