import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreementWith, gradesFile } from "../../../src/bakeoff/judge/human-grades.ts";
import { AGREEMENT_SCRIPT } from "../../../src/render/page/agreement-script.ts";
import { changedPaths } from "../../../src/render/page/json-diff.ts";
import { sidePairs } from "../../../src/render/page/local-samples.ts";
import { bakeoffPage } from "../../../src/render/page/page.ts";
import { wordDiff } from "../../../src/render/page/word-diff.ts";
import { graderAgreement } from "../../../src/stats/kappa.ts";
import { runWithSamples } from "../../support/bakeoff-page.ts";

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
    const figures = await bakeoffPage(report);
    expect(figures).toContain("figures only, no text of any call");
    expect(figures).not.toContain("refund");
    const page = await bakeoffPage(report, { local, mostPairs: 10 });
    expect(page).toContain("whoever gets the file gets the texts");
    expect(page).toContain("10 of 80 pairs are here");
    expect(page.split("<article")).toHaveLength(11);
    expect(page).toContain("price book 2026-11-28");
  });
});

describe("agreement of a grader with what was measured", () => {
  it("is in a page what src/stats/kappa.ts says", () => {
    const inPage = new Function(`${AGREEMENT_SCRIPT}; return graderAgreement;`)() as (...counts: number[]) => unknown;
    const count = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(count, count, count, count, (bothPass, onlyFirst, onlySecond, bothFail) => {
        const expected = graderAgreement({ bothPass, onlyFirst, onlySecond, bothFail });
        expect(inPage(bothPass, onlyFirst, onlySecond, bothFail) ?? undefined).toEqual(expected);
      }),
    );
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
