import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreementWith, gradesFile } from "../../../src/bakeoff/judge/human-grades.ts";
import { agreementText } from "../../../src/render/browser/agreement-text.ts";
import { changedPaths } from "../../../src/render/page/json-diff.ts";
import { sidePairs } from "../../../src/render/page/local-samples.ts";
import { wordDiff } from "../../../src/render/page/word-diff.ts";
import { graderAgreement } from "../../../src/stats/kappa.ts";
import { pageOf, runWithSamples } from "../../support/bakeoff/bakeoff-page.ts";

describe("two JSON values side by side", () => {
  it("differ by path, with absent told from null", () => {
    expect(
      changedPaths({ a: 1, b: [1, 2], "x/y": { "~": 0 } }, { a: 1.0, b: [1, 3, null], "x/y": { "~": "0" }, c: null }),
    ).toEqual([
      { path: "/b/1", left: 2, right: 3 },
      { path: "/b/2", right: null },
      { path: "/x~1y/~0", left: 0, right: "0" },
      { path: "/c", right: null },
    ]);
    expect(changedPaths([1], { 0: 1 })).toEqual([{ path: "", left: [1], right: { 0: 1 } }]);
  });

  it("differ nowhere exactly where they are equal, whatever the order of their members", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (left, right) => {
        expect(changedPaths(left, left)).toEqual([]);
        const mirrored = changedPaths(right, left).map(({ path }) => path);
        expect(
          changedPaths(left, right)
            .map(({ path }) => path)
            .sort(),
        ).toEqual(mirrored.sort());
      }),
    );
    expect(changedPaths({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  });

  it("may be as deep as they like", () => {
    const deep = (leaf: unknown): unknown => Array.from({ length: 500 }).reduce((inner) => ({ inner }), leaf);
    expect(changedPaths(deep(1), deep(2))).toHaveLength(1);
  });
});

