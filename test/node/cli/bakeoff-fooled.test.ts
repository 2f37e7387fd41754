import { afterEach, describe, expect, it } from "vitest";
import { type BakeoffReport, bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { HONEST, judgedProject, otherWords, type ProjectSetup } from "../../support/bakeoff/judged-project.ts";

let close: () => void = () => undefined;
afterEach(() => close());

const ARGS = ["--route", "acme.orders", "--variants", "cheap", "--seed", "5", "--concurrency", "16", "--yes"] as const;

async function bakeoff(setup: Omit<ProjectSetup, "judge">, more: readonly string[] = []) {
  const project = await judgedProject({ judge: HONEST, ...setup });
  close = project.close;
  const { out, err } = await project.bakeoff([...ARGS, ...more, "--json"]);
  const report: BakeoffReport = bakeoffReport.parse(JSON.parse(out));
  return { project, report, err };
}

const CHECKED = `value_checks: [{ path: /days, expect: { number: { min: 0, max: 8 } } }]
objective: { mode: quality-first, max_regret: 0.1 }
`;
/** Wrong in 4 of 9 answers. */
const weak = (n: number) => ({ ...(otherWords(n) as object), days: n % 9 < 4 ? 99 : n % 9 });

describe("a weak reference hides no loss against what serves", () => {
  it.each([
    ["the challenger's own model", "up/thrift-2"],
    ["another model that is as weak", "up/umpire-3"],
  ])("where it is %s", async (_name, reference) => {
    const route = `${CHECKED}bakeoff: { reference: ${reference} }\n`;
    const { report } = await bakeoff({ arms: { thrifty: weak }, route });
    expect(report.metric).toBe("value_accuracy");
    const lost = report.regrets.find(({ arm, against }) => arm === "cheap" && against === "default");
    expect(lost?.estimate?.mean).toBeCloseTo(40 / 90, 9);
    expect(report.gate.proposes).toBeUndefined();
    expect(report.gate.verdicts[0]?.clauses.find(({ clause }) => clause === "incumbent_regret")?.met).toBe(false);
  });

  it("and a challenger that is as good as what serves is held against the incumbent alone, and proposed", async () => {
    const { report } = await bakeoff({ route: `${CHECKED}bakeoff: { reference: up/thrift-2 }\n` });
    expect(report.gate.proposes).toBe("cheap");
  });
});

describe("inputs picked for their outcome", () => {
  it("propose nothing, and the report says how they were picked", async () => {
    const { report } = await bakeoff({ route: `${CHECKED}bakeoff: { reference: up/dear-1 }\n` }, ["--failures-first"]);
    expect(report.sampling).toMatchObject({ representative: false });
    expect(report.gate.proposes).toBeUndefined();
  });
});

describe("answers of which only the shape was tested", () => {
  it("are said to be so, with the field that differs first", async () => {
    const oneFieldWrong = (n: number) => ({ ...(otherWords(n) as object), urgent: n % 2 !== 0 });
    const { project, report } = await bakeoff({ arms: { thrifty: oneFieldWrong }, route: "" });
    expect(report.answers.evidence).toBe("shape");
    const fields = report.fields?.filter(({ path }) => path !== "");
    expect(fields?.map(({ path, agree, n }) => [path, agree, n])).toEqual([
      ["/summary", 0, 90],
      ["/urgent", 0, 90],
      ["/days", 90, 90],
    ]);
    const { out } = await project.bakeoff(["report", report.id]);
    expect(out).toContain("cheap says the same as default on 0 of 90 inputs");
    expect(out).toContain("/urgent 0 of 90");
  });
});

describe("the printed report", () => {
  it("tells the period, the served version, the price book, and what each count counts", async () => {
    const { project, report } = await bakeoff({ route: `${CHECKED}bakeoff: { reference: up/dear-1 }\n` });
    const { out } = await project.bakeoff(["report", report.id]);
    const day = report.finished_at.slice(0, 10);
    expect(out).toContain(`measured ${day} on the last 200 captures, recorded 1970-01-01 to 1970-01-01`);
    expect(out).toContain(`route version ${report.route_hash.slice(0, 12)}`);
    expect(out).toContain(`as of ${day}`);
    expect(out).toMatch(/one-sided 0\.\d+%; 90 pairs in all, 90 of them of fresh questions/);
    expect(out).toContain("descriptive 95% interval");
    expect(out).toMatch(/p95 \d+ ms \[\d+,\d+\] of 90 answers/);
  });
});
