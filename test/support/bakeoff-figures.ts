import type { ArmReport, PairReport } from "../../src/bakeoff/report.ts";
import type { ProposalEvidence } from "../../src/proposal/evidence.ts";

/** An arm that was sent 100 inputs, 98 conformant, at $1.00 per 1K; unless told otherwise. */
export function armFigures(arm: string, more: Partial<ArmReport> = {}): ArmReport {
  return {
    arm,
    role: "challenger",
    candidates: [`sim/${arm}`],
    complete: true,
    sent: 100,
    graded: 100,
    conformant: 98,
    conformance: { rate: 0.98, low: 0.93, high: 0.9945 },
    repair: { count: 0, rate: 0, cost_usd: "0.000000000" },
    rungs: { native_strict: 100 },
    spend_usd: "0.098000000",
    cost_unknown: 0,
    cost_estimated: 0,
    effective: { usd_per_1k: 1, low: 0.9, high: 1.1 },
    failures: {},
    ...more,
  };
}

export function pairFigures(arm: string, more: Partial<PairReport> = {}): PairReport {
  return { arm, n_paired: 100, cost_ratio: { ratio: 0.2, low: 0.18, high: 0.22 }, ...more };
}

export function evidenceFigures(more: Partial<ProposalEvidence> = {}): ProposalEvidence {
  return {
    bakeoff: "bo_1",
    measured_at: "2026-11-29T12:00:00.000Z",
    route_hash: "a".repeat(64),
    metric: "conformance",
    simulated: false,
    variant: "cheap",
    incumbent: armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } }),
    challenger: armFigures("cheap"),
    pair: pairFigures("cheap"),
    verdict: {
      arm: "cheap",
      clears: true,
      clauses: [{ clause: "conformance", met: true, challenger: 0.93, incumbent: 0.93, reason: "not below" }],
      cost_separated: true,
      saving: { fraction: 0.8, low: 0.78, high: 0.82 },
    },
    swap_direction: "down",
    cost_delta_usd_per_1k: -4,
    ...more,
  };
}
