import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileFinder, compilePattern } from "../../src/json/pattern/pattern.ts";
import { Steps } from "../../src/json/steps.ts";

/** Patterns short enough that the engine, on texts this short, answers at once. */
const patterns = fc.letrec<{ choice: string; sequence: string; term: string; atom: string }>((tie) => ({
  choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((options) => options.join("|")),
  sequence: fc.array(tie("term"), { maxLength: 3 }).map((terms) => terms.join("")),
  term: fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}"))
        .map(([atom, times]) => atom + times),
    },
    { weight: 1, arbitrary: fc.constantFrom("^", "$", "\\b", "\\B") },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), tie("choice"))
        .map(([open, body]) => `${open}${body})`),
    },
  ),
  atom: fc.oneof(
    { maxDepth: 2, depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "a",
      "b",
      "c",
      ".",
      "\\w",
      "\\s",
      "\\d",
      "[ab]",
      "[^a]",
      "\\p{L}",
      "😀",
      "é",
      "[a-cé]",
      "\\u{1F600}",
    ),
    fc.tuple(fc.constantFrom("(", "(?:"), tie("choice")).map(([open, body]) => `${open}${body})`),
  ),
})).choice;
const texts = fc
  .array(fc.constantFrom("a", "b", "c", "A", " ", "1", "é", "😀", "\n", "\ud83d"), { maxLength: 7 })
  .map((parts) => parts.join(""));

/** The engine tries a match in the middle of a surrogate pair where no character is taken; the standard does not. */
function insidePair(source: string, text: string): boolean {
  return /\\B|\(\?/.test(source) && text.includes("😀");
}

describe("a pattern matched by the automaton", () => {
  it("has the engine's answer for every text", () => {
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 1, maxLength: 5 }), (source, some) => {
        const compiled = compilePattern(source);
        if (!compiled.ok) throw new Error(`${source} was refused: ${compiled.error.message}`);
        for (const text of some.filter((one) => !insidePair(source, one))) {
          expect({ text, matches: compiled.value.test(text) }).toEqual({
            text,
            matches: new RegExp(source, "u").test(text),
          });
        }
      }),
      { numRuns: Number(process.env["MODELRIG_FUZZ"] ?? 1_000) },
    );
  });

  it("finds the engine's matches, where it does not refuse to", () => {
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        const compiled = compileFinder(source);
        fc.pre(compiled.ok && !insidePair(source, text));
        const engine = [...text.matchAll(new RegExp(source, "gu"))].map(({ 0: match, index }) => [
          index,
          index + match.length,
        ]);
        const own = compiled.ok ? compiled.value.matches(text).map(({ start, end }) => [start, end]) : [];
        expect(own).toEqual(engine);
      }),
      { numRuns: Number(process.env["MODELRIG_FUZZ"] ?? 1_000) },
    );
  });

  it("takes steps in proportion to the text times its own size", () => {
    fc.assert(
      fc.property(patterns, fc.constantFrom("a", "ab", "a1 "), (source, unit) => {
        const compiled = compilePattern(source);
        fc.pre(compiled.ok);
        const steps = new Steps(Number.POSITIVE_INFINITY);
        const text = unit.repeat(200);
        if (!compiled.ok) return;
        compiled.value.test(text, steps);
        expect(steps.taken).toBeLessThanOrEqual(10 * (compiled.value.size + 1) * (text.length + 1));
      }),
    );
  });
});
