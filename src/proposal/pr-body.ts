/**
 * Markdown of the pull request for a proposal. The same proposal gives the same bytes. Names come from files and
 * requests, so they are written as code; free text stands in a fence it cannot close.
 */

import type { ArmReport } from "../bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../bakeoff/analysis/regret-report.ts";
import { costUnit } from "../bakeoff/gate/contest.ts";
import { modelOf } from "../bakeoff/report/arm-label.ts";
import { formatUsd } from "../money/format.ts";
import { nanoUsd } from "../money/nano-usd.ts";
import { levelText, percent, points, signedPoints } from "../stats/rate-text.ts";
import type { ProposalEvidence } from "./evidence.ts";
import type { Proposal } from "./proposal.ts";
import { shellCommand, shellQuote } from "./shell.ts";

export function prTitle(proposal: Proposal): string {
  const variant = "evidence" in proposal ? proposal.evidence?.variant : undefined;
  return oneLine(`${proposal.route}: ${variant === undefined ? proposal.trigger : `make ${variant} the default`}`);
}

export function prBody(proposal: Proposal): string {
  const evidence = "evidence" in proposal ? proposal.evidence : undefined;
  const parts = [
    `## ${inline(proposal.route)}: ${evidence ? `make ${inline(evidence.variant)} the default` : inline(proposal.trigger)}`,
    ...(evidence ? evidenceParts(proposal.id, evidence) : ["No evidence yet: run the bake-off first."]),
    ...("comment" in proposal && proposal.comment ? [`Comment\n\n${fenced(proposal.comment)}`] : []),
    `Proposal ${inline(proposal.id)}, kind ${proposal.kind}, trigger ${proposal.trigger}, expires ${proposal.expires_at}.`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Copied as it is; the body travels by file, never through the shell. */
export function ghCommand(proposal: Proposal, bodyFile: string): string {
  return `gh pr create --title ${shellQuote(prTitle(proposal))} --body-file ${shellQuote(bodyFile)}`;
}

function evidenceParts(id: string, evidence: ProposalEvidence): string[] {
  const { incumbent, challenger, regret } = evidence;
  return [
    ...(evidence.simulated ? ["**Simulated**: these figures were measured on the simulated provider."] : []),
    claim(evidence),
    ...(regret ? [regretLine(regret, evidence)] : []),
    [
      `| arm | sent | conformant | conformance (Wilson 95%) | $ per 1K conformant | spend |`,
      `|---|---:|---:|---|---|---:|`,
      armRow(incumbent, "incumbent"),
      armRow(challenger, "challenger"),
    ].join("\n"),
    ...(regret ? [regretTable(evidence)] : []),
    `Gate ${evidence.objective.mode}, metric ${evidence.metric}:\n\n${evidence.verdict.clauses
      .map(({ clause, met, reason }) => `- ${met ? "met" : "not met"}: ${clause}: ${inline(reason)}`)
      .join("\n")}`,
    ...caveats(evidence),
    `Measured ${evidence.measured_at} by bake-off ${inline(evidence.bakeoff)} on route version ${inline(evidence.route_hash.slice(0, 12))}.`,
    `To apply: ${inline(shellCommand("modelrig", "swap", "execute", id, "--approve"))} prints the patch and the command that takes it back.`,
  ];
}

function claim(evidence: ProposalEvidence): string {
  const { verdict, swap_direction: direction, cost_delta_usd_per_1k: delta, pair } = evidence;
  const unit = `1K ${costUnit(evidence)} outputs`;
  if (direction === "up") {
    const cut = evidence.regret_against_incumbent?.estimate;
    const n = evidence.regret_against_incumbent?.n_paired ?? 0;
    const gain = cut
      ? ` to cut regret by ${points(-cut.mean)} pts against the incumbent (${levelText(cut.level)} interval ${points(-cut.high)} to ${points(-cut.low)}, ${n} paired inputs)`
      : "";
    return `Raises effective cost by ${perThousand(delta)} per ${unit}${gain}: an investment, not a saving.`;
  }
  const n = pair?.n_paired ?? 0;
  if (!verdict.saving) {
    return `Effective cost is lower by ${perThousand(Math.abs(delta))} per ${unit}; cost not separated on ${n} paired inputs, so no saving is claimed.`;
  }
  const { fraction, low, high } = verdict.saving;
  return `Effective cost lower by ${percent(fraction)}% (${levelText(pair?.cost_ratio?.level ?? 0.025)} interval ${percent(low)}% to ${percent(high)}%, ${n} paired inputs).`;
}

function regretLine(regret: RegretReport, { metric, measured_at: at }: ProposalEvidence): string {
  const { estimate, n_paired: n, against, limit: most } = regret;
  const day = at.slice(0, 10);
  if (!estimate) return `Regret against ${inline(modelOf(against))}: not reported on ${n} paired inputs.`;
  const limit = most === undefined ? "" : `, limit ${points(most)}`;
  return `Regret against ${inline(modelOf(against))}: ${regretText(regret)} pts by ${metric}${limit} (${levelText(estimate.level)} interval, ${METHODS[estimate.method]}, ${n} paired inputs, ${day}).`;
}

const METHODS = {
  tango_bonett_price: "Tango and Bonett-Price, the wider",
  pseudo_pair_t: "pseudo-pair and t, the wider",
  betting: "bets on what was new at each look",
} as const;

function regretTable({ incumbent, challenger, regret, incumbent_regret: theirs }: ProposalEvidence): string {
  const row = (arm: ArmReport, role: string, of: RegretReport | undefined): string =>
    `| ${inline(arm.arm)} (${role}) | ${of?.n_paired ?? 0} | ${of?.missing ?? 0} | ${of?.losses ?? 0} | ${of?.wins ?? 0} | ${regretText(of)} |`;
  return [
    "| arm | pairs | missing | losses | wins | regret, pts |",
    "|---|---:|---:|---:|---:|---|",
    row(incumbent, "incumbent", theirs),
    row(challenger, "challenger", regret),
  ].join("\n");
}

function regretText(regret: RegretReport | undefined): string {
  if (!regret?.estimate) return "not measured";
  const { mean, low, high } = regret.estimate;
  return `${signedPoints(mean)} [${signedPoints(low)}, ${signedPoints(high)}]`;
}

/** What speaks against the evidence, or limits it. */
function caveats({ regret, answers }: ProposalEvidence): string[] {
  const shape = answers.evidence === "shape" ? [`${capitalised(answers.reason)}.`] : [];
  if (!regret?.estimate || !regret.evidence) return shape;
  const { missing, evidence, estimate } = regret;
  const lines = [
    ...shape,
    ...(missing === 0
      ? []
      : [
          `${missing} inputs have no score on one side; were every one a loss, regret would be at most ${signedPoints(estimate.high_if_missing_lost)} pts.`,
        ]),
    ...(evidence.items < evidence.questions
      ? [`${evidence.questions} questions of ${evidence.clusters} customers or runs count as ${evidence.items} items.`]
      : []),
    ...(evidence.look === "later"
      ? [`Look ${evidence.number}, decided on ${evidence.items} items that were new when seen.`]
      : []),
    `Bounds are one-sided at ${Number((100 * estimate.level).toPrecision(3))}%: family ${evidence.family} of this route in 90 days, ${evidence.family_arms} arms in it.`,
  ];
  return lines.length === 0 ? [] : [lines.join(" ")];
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function armRow(arm: ArmReport, role: string): string {
  const interval = arm.conformance;
  const conformance = interval
    ? `${percent(interval.rate)}% [${percent(interval.low)}, ${percent(interval.high)}]`
    : "not measured";
  const { effective } = arm;
  const cost = !effective
    ? inline(arm.effective_note ?? "not measured")
    : perThousand(effective.usd_per_1k) +
      (effective.low === undefined || effective.high === undefined
        ? ""
        : ` [${perThousand(effective.low)}, ${perThousand(effective.high)}]`);
  return `| ${inline(arm.arm)} (${role}) | ${arm.sent} | ${arm.conformant} | ${conformance} | ${cost} | $${arm.spend_usd} |`;
}

/** Dollars per 1K outputs, a computed figure, in the one way amounts are shown. */
function perThousand(dollars: number): string {
  return formatUsd(nanoUsd(Math.round(dollars * 1e9)));
}

/** Text as inline code: no control characters, no backticks that could end it, no table breaks. */
function inline(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'").replaceAll("|", "/")}\``;
}

/** Free text in a fence longer than any run of backticks inside it. */
export function fenced(text: string): string {
  const clean = withoutControls(text);
  const longest = Math.max(0, ...Array.from(clean.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}text\n${clean}\n${fence}`;
}

function oneLine(text: string): string {
  return withoutControls(text).replace(/\s+/g, " ").trim();
}

/** Drops control, format (bidirectional overrides, zero-width) and surrogate characters; keeps line breaks and tabs. */
function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[^\P{C}\n\t]/gu, "");
}
