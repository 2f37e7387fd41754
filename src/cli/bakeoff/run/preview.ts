/** What a bake-off is about to do, cost and be able to show, and whether to ask before it does. */

import { examinationFault } from "../../../bakeoff/judge/examination.ts";
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import { ASSUMED_DISCORDANCE, type Estimate } from "../../../bakeoff/plan/estimate.ts";
import type { JournalPlan } from "../../../bakeoff/plan/journal-plan.ts";
import { sameText } from "../../../bakeoff/plan/start-bakeoff.ts";
import { formatUsd } from "../../../money/format.ts";
import { addUsd, type NanoUsd, nanoToUsdText, nanoUsd, usdToNano } from "../../../money/nano-usd.ts";
import type { Io } from "../../command.ts";
import { confirm } from "../../output/confirm.ts";

/** Dollars above which a terminal is asked, and anything else needs `--yes`. */
const ASK_ABOVE = usdToNano(1);

export function previewLines(plan: BakeoffPlan, journal: JournalPlan, estimate: Estimate): string[] {
  const { inputs, arms } = plan;
  const names = arms.map(({ name, role }) => (role === "incumbent" ? `${name} (live)` : name));
  return [
    `bake-off ${plan.id} of ${plan.route.name}`,
    `inputs    ${inputs.length}: ${journal.sampling}`,
    `arms      ${names.join(", ")}; real calls: ${estimate.calls}`,
    ...(journal.same ? [`left out  ${sameText(journal.same)}`] : []),
    ...referenceLine(plan),
    ...judgeLines(plan, estimate),
    `quality   by ${plan.metric ?? "nothing: neither goldens, value checks, a judge nor a schema"}`,
    `estimate  ${costText(estimate)}; ${limitText(plan)}`,
    ...(estimate.ms === undefined ? [] : [`time      about ${durationText(estimate.ms)}`]),
    `power     ${powerText(estimate)}`,
  ];
}

export function estimateJson(plan: BakeoffPlan, journal: JournalPlan, estimate: Estimate): Record<string, unknown> {
  const usd = (amount: NanoUsd | undefined): string | null => (amount === undefined ? null : nanoToUsdText(amount));
  return {
    schema: "modelrig.bakeoff-estimate/1",
    id: plan.id,
    route: plan.route.name,
    inputs: plan.inputs.length,
    sampling: journal.sampling,
    metric: plan.metric ?? null,
    calls: estimate.calls,
    estimated_usd: usd(estimate.usd),
    arms: estimate.arms.map(({ arm, usd: cost, basis }) => ({ arm, estimated_usd: usd(cost), basis })),
    judge: estimate.judge
      ? {
          calls: estimate.judge.calls,
          examination_calls: estimate.judge.examination,
          estimated_usd: usd(estimate.judge.usd),
        }
      : null,
    unpriced: estimate.unpriced,
    most_usd: usd(mostSpent(plan)),
    milliseconds: estimate.ms ?? null,
    simulated: estimate.simulated,
    detectable_regret: estimate.detectable,
    pairs_for_max_regret: estimate.pairsForMaxRegret ?? null,
  };
}

/** True where it may be spent. Nothing is asked for what is simulated, or costs little. */
export async function maySpend(io: Io, plan: BakeoffPlan, estimate: Estimate, yes: boolean): Promise<boolean> {
  if (estimate.simulated || estimate.calls === 0) return true;
  if (estimate.usd !== undefined && estimate.unpriced.length === 0 && estimate.usd <= ASK_ABOVE) return true;
  if (mostSpent(plan) <= ASK_ABOVE) return true;
  return confirm(io, `Spend ${costText(estimate)}?`, { name: "--yes", granted: yes });
}

function referenceLine({ reference }: BakeoffPlan): string[] {
  if (!reference) return [];
  if (reference.type === "none") return [`reference none: ${reference.reason}`];
  const by = reference.by === "probed" ? "strongest by probed conformance" : "declared";
  return [`reference ${reference.arm.name} (${by})`];
}

function judgeLines({ judge, metric }: BakeoffPlan, { judge: estimated }: Estimate): string[] {
  if (!judge) return [];
  if (judge.type === "none") return [`judge     none: ${judge.reason}`];
  if (metric !== "judge") return [`judge     not needed: quality is measured by ${metric}`];
  const refused = Object.values(judge.refused);
  return [
    `judge     ${judge.candidate.key}: up to ${judge.maxPairs} pairs against ${judge.against}, each in both orders`,
    ...(estimated === undefined ? [] : [`judge     ${standingText(estimated)}`]),
    ...refused.map((reason) => `judge     not for every arm: ${reason}`),
  ];
}

function standingText({ examination, standing }: NonNullable<Estimate["judge"]>): string {
  if (examination > 0) return `to be examined first on planted pairs of this route's outputs: ${examination} calls`;
  if (!standing) return "examined in full";
  const day = standing.at.slice(0, 10);
  const fault = examinationFault(standing);
  return fault === undefined ? `examined ${day}, usable` : `unusable, examined ${day}: ${fault}; no verdict on quality`;
}

function costText({ usd, unpriced, simulated, judge }: Estimate): string {
  if (simulated) return "nothing, it is simulated";
  const parts = [
    usd === undefined ? "of unknown size" : `about ${formatUsd(usd)}`,
    ...(judge?.usd === undefined ? [] : [`of it ${formatUsd(judge.usd)} for the judge`]),
    ...(unpriced.length === 0 ? [] : [`without ${unpriced.join(", ")}, whose price is unknown`]),
  ];
  return parts.join(", ");
}

function limitText(plan: BakeoffPlan): string {
  const parts = [`at most ${formatUsd(plan.budgetPerArm)} a variant`];
  const hasReference = plan.arms.some(({ role }) => role === "reference");
  if (hasReference) parts.push(`${formatUsd(plan.referenceBudget ?? plan.budgetPerArm)} for the reference`);
  if (plan.totalBudget !== undefined) parts.push(`${formatUsd(plan.totalBudget)} in all`);
  return parts.join(", ");
}

/** Everything the envelopes would let through. */
function mostSpent({
  arms,
  budgetPerArm,
  referenceBudget,
  totalBudget,
  judgePerDay,
  judge,
  metric,
}: BakeoffPlan): NanoUsd {
  const limits = arms.map(({ role }) => (role === "reference" ? (referenceBudget ?? budgetPerArm) : budgetPerArm));
  const judged = judge?.type === "judge" && metric === "judge" ? [judgePerDay ?? nanoUsd(Number.MAX_SAFE_INTEGER)] : [];
  const all = addUsd(...limits, ...judged);
  return totalBudget === undefined || all < totalBudget ? all : totalBudget;
}

function powerText({ pairs, detectable, pairsForMaxRegret: needed }: Estimate): string {
  const assumed = `where arms differ on ${ASSUMED_DISCORDANCE * 100}% of the inputs`;
  const seen = `${pairs} pairs can confirm a regret of ${(detectable * 100).toFixed(1)} points or less, ${assumed}`;
  if (needed === undefined) return seen;
  return `${seen}; this route's max_regret needs about ${needed}`;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
