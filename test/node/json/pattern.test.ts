import { describe, expect, it } from "vitest";
import { compileFinder, compilePattern, patternFault } from "../../../src/json/pattern/pattern.ts";
import { Steps, TooManySteps } from "../../../src/json/steps.ts";

function pattern(source: string) {
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.error.message}`);
  return compiled.value;
}

function stepsOf(source: string, text: string): number {
  const steps = new Steps(Number.POSITIVE_INFINITY);
  pattern(source).test(text, steps);
  return steps.taken;
}

describe("a pattern that the engine would try in endlessly many ways", () => {
  const almost = `${"a".repeat(5_000)}!`;
  it.each([
    "^.*.*.*.*=$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "^(\\w|\\d)+$",
    "^(.*a){10}$",
    "^(a{1,9}){1,9}$",
    "^(a+)+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "^(?=(a+)+$)(?!(a|a)+$)",
    "(?<=^(a|a?)+)!!",
    "^(a?){30}a{30}$",
    "^((a*)*)*b$",
    "a*a*a*a*a*a*b",
  ])("is judged in a few steps for each character: %s", (source) => {
    const longer = `${"a".repeat(10_000)}!`;
    expect(stepsOf(source, almost)).toBeLessThan(40 * almost.length);
    expect(stepsOf(source, longer)).toBeLessThan(2.1 * stepsOf(source, almost));
  });

  it("is given up with its limit where the states are too many", () => {
    const wide = pattern(".{1,3000}x");
    expect(() => wide.test("a".repeat(50_000), new Steps(100_000))).toThrow(TooManySteps);
  });
});

describe("a pattern", () => {
  it("is refused with its place where no bounded matcher has the engine's answer", () => {
    expect(compilePattern("^(a)b\\1$")).toMatchObject({ ok: false, error: { at: 5 } });
    expect(compilePattern("(?<n>a)\\k<n>")).toMatchObject({ ok: false, error: { at: 7 } });
    expect(compilePattern("x((a{1,100}){1,100}){1,100}")).toMatchObject({ ok: false, error: { at: 12 } });
    expect(compilePattern(`${"(".repeat(300)}${")".repeat(300)}`)).toMatchObject({ ok: false, error: { at: 200 } });
    expect(patternFault("a{1,20000}")).toContain("at character 1");
  });

  it.each(["(", "[", "a{2,1}", "\\Z", "(?P<n>a)", "*a", "\\p{Nope}"])(
    "is refused where the engine refuses it: %s",
    (source) => {
      expect(patternFault(source)).toContain("is not a regular expression");
    },
  );

  it.each([
    ["\\s", "\u00a0\ufeff\u2003\u180e"],
    ["^\\p{Script=Greek}+$", "αβγ"],
    ["^\\P{L}$", "é"],
    ["^.$", "😀"],
    ["^..$", "😀"],
    ["^[\\uD83D\\uDE00-\\u{1F64F}]$", "😃"],
    ["^\\uD83D$", "\ud83d"],
    ["^.$", "\n"],
    ["^[^]$", "\u2028"],
    ["[]", "a"],
    ["\\bé", "é"],
    ["\\Bb\\b", "ab"],
    ["(?<!a)b(?!c)", "xbc bd"],
    ["(?<=(?<!x)a)b", "xab"],
    ["^(?:(?=a)a(?!$))+b$", "aab"],
    ["\\cJ\\x41\\0", "\nA\0"],
    ["^\\W$", "ſ"],
  ])("has the engine's answer: %s", (source, text) => {
    expect(pattern(source).test(text)).toBe(new RegExp(source, "u").test(text));
  });
});

describe("the matches of a pattern", () => {
  const found = (source: string, text: string) => {
    const compiled = compileFinder(source);
    return compiled.ok ? compiled.value.matches(text).map(({ start, end }) => text.slice(start, end)) : compiled.error;
  };

  it.each([
    ["a|ab", "ab ab"],
    ["ab|a", "ab ab"],
    ["a+?", "aaa"],
    ["\\d{2,3}", "12345"],
    ["", "a😀b"],
    ["x*", "axxb"],
    ["\\S+@\\S+", "to a@b.c and d@e"],
    ["(?:a|b?)*?c", "abac bc"],
  ])("are those of matchAll: %s", (source, text) => {
    expect(found(source, text)).toEqual([...text.matchAll(new RegExp(source, "gu"))].map(([match]) => match));
  });

  it("are refused where only the engine's rule about empty rounds decides between them", () => {
    expect(found("x(?:a??){0,3}", "aaa")).toMatchObject({ at: 8 });
  });
});
