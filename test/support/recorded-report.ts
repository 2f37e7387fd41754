import type { ArmReport } from "../../src/bakeoff/analysis/arm-report.ts";
import type { BakeoffReport } from "../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf } from "../../src/bakeoff/report/consistency.ts";
import { wilson } from "../../src/stats/wilson.ts";
import { armFigures, pairFigures } from "./bakeoff-figures.ts";

/** A report whose figures fit together and of which `cheap` clears; each on a route of its own. */
export function reportOf(cheap: Partial<ArmReport> = {}): BakeoffReport {
  // Test files share a database.
  const unique = crypto.randomUUID();
  const interval = wilson(98, 100);
  const conformance = { rate: 0.98, low: interval?.low ?? 0, high: interval?.high ?? 1 };
  const ratio = (cheap.effective?.usd_per_1k ?? 1) / 5;
  const report: BakeoffReport = {
    schema: "modelrig.bakeoff/1",
    id: `bo_${unique}`,
    route: `edge.task-${unique}`,
    route_hash: "a".repeat(64),
    started_at: "2026-11-29T12:00:00.000Z",
    finished_at: "2026-11-29T12:01:00.000Z",
    seed: 1,
    concurrency: 8,
    budget_usd_per_arm: "5.000000000",
    simulated: true,
    partial: false,
    inputs: { asked: 100, used: 100, variables: 100, messages: 0 },
    metric: "conformance",
    schema_declared: true,
    objective: { mode: "cost-first" },
    incumbent: "default",
    arms: [
      armFigures("default", { role: "incumbent", conformance, effective: { usd_per_1k: 5 } }),
      armFigures("cheap", { conformance, ...cheap }),
    ],
    pairs: [pairFigures("cheap", { cost_ratio: { ratio, low: ratio * 0.9, high: ratio * 1.1 } })],
    regrets: [],
    gate: { kind: "cost-first", verdicts: [], reason: "" },
  };
  return { ...report, gate: gateOf(report) };
}
