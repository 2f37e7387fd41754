import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { GivenGrade } from "../../../src/bakeoff/judge/human-grades.ts";
import { gradeInTerminal } from "../../../src/cli/bakeoff/report/grade-interactive.ts";
import type { GradeTerminal } from "../../../src/cli/bakeoff/report/grade-terminal.ts";
import { main } from "../../../src/cli/main.ts";
import { keepRun, type PageRun, runWithSamples } from "../../support/bakeoff/bakeoff-page.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

let made: PageRun;
let cwd: string;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-grade-"));
  made = await runWithSamples({ inputs: 20 });
  keepRun(cwd, made);
});

async function graded(keys: string, before: readonly GivenGrade[] = []) {
  const left = [...keys];
  const screens: string[] = [];
  const kept: (readonly GivenGrade[])[] = [];
  const terminal: GradeTerminal = {
    ...{ columns: 80, rows: 24, close: () => undefined },
    show: (lines) => void screens.push(lines.join("\n")),
    key: async () => left.shift(),
  };
  const grades = await gradeInTerminal(made.report, made.local, before, terminal, (all) => void kept.push(all));
  return { grades, screens, kept };
}

describe("grading in the terminal", () => {
  it("takes a grade a key, goes on to the next output, and keeps each as it is given", async () => {
    const { grades, kept } = await graded("5x3q");
    expect(grades.map(({ score, blind }) => [score, blind])).toEqual([
      [1, true],
      [0, true],
      [0.5, true],
    ]);
    expect(new Set(grades.map(({ input, arm }) => `${input} ${arm}`)).size).toBe(3);
    expect(kept.map(({ length }) => length)).toEqual([1, 2, 3]);
  });

  it("never says which arm an output is of, and fits the screen", async () => {
    const { screens } = await graded("nnnnnnnn");
    for (const text of screens) {
      expect(text.split("\n").length).toBeLessThanOrEqual(24);
      for (const { arm, candidates } of made.report.arms)
        for (const name of [`"${arm}"`, ` ${arm} `, ...candidates]) expect(text).not.toContain(name);
    }
  });

  it("undoes the last grade, ignores other keys, and ends when the keys do", async () => {
    const { grades, kept } = await graded("5uz4");
    expect(grades.map(({ score }) => score)).toEqual([0.75]);
    expect(kept.map(({ length }) => length)).toEqual([1, 0, 1]);
  });

  it("goes on where this grader stopped", async () => {
    const first = await graded("55q");
    const second = await graded("1q", first.grades);
    expect(second.grades).toHaveLength(3);
    expect(second.screens[0]).toContain("output 3 of");
  });

  it("says so where there is no terminal, and what to do instead", async () => {
    const io = fakeIo({ cwd });
    expect(await main(["bakeoff", "grade", made.report.id, "--interactive"], io)).toBe(2);
    expect(io.err()).toContain("needs a terminal");
    expect(io.err()).toContain("--serve");
  });
});
