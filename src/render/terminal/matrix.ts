/** The matrix of a report as lines of plain text, at most 80 columns where names allow. Every rate has its n beside it. */

import type { ArmReport, PairReport } from "../../bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../bakeoff/analysis/regret-report.ts";
import { MIN_PAIRS } from "../../bakeoff/evidence/decide-regrets.ts";
import type { ArmVerdict } from "../../bakeoff/gate/gate-report.ts";
import { VERDICT_WORDS } from "../../bakeoff/gate/verdict.ts";
import { armLabel } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { spendOf } from "../../bakeoff/report/spend.ts";
import { dollars } from "../../money/dollars.ts";
import { formatUsd } from "../../money/format.ts";
import { nanoUsd, usdToNano } from "../../money/nano-usd.ts";
import { percent, signedPoints } from "../../stats/rate-text.ts";
import { matrixNotes } from "./matrix-notes.ts";
import { needsWords } from "./needs-words.ts";

export interface Grid {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Matrix {
  readonly title: string;
  /** For a terminal: costs and conformance, then regret where it is measured. */
  readonly tables: readonly Grid[];
  /** The same as one table, a row per arm: for a pipe. */
  readonly flat: Grid;
  /** Below the tables: what limits the result, then verdicts. */
  readonly notes: readonly string[];
}

export function matrixOf(report: BakeoffReport): Matrix {
  const full = [costTable(report), ...regretTable(report)];
  return {
    title: titleOf(report),
    // The arm that all are held against has no regret to show.
    tables: full.map(({ header, rows }) => ({
      header,
      rows: rows.filter((row) => row.slice(1).some((cell) => cell !== "")),
    })),
    flat: {
      header: full.flatMap(({ header }, index) => header.slice(index === 0 ? 0 : 1)),
      rows: report.arms.map((_, row) =>
        full.flatMap(({ rows }, index) => (rows[row] ?? []).slice(index === 0 ? 0 : 1)),
      ),
    },
    notes: matrixNotes(report),
  };
}

function titleOf(report: BakeoffReport): string {
  const budget = nanoUsd(usdToNano(report.budget_usd_per_arm) * report.arms.length);
  const parts = [
    report.route,
    `${report.inputs.used} of ${report.inputs.asked} inputs`,
    `${report.arms.length} arms`,
    `seed ${report.seed}`,
    `${formatUsd(spendOf(report))} of ${formatUsd(budget)}`,
    ...(report.simulated ? ["simulated"] : []),
    ...(report.partial ? ["PARTIAL"] : []),
  ];
  return parts.join("  ");
}

function costTable(report: BakeoffReport): Grid {
  return {
    header: ["", "calls", "conform 95%", "$/1K conformant", `cost vs ${report.incumbent}`],
    rows: report.arms.map((arm) => [
      armLabel(arm),
      String(arm.sent),
      conformanceText(arm),
      effectiveText(arm),
      ratioText(report.pairs.find((pair) => pair.arm === arm.arm)),
    ]),
  };
}

/** Against the reference or, without one, against the incumbent. */
function regretTable({ arms, regrets, gate }: BakeoffReport): Grid[] {
  if (regrets.length === 0) return [];
  const base = arms.find(({ role }) => role === "reference") ?? arms.find(({ role }) => role === "incumbent");
  return [
    {
      header: ["", "pairs", "regret pts", "verdict", "more, to decide"],
      rows: arms.map((arm) => {
        const regret = regrets.find((one) => one.arm === arm.arm && one.against === base?.arm);
        const verdict = gate.verdicts.find((one) => one.arm === arm.arm);
        return [
          armLabel(arm),
          regret ? String(regret.n_paired) : "",
          regretText(regret),
          verdict?.verdict ? VERDICT_WORDS[verdict.verdict] : "",
          needsText(verdict),
        ];
      }),
    },
  ];
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
  return `${dollars(usd)} [${dollars(low).slice(1)},${dollars(high).slice(1)}]`;
}

function ratioText(pair: PairReport | undefined): string {
  if (!pair) return "";
  const { cost_ratio: ratio, n_paired: n } = pair;
  if (!ratio) return n < MIN_PAIRS ? `refused: ${n} pairs` : "not measured";
  const factor = (value: number): string => `x${value.toFixed(2)}`;
  if (ratio.low === undefined || ratio.high === undefined) return `${factor(ratio.ratio)}, ${n} pairs`;
  return `${factor(ratio.ratio)} [${ratio.low.toFixed(2)},${ratio.high.toFixed(2)}]`;
}

function regretText(regret: RegretReport | undefined): string {
  if (!regret) return "";
  if (!regret.estimate) return `refused: ${regret.n_paired} pairs`;
  const { mean, low, high } = regret.estimate;
  return `${signedPoints(mean)} [${signedPoints(low)},${signedPoints(high)}]`;
}

function needsText(verdict: ArmVerdict | undefined): string {
  if (verdict?.verdict === "inconclusive") return "stopped";
  if (verdict?.verdict !== "continue") return "";
  return verdict.needs ? needsWords(verdict.needs) : "no forecast";
}