describe("two texts as one", () => {
  const plain = (markup: string, drop: string): string =>
    markup.replace(new RegExp(`<${drop}>[\\s\\S]*?</${drop}>`, "g"), "").replace(/<\/?(del|ins)>/g, "");

  it("hold both: without what was added the left, without what was removed the right", () => {
    const words = fc
      .array(fc.constantFrom("the", "order", "refund", ",", " ", "\n", "42"), { maxLength: 40 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(words, words, (left, right) => {
        const merged = wordDiff(left, right)?.text ?? "";
        expect(plain(merged, "ins")).toBe(left);
        expect(plain(merged, "del")).toBe(right);
      }),
    );
  });

  it("are not aligned where they have nothing in common", () => {
    const text = (word: string): string => Array.from({ length: 3000 }, (_, index) => `${word}${index}`).join(" ");
    expect(wordDiff(text("a"), text("b"))).toBeUndefined();
  });
});

describe("pairs of outputs", () => {
  it("are all there, of every arm against the reference, those that differ most first", async () => {
    const { report, local } = await runWithSamples();
    const pairs = sidePairs(report, local);
    expect(pairs).toHaveLength(80);
    expect(pairs.filter(({ kinds }) => kinds.has("regression"))).toHaveLength(
      report.regrets.find(({ arm, against }) => arm === "cheap" && against !== "default")?.losses ?? -1,
    );
    expect(pairs.slice(0, 8).filter(({ kinds }) => kinds.has("regression"))).toHaveLength(4);
    expect(pairs.filter(({ own, kinds }) => own.arm === "default" && kinds.has("different"))).toEqual([]);
  });

  it("stand with those of the same input, on sides drawn from the seed", async () => {
    const { report, local } = await runWithSamples();
    const pairs = sidePairs(report, local);
    for (let index = 0; index < pairs.length; index += 2)
      expect(pairs[index]?.input.id).toBe(pairs[index + 1]?.input.id);
    expect(sidePairs(report, local)).toEqual(pairs);
    const left = pairs.filter(({ flipped }) => flipped).length;
    expect(left).toBeGreaterThan(20);
    expect(left).toBeLessThan(60);
    expect(sidePairs({ ...report, seed: 8 }, local).map(({ flipped }) => flipped)).not.toEqual(
      pairs.map(({ flipped }) => flipped),
    );
  });

  it("are in the page only where the calls were made, which says so", async () => {
    const { report, local } = await runWithSamples();
    const figures = await pageOf(report);
    expect(figures).toContain("figures only, no text of any call");
    expect(figures).not.toContain("refund");
    const page = await pageOf(report, { local, mostPairs: 10 });
    expect(page).toContain("whoever gets the file gets the texts");
    expect(page).toContain("10 of 80 pairs are here");
    expect(page.split("<article")).toHaveLength(11);
    expect(page).toContain("price book 2026-11-28");
  });
});

describe("agreement of a grader with what was measured", () => {
  it("stands in a page as a sentence: from ten blind grades on, with its interval and the day", () => {
    const sides = Array.from({ length: 12 }, (_, index) => ({
      input: `in_${index}`,
      arm: "cheap",
      score: index < 8 ? 1 : 0,
    }));
    const facts = { sides, pass: 1, good: 0.5, metric: "value checks" };
    // Eleven blind grades, ten of which say what was measured, and one that was given with names shown.
    const gradeOf = ({ input, arm }: (typeof sides)[number]) => {
      const index = Number(input.slice("in_".length));
      return { input, arm, score: index < 7 ? 1 : 0, blind: index !== 11, at: "2026-11-29T12:00:00.000Z" };
    };
    const text = agreementText(facts, (side) => gradeOf(side as (typeof sides)[number]), "2026-11-30");
    const expected = graderAgreement({ bothPass: 7, onlyFirst: 0, onlySecond: 1, bothFail: 3 });
    expect(text).toBe(
      `You and value checks agree on 10 of 11 outputs, 90.9% [62.3, 98.4]; kappa ${expected?.kappa?.toFixed(2)} [${expected?.kappaInterval?.low.toFixed(2)}, ${expected?.kappaInterval?.high.toFixed(2)}] (95%; good = 3 or more, measured 1 or more; 2026-11-30). 1 given with names shown are not counted.`,
    );
    const few = { ...facts, sides: sides.slice(0, 9) };
    expect(agreementText(few, (side) => gradeOf(side as (typeof sides)[number]), "2026-11-30")).toBe(
      "Agreement with value checks: n 9, not shown below 10.",
    );
    expect(agreementText(facts, () => undefined, "2026-11-30")).toBe("");
  });

  it("counts blind grades only, and only of what was measured", () => {
    const grade = (input: string, score: number, blind = true) => ({
      input,
      arm: "cheap",
      score,
      blind,
      at: "2026-11-29T12:00:00.000Z",
    });
    const grades = [grade("a", 1), grade("b", 0), grade("c", 1, false), grade("d", 1), grade("e", 0.5)];
    const measured = new Map([
      ["a", 1],
      ["b", 1],
      ["c", 0],
      ["e", 0.7],
    ]);
    const found = agreementWith(grades, ({ input }) => measured.get(input), 0.6);
    expect(found).toMatchObject({ n: 3, agreement: 2 / 3 });
  });

  it("reads no file that is none of grades", () => {
    const file = { schema: "modelrig.grades/1", bakeoff: "bo_1", route: "acme.task", grader: "ann", grades: [] };
    expect(gradesFile.safeParse(file).success).toBe(true);
    expect(gradesFile.safeParse({ ...file, schema: "modelrig.grades/2" }).success).toBe(false);
    const wrong = { input: "a", arm: "x", score: 1.25, blind: true, at: "2026-11-29T12:00:00.000Z" };
    expect(gradesFile.safeParse({ ...file, grades: [wrong] }).success).toBe(false);
  });
});
