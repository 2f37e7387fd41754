/** What the judge of a bake-off did, and whether its verdicts may be used. */
import { z } from "zod";
import { addUsd, nanoToUsdText, ZERO_USD } from "../../money/nano-usd.ts";
import type { BakeoffRun } from "../execution/bakeoff-run.ts";
import { examinationReport } from "../judge/examination.ts";
import { tallyOf } from "../judge/judge-verdict.ts";
import { peopleTable } from "../judge/people-table.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { count, name, spentUsdText } from "./report-fields.ts";

export const judgeReport = z.strictObject({
  model: name.optional(),
  /** Why it judged nothing, or not every arm. */
  note: z.string().max(600).optional(),
  /** Digest of the judge, its rubric and the route as it sees it: what its examination and people's grades hold for. */
  subject: z.string().max(64).optional(),
  /** Why no verdict on quality follows from it. Absent = it may be used. */
  unusable_because: z.string().max(1000).optional(),
  /** On planted pairs of this route's outputs; absent where it was not examined. */
  examination: examinationReport.optional(),
  /** How it agrees with people on outputs that both graded; absent = it was not checked against people. */
  people: peopleTable.optional(),
  /** Pairs it gave a verdict on; of them those that came out equal, and those asked in both orders. */
  pairs: count,
  tied: count,
  both_orders: count,
  /** Of `both_orders`: the two answers named opposite winners. */
  flipped: count,
  /** Pairs it was not asked about: equal outputs tie, and an output beats none. */
  identical: count,
  no_output: count,
  /** Answers that could not be used, by failure. */
  unusable: z.record(z.string().max(64), count),
  /** Of the verdicts and of the examination. */
  spend_usd: spentUsdText,
  cost_unknown: count,
});

export type JudgeReport = z.infer<typeof judgeReport>;

export function judgeReportOf(
  { judge }: Pick<BakeoffPlan, "judge">,
  { judged }: Pick<BakeoffRun, "judged">,
): JudgeReport | undefined {
  if (!judge) return undefined;
  const { verdicts = [], planted = [], examination, subject, unusable: because } = judged ?? {};
  const { pairs, tied, bothOrders, flipped, identical, noOutput, unusable } = tallyOf(verdicts);
  const refused = judge.type === "judge" ? Object.values(judge.refused).join("; ") : judge.reason;
  const asked = [...verdicts, ...planted];
  return {
    model: judge.type === "judge" ? judge.candidate.key : undefined,
    note: refused === "" ? undefined : refused.slice(0, 600),
    subject,
    unusable_because: because?.slice(0, 1000),
    examination,
    pairs,
    tied,
    both_orders: bothOrders,
    flipped,
    identical,
    no_output: noOutput,
    unusable: { ...unusable },
    spend_usd: nanoToUsdText(asked.reduce((sum, { cost }) => addUsd(sum, cost ?? ZERO_USD), ZERO_USD)),
    cost_unknown: asked.filter(({ cost, attempts }) => cost === undefined && attempts > 0).length,
  };
}
