import type { ArmReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import { costLevel } from "../../../src/bakeoff/evidence/cost-level.ts";
import { decideRegrets } from "../../../src/bakeoff/evidence/decide-regrets.ts";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf } from "../../../src/bakeoff/report/consistency.ts";
import { wilson } from "../../../src/stats/wilson.ts";
import { armFigures, countedFigures, lookFigures, pairFigures, pairsWith } from "./bakeoff-figures.ts";

const N = 200;
const SIZE = { sent: N, graded: N, conformant: 196 };

const looks = new Map<string, LookRecord>();

/** The look that a report's bounds follow from: it is recorded before the report. */
export function lookOf({ id }: Pick<BakeoffReport, "id">): LookRecord {
  const look = looks.get(id);
  if (!look) throw new Error(`${id} is no report of these`);
  return look;
}

/**
 * A report whose figures fit together and of which `cheap` clears; each on a route of its own, or a second look at the
 * same questions `after` another.
 */
export function reportOf(cheap: Partial<ArmReport> = {}, after?: BakeoffReport): BakeoffReport {
  // Test files share a database.
  const unique = crypto.randomUUID();
  const [id, route] = [`bo_${unique}`, after?.route ?? `edge.task-${unique}`];
  const interval = wilson(SIZE.conformant, N);
  const conformance = { rate: 0.98, low: interval?.low ?? 0, high: interval?.high ?? 1 };
  const ratio = (cheap.effective?.usd_per_1k ?? 1) / 5;
  const paired = [{ arm: "cheap", against: "default", pairs: pairsWith(N, 0, 0), limit: 0.05 }];
  const look = lookFigures({ route, bakeoff: id, at: Date.now() }, paired);
  const regrets = decideRegrets(paired.map(countedFigures), [...(after ? [lookOf(after)] : []), look]);
  const report: BakeoffReport = {
    schema: "modelrig.bakeoff/1",
    id,
    route,
    route_hash: "a".repeat(64),
    started_at: "2026-11-29T12:00:00.000Z",
    finished_at: "2026-11-29T12:01:00.000Z",
    seed: 1,
    concurrency: 8,
    budget_usd_per_arm: "5.000000000",
    simulated: true,
    partial: false,
    inputs: { asked: N, used: N, variables: N, messages: 0 },
    metric: "conformance",
    schema_declared: true,
    objective: { mode: "cost-first", max_conformance_drop: 0.05 },
    answers: { evidence: "checked", accepted: false, reason: "answers were judged by value checks" },
    sampling: { representative: true, text: "the newest captures" },
    evidence_store: { kept: true },
    incumbent: "default",
    arms: [
      armFigures("default", { role: "incumbent", conformance, ...SIZE, effective: { usd_per_1k: 5 } }),
      armFigures("cheap", { conformance, ...SIZE, ...cheap }),
    ],
    pairs: [
      pairFigures("cheap", {
        n_paired: N,
        cost_ratio: { ratio, low: ratio * 0.9, high: ratio * 1.1, level: costLevel("cheap", regrets) },
      }),
    ],
    regrets,
    gate: { kind: "cost-first", verdicts: [], reason: "" },
  };
  looks.set(id, look);
  return { ...report, gate: gateOf(report) };
}
