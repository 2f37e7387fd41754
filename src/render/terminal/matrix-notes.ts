/** The lines below the matrix: first what limits the result, then what it says. */

import type { ArmReport } from "../../bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../bakeoff/analysis/regret-report.ts";
import type { ArmVerdict } from "../../bakeoff/gate/gate-report.ts";
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { formatUsd } from "../../money/format.ts";
import { usdToNano } from "../../money/nano-usd.ts";
import { LARGEST_SHARE, LEAST_CLUSTERS } from "../../stats/clustered.ts";
import { levelText, percent, points, signedPoints } from "../../stats/rate-text.ts";
import { decidingNotes, fieldNotes, lookNotes, provenanceNote } from "./evidence-notes.ts";
import { judgeNotes } from "./judge-notes.ts";

export function matrixNotes(report: BakeoffReport): string[] {
  return [
    provenanceNote(report),
    ...limitNotes(report),
    ...report.arms.flatMap(countsNote),
    ...report.arms.flatMap(failureNote),
    ...regretLegend(report),
    ...decidingNotes(report),
    ...lookNotes(report),
    ...fieldNotes(report),
    ...report.gate.verdicts.map((verdict) => verdictNote(verdict, report)),
    `gate ${report.gate.kind}: ${report.gate.reason}`,
  ];
}

/** What limits the result, whatever it says. */
export function limitNotes(report: BakeoffReport): string[] {
  return [
    ...partialNotes(report),
    ...report.regrets.filter((regret) => isShown(regret, report)).flatMap(missingNotes),
    ...judgeNotes(report),
    ...unknownNotes(report),
    ...clusterNotes(report),
    ...answerNotes(report),
    ...inputNotes(report),
  ];
}

const STOPPED = {
  budget: "its budget is spent",
  unpriced: "a candidate has no price",
  interrupted: "interrupted",
} as const;

function partialNotes({ arms, inputs }: BakeoffReport): string[] {
  return arms.flatMap(({ arm, stopped, sent }) =>
    stopped ? [`partial: ${modelOf(arm)} stopped after ${sent} of ${inputs.used} (${STOPPED[stopped]})`] : [],
  );
}

function missingNotes({ arm, missing, n_paired: n, estimate }: RegretReport): string[] {
  if (missing === 0) return [];
  const bound = estimate
    ? `; were every one a loss, its regret would be at most ${signedPoints(estimate.high_if_missing_lost)} pts`
    : "";
  return [`${arm}: ${missing} of ${n + missing} pairs have no score${bound}`];
}

function unknownNotes({ unknown_usd: unknown }: BakeoffReport): string[] {
  if (unknown === undefined) return [];
  return [`${formatUsd(usdToNano(unknown))} booked for calls whose bill or end is unknown; in no arm's figures`];
}

/** Arms share their inputs, and so their clusters: the regret with the most pairs speaks for all. */
function clusterNotes({ regrets }: BakeoffReport): string[] {
  const [widest] = [...regrets].sort((a, b) => b.n_paired - a.n_paired);
  const evidence = widest?.evidence;
  if (!evidence) return [];
  const { clusters, largest_share: share, questions, heavy } = evidence;
  const weak = clusters < LEAST_CLUSTERS || share > LARGEST_SHARE;
  return [
    ...(clusters < questions || weak
      ? [
          `${questions} inputs of ${clusters} customers, runs or lone questions, the largest with ${percent(share)}% of the traffic${weak ? "; too few or uneven to propose on" : ""}`,
        ]
      : []),
    ...heavy.map(
      ({ share: part, asked }) =>
        `one question has ${percent(part)}% of the traffic and was asked in ${asked} calls: its own bound counts by that weight${asked < 10 ? "; ask it more often with --repeats" : ""}`,
    ),
  ];
}

function inputNotes({ inputs, reference }: BakeoffReport): string[] {
  return [
    ...(reference?.note === undefined ? [] : [`no reference: ${reference.note}`]),
    ...(inputs.weight === undefined
      ? []
      : [
          `${inputs.weight} calls asked ${inputs.used} different inputs: each is sent once and weighs as often as it came`,
        ]),
    ...(inputs.messages > 0
      ? [`${inputs.messages} inputs are messages: a variant's template does not apply to them`]
      : []),
  ];
}

function latencyText({ n, p50, p95, p95_bounds: bounds }: NonNullable<ArmReport["latency_ms"]>): string {
  const interval = bounds ? ` [${Math.round(bounds.low)},${Math.round(bounds.high)}]` : " (no interval)";
  return `p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms${interval} of ${n} answers`;
}

function countsNote({
  arm,
  sent,
  graded,
  conformant,
  quality,
  repair,
  steadiness,
  latency_ms: latency,
}: ArmReport): string[] {
  const parts = [
    `calls sent ${sent}, graded ${graded}, conformant ${conformant}`,
    ...qualityText(quality),
    ...(repair.count > 0 ? [`repaired ${repair.count} for ${formatUsd(usdToNano(repair.cost_usd))}`] : []),
    ...(latency ? [latencyText(latency)] : []),
    ...(steadiness
      ? [`${steadiness.steady} of ${steadiness.questions} repeated questions scored alike each time`]
      : []),
  ];
  return [`${modelOf(arm)}: ${parts.join("; ")}`];
}

