import { formatUsd } from "../../money/format.ts";
import type { ProbeTarget } from "../../probe/calls.ts";
import type { ProbeOutcome } from "../../probe/probe.ts";
import { SUPPORTED_FROM, supported } from "../../registry/satisfies.ts";
import type { Io } from "../command.ts";
import { printTable } from "../output/table.ts";

/** One row per model and capability: never a rate without its n, its interval and what it cost. */
export function printOutcomes(
  io: Io,
  measured: readonly { readonly target: ProbeTarget; readonly outcomes: readonly ProbeOutcome[] }[],
): void {
  const rows = measured.flatMap(({ target, outcomes }) =>
    outcomes.map((outcome) => [
      `${target.provider}/${target.model}`,
      outcome.capability,
      outcome.row ? `${outcome.row.passed}/${outcome.row.n}` : "-",
      outcome.row ? `${share(outcome.row.low)}-${share(outcome.row.high)}` : "-",
      verdictWord(outcome),
      outcome.row?.cost === undefined && outcome.row ? "unpriced" : formatUsd(outcome.cost),
      remark(outcome),
    ]),
  );
  printTable(
    io,
    [
      { header: "model", shrink: true },
      { header: "capability" },
      { header: "passed", align: "right" },
      { header: "95%", align: "right" },
      { header: `${SUPPORTED_FROM * 100}% met` },
      { header: "cost", align: "decimal" },
      { header: "remark" },
    ],
    rows,
  );
}

function verdictWord({ row }: ProbeOutcome): string {
  if (!row) return "not measured";
  const verdict = supported(row);
  if (verdict === undefined) return "undecided";
  return verdict ? "yes" : "no";
}

function remark({ unanswered, complete, row }: ProbeOutcome): string {
  const counts = Object.entries(unanswered).map(([name, count]) => `${name} ${count}`);
  return [
    ...(row?.simulated ? ["simulated"] : []),
    ...(complete ? [] : ["cut short"]),
    ...(counts.length > 0 ? [`unanswered: ${counts.join(", ")}`] : []),
  ].join("; ");
}

function share(value: number): string {
  return (value * 100).toFixed(1);
}
