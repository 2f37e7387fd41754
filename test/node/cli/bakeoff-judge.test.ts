import { afterEach, describe, expect, it } from "vitest";
import { type BakeoffReport, bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import {
  HONEST,
  type JudgeRule,
  judgedProject,
  type ProjectSetup,
  rightAnswer,
} from "../../support/bakeoff/judged-project.ts";

let close: () => void = () => undefined;
afterEach(() => close());

const ARGS = ["--route", "acme.orders", "--variants", "cheap", "--seed", "5", "--concurrency", "16", "--yes"] as const;

async function examined(setup: ProjectSetup, more: readonly string[] = []) {
  const project = await judgedProject(setup);
  close = project.close;
  const run = async () => {
    const { exitCode, out, err } = await project.bakeoff([...ARGS, ...more, "--json"]);
    return { exitCode, err, report: bakeoffReport.parse(JSON.parse(out)) };
  };
  return { project, run, ...(await run()) };
}

const kindOf = ({ judge }: BakeoffReport, kind: string) => judge?.examination?.kinds.find((one) => one.kind === kind);

/** Wrong in a share of its verdicts, with scores drawn at random there. */
const wrongIn =
  (share: number): JudgeRule =>
  (first, second, help) =>
    help.chance() < share
      ? [1 + Math.floor(help.chance() * 5), 1 + Math.floor(help.chance() * 5)]
      : HONEST(first, second, help);

describe("a judge that can be fooled is unusable, and nothing is proposed", () => {
  const fooled: readonly [name: string, rule: JudgeRule, kind: string][] = [
    ["always prefers the first", () => [5, 3], "identical"],
    ["always prefers the second", () => [2, 4], "identical"],
    ["always says 5 of 5", () => [5, 5], "damaged"],
    [
      "prefers the longer answer",
      (first, second) => (first.length === second.length ? [4, 4] : first.length > second.length ? [5, 3] : [3, 5]),
      "padded",
    ],
    [
      "prefers its own wording",
      (first, second, help) => {
        const own = [first, second].map((answer) => answer.includes("Indeed"));
        if (own[0] !== own[1]) return own[0] ? [5, 3] : [3, 5];
        return HONEST(first, second, help);
      },
      "own_wording",
    ],
    ["answers at random in 30% of its verdicts", wrongIn(0.3), "identical"],
  ];
  it.each(fooled)("one that %s", async (_name, judge, kind) => {
    const { exitCode, report } = await examined({ judge });
    expect(exitCode).toBe(0);
    expect(kindOf(report, kind)?.low).toBeLessThan(0.8);
    expect(report.judge?.unusable_because).toBeDefined();
    // It is not asked about a pair of the bake-off: nothing would follow.
    expect(report.judge).toMatchObject({ pairs: 0 });
    expect(report.gate.proposes).toBeUndefined();
    expect(report.gate.verdicts[0]).toMatchObject({ clears: false });
    expect(report.gate.verdicts[0]?.verdict).toBeUndefined();
    expect(report.answers.evidence).toBe("shape");
    expect(report.regrets.find(({ metric }) => metric === "judge")?.estimate).toBeUndefined();
  });
});

describe("an honest judge", () => {
  it("passes with 3% of its verdicts wrong, and its bake-off decides", async () => {
    const { report, err } = await examined({ judge: wrongIn(0.03) });
    expect(report.judge?.unusable_because).toBeUndefined();
    expect(report.judge?.examination?.kinds.every(({ asked, low }) => asked >= 50 && (low ?? 0) >= 0.8)).toBe(true);
    expect(report.judge?.pairs).toBeGreaterThan(80);
    expect(report.gate).toMatchObject({ proposes: "cheap" });
    expect(report.answers.evidence).toBe("checked");
    expect(err).toContain("to be examined first on planted pairs of this route's outputs: 700 calls");
  });

  it("is examined once in 30 days for a rubric and a route, and the estimate counts it once", async () => {
    const { project, run } = await examined({ judge: HONEST });
    const first = project.asked.get("umpire-3") ?? 0;
    await run();
    const second = (project.asked.get("umpire-3") ?? 0) - first;
    expect(first - second).toBeGreaterThanOrEqual(7 * 70);
    const { out } = await project.bakeoff([...ARGS, "--dry-run", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ judge: { calls: 360, examination_calls: 0 } });
  });

  it("stays unusable for as long as its examination says so, and is not paid again", async () => {
    const { project, run } = await examined({ judge: () => [5, 5] });
    const first = project.asked.get("umpire-3");
    const { report } = await run();
    expect(report.judge?.unusable_because).toContain("damaged answers");
    expect(project.asked.get("umpire-3")).toBe(first);
  });

  it("needs 50 outputs of the route to be examined on, and costs nothing where there are fewer", async () => {
    const { project, report } = await examined({ judge: HONEST, inputs: 20 });
    expect(report.judge?.unusable_because).toContain("50 are needed");
    expect(project.asked.get("umpire-3")).toBeUndefined();
  });

  it("whose day has no room for its examination is unusable, and the report partial in nothing else", async () => {
    const { report } = await examined({ judge: HONEST }, ["--judge-usd", "0.01"]);
    expect(report.judge?.unusable_because).toContain("cut short");
    expect(report.gate.proposes).toBeUndefined();
  });

  it("ties equal answers without passing either: two arms that are wrong alike pass nothing", async () => {
    const wrong = (n: number) => ({ ...(rightAnswer(n) as object), days: 99 });
    const gated = `objective: { mode: quality-first, max_regret: 0.1 }
bakeoff: { judge: { model: up/umpire-3, max_samples: 200 }, quality_gate: { min_score: 0.5 } }
`;
    const { report } = await examined({ judge: HONEST, arms: { dear: wrong, thrifty: wrong }, route: gated });
    expect(report.judge).toMatchObject({ pairs: 0, identical: 90 });
    expect(report.arms.map(({ quality, passing }) => [quality?.n, passing?.count])).toEqual([
      [undefined, 0],
      [undefined, 0],
    ]);
    expect(report.answers.evidence).toBe("shape");
  });
});