/** Conformance is in the matrix already. */
function qualityText(quality: ArmReport["quality"]): string[] {
  if (!quality || quality.metric === "conformance") return [];
  const { metric, mean, low, high, n } = quality;
  return [`${metric} ${percent(mean)} [${percent(low)},${percent(high)}] of ${n}`];
}

function failureNote({ arm, failures, sent }: ArmReport): string[] {
  const counts = Object.entries(failures).sort(([, a], [, b]) => b - a);
  // What an envelope refused is not among the sent.
  const isRefusal = ([key]: readonly [string, number]): boolean => key.startsWith("budget_exhausted");
  const texts = (of: typeof counts): string => of.map(([name, n]) => `${name} ${n}`).join(", ");
  const failed = counts.filter((one) => !isRefusal(one));
  const refused = counts.filter(isRefusal);
  return [
    ...(failed.length > 0 ? [`${modelOf(arm)}: without a conformant output, of ${sent} sent: ${texts(failed)}`] : []),
    ...(refused.length > 0 ? [`${modelOf(arm)}: refused and not sent: ${texts(refused)}`] : []),
  ];
}

/** Whether anything but shape was judged, and whether the selection says anything about the traffic. */
function answerNotes({ answers, sampling, evidence_store: store }: BakeoffReport): string[] {
  return [
    ...(answers.evidence === "checked" ? [] : [answers.reason]),
    ...(sampling.representative
      ? []
      : [`inputs: ${sampling.text}; such a selection finds faults and proposes nothing`]),
    ...(store.kept
      ? []
      : [`the evidence could not be kept, so nothing is proposed: ${store.note ?? "no reason given"}`]),
  ];
}

/** How the regrets were measured, and what so many pairs can show. */
export function regretLegend(report: BakeoffReport): string[] {
  const shown = report.regrets.filter((regret) => isShown(regret, report));
  const decided = shown.filter(({ arm }) => report.gate.verdicts.some((one) => one.arm === arm));
  const [first] = decided.filter(({ estimate }) => estimate);
  if (!first?.estimate) return [];
  const { limit } = first;
  const bound = limit === undefined ? "no limit is declared" : `limit ${points(limit)}`;
  return [
    `regret vs ${modelOf(first.against)} by ${report.metric}, positive = worse; ${levelText(first.estimate.level)} intervals${familyText(first)}; ${bound}`,
    ...lookText(first),
    ...(limit === undefined ? [] : [powerText(decided, limit)]),
  ];
}

/** What the pairs could show, and how many would have been needed: of the arm with the fewest and the most. */
function powerText(regrets: readonly RegretReport[], limit: number): string {
  const least = regrets.reduce((one, two) => (two.n_paired < one.n_paired ? two : one));
  const needed = regrets.flatMap(({ estimate }) => estimate?.needed ?? []);
  const shown = least.estimate ? `${least.n_paired} pairs confirm a limit of ${points(least.estimate.detectable)}` : "";
  const takes = needed.length > 0 ? `a limit of ${points(limit)} takes about ${Math.max(...needed)}` : "";
  return [shown, takes]
    .filter((text) => text !== "")
    .join("; ")
    .concat(" (80% power, arms without regret)");
}

function familyText({ evidence }: RegretReport): string {
  return evidence && evidence.family_arms > 1 ? `, corrected for ${evidence.family_arms} challengers` : "";
}

/** A later look is decided by what was new at each of them. */
function lookText({ evidence }: RegretReport): string[] {
  if (!evidence) return [];
  const again = evidence.restarted
    ? [`older evidence was contradicted; what counts began ${evidence.since.slice(0, 10)}`]
    : [];
  if (evidence.look === "first") return again;
  const { number, items, fresh } = evidence;
  const nothing = fresh === 0 ? ": the same questions again are no evidence" : "";
  return [
    ...again,
    `look ${number}: bounds by bets on ${items} items that were new when seen, ${fresh} of the questions new now${nothing}`,
  ];
}

/** One sentence on a challenger, with what it misses or what it saves. */
export function verdictNote({ arm, clears, clauses, saving }: ArmVerdict, { pairs }: BakeoffReport): string {
  if (!clears) {
    const unmet = clauses.filter(({ met }) => !met).map(({ clause, reason }) => `${clause}: ${reason}`);
    return `${arm} does not clear: ${unmet.join("; ")}`;
  }
  if (saving) {
    return `${arm} clears; effective cost lower by ${percent(saving.fraction)}% [${percent(saving.low)},${percent(saving.high)}]`;
  }
  const ratio = pairs.find((pair) => pair.arm === arm)?.cost_ratio;
  if (ratio?.low !== undefined && ratio.low > 1) {
    return `${arm} clears; effective cost rises to x${ratio.ratio.toFixed(2)} [${ratio.low.toFixed(2)},${ratio.high?.toFixed(2)}]: an investment, not a saving`;
  }
  return `${arm} clears; cost not separated, so no saving is claimed`;
}

/** Against the reference or, without one, the incumbent. */
function isShown({ against, metric }: RegretReport, { arms, incumbent, metric: shown }: BakeoffReport): boolean {
  return metric === shown && against === (arms.find(({ role }) => role === "reference")?.arm ?? incumbent);
}
