/** The matrix of a report as lines of plain text, at most 80 columns where names allow. Every rate stands with its n. */
import { formatUsd } from "../money/format.ts";
import { nanoUsd, usdToNano } from "../money/nano-usd.ts";
import { percent } from "./percent.ts";
import type { ArmReport, ArmVerdict, BakeoffReport, PairReport } from "./report.ts";

export interface MatrixTable {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Below the table: partial, verdicts, failures. */
  readonly notes: readonly string[];
}

export function matrixOf(report: BakeoffReport): MatrixTable {
  return {
    title: titleOf(report),
    header: ["", "n", "conform 95%", "$/1K conformant", `cost vs ${report.incumbent}`],
    rows: report.arms.map((arm) => [
      arm.role === "incumbent" ? `${arm.arm} (live)` : arm.arm,
      String(arm.sent),
      conformanceText(arm),
      effectiveText(arm),
      ratioText(report.pairs.find((pair) => pair.arm === arm.arm)),
    ]),
    notes: notesOf(report),
  };
}

function titleOf(report: BakeoffReport): string {
  const spend = nanoUsd(report.arms.reduce((sum, arm) => sum + usdToNano(arm.spend_usd), 0));
  const budget = nanoUsd(usdToNano(report.budget_usd_per_arm) * report.arms.length);
  const parts = [
    report.route,
    `${report.inputs.used} of ${report.inputs.asked} inputs`,
    `${report.arms.length} arms`,
    `seed ${report.seed}`,
    `${formatUsd(spend)} of ${formatUsd(budget)}`,
    ...(report.simulated ? ["simulated"] : []),
    ...(report.partial ? ["PARTIAL"] : []),
  ];
  return parts.join("  ");
}

function conformanceText({ conformance }: ArmReport): string {
  if (!conformance) return "not measured";
  const { rate, low, high } = conformance;
  return `${percent(rate)} [${percent(low)},${percent(high)}]`;
}

function effectiveText({ effective, effective_note: note }: ArmReport): string {
  if (!effective) return note ?? "not measured";
  const { usd_per_1k: usd, low, high } = effective;
  if (low === undefined || high === undefined) return `${dollars(usd)} (no interval)`;
  return `${dollars(usd)} [${dollars(low)},${dollars(high)}]`;
}

function ratioText(pair: PairReport | undefined): string {
  if (!pair) return "";
  const { cost_ratio: ratio, n_paired: n } = pair;
  if (!ratio) return `refused: n ${n}`;
  const factor = (value: number): string => `x${value.toFixed(2)}`;
  if (ratio.low === undefined || ratio.high === undefined) return `${factor(ratio.ratio)}, n ${n}`;
  return `${factor(ratio.ratio)} [${ratio.low.toFixed(2)},${ratio.high.toFixed(2)}]`;
}

function notesOf(report: BakeoffReport): string[] {
  const notes: string[] = [];
  for (const { arm, stopped, sent } of report.arms) {
    if (stopped) notes.push(`partial: ${arm} stopped after ${sent} of ${report.inputs.used} (${STOPPED[stopped]})`);
  }
  notes.push(...report.arms.flatMap(repairNote), ...report.arms.flatMap(failureNote));
  if (report.inputs.messages > 0) {
    notes.push(`${report.inputs.messages} inputs are messages: a variant's template does not apply to them`);
  }
  notes.push(...report.gate.verdicts.map(verdictNote), `gate cost-first: ${report.gate.reason}`);
  return notes;
}

const STOPPED = {
  budget: "its budget is spent",
  unpriced: "a candidate has no price",
  interrupted: "interrupted",
} as const;

function repairNote({ arm, repair, sent, latency_ms: latency }: ArmReport): string[] {
  const parts = [
    ...(repair.count > 0 ? [`repaired ${repair.count} of ${sent} for ${formatUsd(usdToNano(repair.cost_usd))}`] : []),
    ...(latency ? [`p50 ${Math.round(latency.p50)} ms, p95 ${Math.round(latency.p95)} ms`] : []),
  ];
  return parts.length === 0 ? [] : [`${arm}: ${parts.join("; ")}`];
}

function failureNote({ arm, failures, sent }: ArmReport): string[] {
  const counts = Object.entries(failures).sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return [];
  return [
    `${arm}: without a conformant output, of ${sent} sent: ${counts.map(([name, n]) => `${name} ${n}`).join(", ")}`,
  ];
}

function verdictNote({ arm, clears, clauses, saving }: ArmVerdict): string {
  if (!clears) {
    const unmet = clauses.filter(({ met }) => !met).map(({ clause, reason }) => `${clause}: ${reason}`);
    return `${arm} does not clear: ${unmet.join("; ")}`;
  }
  if (!saving) return `${arm} clears; cost not separated, so no saving is claimed`;
  return `${arm} clears; effective cost lower by ${percent(saving.fraction)}% [${percent(saving.low)},${percent(saving.high)}]`;
}

function dollars(value: number): string {
  return formatUsd(nanoUsd(Math.round(value * 1e9)));
}
