/** What a proposal rests on: the figures of one bake-off arm beside the incumbent's, and what would change. */
import { z } from "zod";
import { type ArmReport, armReport, pairReport } from "../bakeoff/analysis/arm-report.ts";
import { type RegretReport, regretReport } from "../bakeoff/analysis/regret-report.ts";
import { QUALITY_METRICS } from "../bakeoff/execution/sample.ts";
import { costOf, costPerInput } from "../bakeoff/gate/contest.ts";
import { armVerdict } from "../bakeoff/gate/gate-report.ts";
import { answersReport, type BakeoffReport, objectiveReport } from "../bakeoff/report/bakeoff-report.ts";
import { SWAP_DIRECTIONS, swapDirection } from "./direction.ts";

export const proposalEvidence = z.object({
  bakeoff: z.string(),
  measured_at: z.iso.datetime(),
  route_hash: z.string(),
  metric: z.enum(QUALITY_METRICS),
  simulated: z.boolean(),
  /** What the route asked its arms to be judged by: the gate that was cleared. */
  objective: objectiveReport,
  schema_declared: z.boolean(),
  answers: answersReport,
  /** Digests of what the two arms serve, as `servedDigest` makes them. */
  served: z.object({ incumbent: z.string(), challenger: z.string() }),
  /** The variant to become the route's default. */
  variant: z.string(),
  incumbent: armReport,
  challenger: armReport,
  pair: pairReport.optional(),
  /** Of the challenger and of the incumbent against the reference, and of the challenger against the incumbent. */
  regret: regretReport.optional(),
  incumbent_regret: regretReport.optional(),
  regret_against_incumbent: regretReport.optional(),
  verdict: armVerdict,
  swap_direction: z.enum(SWAP_DIRECTIONS),
  /**
   * Challenger − incumbent, dollars per 1K outputs that pass the quality gate or, without one, conform; per 1K inputs
   * where the route declares no schema, or one of the two brought no such output.
   */
  cost_delta_usd_per_1k: z.number(),
});

export type ProposalEvidence = z.infer<typeof proposalEvidence>;

/** Evidence for the arm a report proposes; `undefined` where it proposes none. */
export function evidenceOf(report: BakeoffReport): ProposalEvidence | undefined {
  const { proposes } = report.gate;
  const challenger = report.arms.find(({ arm }) => arm === proposes);
  const incumbent = report.arms.find(({ role }) => role === "incumbent");
  const reference = report.arms.find(({ role }) => role === "reference");
  const verdict = report.gate.verdicts.find(({ arm }) => arm === proposes);
  if (!challenger || !incumbent || !verdict) return undefined;
  const delta = costDelta(challenger, incumbent, report);
  const compared = report.regrets.find(({ arm, against }) => arm === challenger.arm && against === incumbent.arm);
  // An arm whose cost is unknown, or that was not compared with what serves, clears no gate.
  if (delta === undefined || !compared) return undefined;
  const regretOf = (arm: ArmReport, against: ArmReport | undefined): RegretReport | undefined =>
    report.regrets.find((one) => one.arm === arm.arm && one.against === against?.arm && one.metric === report.metric);
  return {
    bakeoff: report.id,
    measured_at: report.finished_at,
    route_hash: report.route_hash,
    metric: report.metric,
    simulated: report.simulated,
    objective: report.objective,
    schema_declared: report.schema_declared,
    answers: report.answers,
    served: { incumbent: compared.key.against, challenger: compared.key.arm },
    variant: challenger.arm,
    incumbent,
    challenger,
    pair: report.pairs.find(({ arm }) => arm === proposes),
    regret: regretOf(challenger, reference),
    incumbent_regret: regretOf(incumbent, reference),
    regret_against_incumbent: regretOf(challenger, incumbent),
    verdict,
    swap_direction: swapDirection(delta),
    cost_delta_usd_per_1k: delta,
  };
}

function costDelta(challenger: ArmReport, incumbent: ArmReport, report: BakeoffReport): number | undefined {
  const [mine, theirs] = [costOf(challenger, report), costOf(incumbent, report)];
  if (mine !== undefined && theirs !== undefined) return mine - theirs;
  const [perInput, theirsPerInput] = [costPerInput(challenger), costPerInput(incumbent)];
  return perInput === undefined || theirsPerInput === undefined ? undefined : 1000 * (perInput - theirsPerInput);
}
