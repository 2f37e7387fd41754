/** What a proposal rests on: the figures of one bake-off arm beside the incumbent's, and what would change. */
import { z } from "zod";
import type { ArmReport, BakeoffReport } from "../bakeoff/report.ts";
import { armReport, armVerdict, pairReport } from "../bakeoff/report.ts";
import { SWAP_DIRECTIONS, swapDirection } from "./direction.ts";

export const proposalEvidence = z.object({
  bakeoff: z.string(),
  measured_at: z.iso.datetime(),
  route_hash: z.string(),
  metric: z.literal("conformance"),
  simulated: z.boolean(),
  /** The variant to become the route's default. */
  variant: z.string(),
  incumbent: armReport,
  challenger: armReport,
  pair: pairReport.optional(),
  verdict: armVerdict,
  swap_direction: z.enum(SWAP_DIRECTIONS),
  /** Challenger − incumbent, dollars per 1K conformant outputs. */
  cost_delta_usd_per_1k: z.number(),
});

export type ProposalEvidence = z.infer<typeof proposalEvidence>;

/** Evidence for the arm a report proposes; `undefined` where it proposes none. */
export function evidenceOf(report: BakeoffReport): ProposalEvidence | undefined {
  const { proposes } = report.gate;
  const challenger = report.arms.find(({ arm }) => arm === proposes);
  const incumbent = report.arms.find(({ role }) => role === "incumbent");
  const verdict = report.gate.verdicts.find(({ arm }) => arm === proposes);
  if (!challenger || !incumbent || !verdict) return undefined;
  const delta = costDelta(challenger, incumbent);
  return {
    bakeoff: report.id,
    measured_at: report.finished_at,
    route_hash: report.route_hash,
    metric: report.metric,
    simulated: report.simulated,
    variant: challenger.arm,
    incumbent,
    challenger,
    pair: report.pairs.find(({ arm }) => arm === proposes),
    verdict,
    swap_direction: swapDirection(delta),
    cost_delta_usd_per_1k: delta,
  };
}

function costDelta(challenger: ArmReport, incumbent: ArmReport): number {
  return (challenger.effective?.usd_per_1k ?? 0) - (incumbent.effective?.usd_per_1k ?? 0);
}
