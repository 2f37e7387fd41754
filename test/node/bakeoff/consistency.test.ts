import { beforeAll, describe, expect, it } from "vitest";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import { objectiveFault } from "../../../src/bakeoff/plan/objective.ts";
import { reportWithEvidence } from "../../../src/bakeoff/report/assemble-report.ts";
import { type BakeoffReport, bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf, inconsistency } from "../../../src/bakeoff/report/consistency.ts";
import type { Route } from "../../../src/route/route.ts";
import { analysedRun, referencedRoute } from "../../support/bakeoff/bakeoff-analysis.ts";
import { memoryEvidence } from "../../support/bakeoff/memory-evidence.ts";

const LARGEST = "reference:sim/atlas-large";

let report: BakeoffReport;
const looks: LookRecord[] = [];
beforeAll(async () => {
  const { plan, run, facts } = await analysedRun({
    inputs: 200,
    route: { bakeoff: { reference: "sim/atlas-large", qualityGate: { minScore: 0.5 } } },
    sample: (arm, index) => (arm !== LARGEST && index < 2 ? { outcome: "nonconformant" } : {}),
  });
  report = bakeoffReport.parse(
    JSON.parse(JSON.stringify(await reportWithEvidence(plan, run, facts, memoryEvidence(looks)))),
  );
});

/** Every number of a report and the path to it. */
function numbersOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === "number") return [[...path]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => numbersOf(member, [...path, key]));
}

function changed(path: readonly string[], change: (value: number) => number): BakeoffReport {
  const copy = structuredClone(report) as unknown as Record<string, never>;
  const last = path.at(-1) ?? "";
  const parent = path.slice(0, -1).reduce<Record<string, never>>((node, key) => node[key] ?? node, copy);
  Object.assign(parent, { [last]: change(parent[last] as unknown as number) });
  return copy as unknown as BakeoffReport;
}

describe("the limits of a report", () => {
  let route: Route;
  beforeAll(async () => {
    const base = await referencedRoute();
    route = { ...base, bakeoff: { reference: "sim/atlas-large", qualityGate: { minScore: 0.5 } } };
  });

  it("are those of the route that it names by its hash", () => {
    expect(objectiveFault(report, route)).toBeUndefined();
    const { quality_gate: _, ...ungated } = report.objective;
    for (const objective of [
      { ...report.objective, max_regret: 0.9 },
      { ...report.objective, usd_per_1k: 1e9 },
      { ...report.objective, quality_gate: { min_score: 0 } },
      ungated,
      { ...report.objective, mode: "balanced" as const, lambda: 1e-9 },
    ]) {
      expect(objectiveFault({ ...report, objective }, route)).toBeDefined();
    }
    expect(objectiveFault({ ...report, schema_declared: false }, route)).toBeDefined();
  });

  it("are not known of another version, and the mode may be asked for", () => {
    const objective = { ...report.objective, max_regret: 0.9 };
    expect(objectiveFault({ ...report, objective, route_hash: "0".repeat(64) }, route)).toBeUndefined();
    const other = { ...report.objective, mode: "cost-first" as const };
    expect(objectiveFault({ ...report, objective: other }, route)).toBeUndefined();
  });
});

describe("a report", () => {
  it("of a real run follows from its own figures", () => {
    expect(report.gate).toMatchObject({ kind: "quality-first", proposes: "cheap" });
    expect(report.regrets).toHaveLength(3);
    expect(inconsistency(report, looks)).toBeUndefined();
    expect(gateOf(report)).toEqual(report.gate);
  });

  it("does not, when any figure that follows from others is changed", () => {
    const derived = numbersOf(report).filter(([part, , field, figure]) => {
      if (part === "arms") return field !== "latency_ms" && !["low", "high"].includes(figure ?? "x");
      if (part === "regrets") return true;
      return false;
    });
    // What stands for itself: counts that nothing else repeats.
    const free = /cost_estimated|repair|rungs|failures|value_checks|graded|cost_unknown/;
    const checked = derived.map((path) => path.join(".")).filter((path) => !free.test(path));
    expect(checked.length).toBeGreaterThan(60);
    const unnoticed = checked.filter((path) => {
      const steps = path.split(".");
      return [-1, 1].every((sign) => {
        const change = (value: number) => (Number.isInteger(value) ? value + sign : value * (1 + sign / 10));
        return inconsistency(changed(steps, change), looks) === undefined;
      });
    });
    expect(unnoticed).toEqual([]);
  });

  it("does not, when its bounds are better than its pairs", () => {
    const [first, ...rest] = report.regrets;
    if (!first?.estimate) throw new Error("regret is measured");
    const better = { ...first, estimate: { ...first.estimate, high: first.estimate.high - 1e-6 } };
    expect(inconsistency({ ...report, regrets: [better, ...rest] }, looks)).toContain("bounds");
  });

  it("does not, when it names a reference that is no arm, or tells a regret twice", () => {
    expect(inconsistency({ ...report, reference: { arm: "other" } }, looks)).toContain("reference");
    expect(inconsistency({ ...report, regrets: [...report.regrets, ...report.regrets.slice(0, 1)] }, looks)).toContain(
      "twice",
    );
  });

  it("does not, when it proposes what its gate does not", () => {
    const { proposes: _, ...gate } = report.gate;
    expect(inconsistency({ ...report, gate }, looks)).toContain("gate");
  });

  it("does not, when another limit, key or look stands behind its regrets", () => {
    const [first, ...rest] = report.regrets;
    if (!first?.evidence) throw new Error("regret is measured");
    for (const other of [
      { ...first, limit: 0.5 },
      { ...first, key: { ...first.key, arm: "0".repeat(32) } },
      { ...first, evidence: { ...first.evidence, family: first.evidence.family + 1 } },
      { ...first, evidence: { ...first.evidence, look: "later" as const } },
    ]) {
      expect(inconsistency({ ...report, regrets: [other, ...rest] }, looks)).toBeDefined();
    }
  });
});
