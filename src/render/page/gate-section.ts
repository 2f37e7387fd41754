/** Every clause of the gate in words: what it looked at, what it found, and why. */

import type { GateClause } from "../../bakeoff/gate/gate-report.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { percent, points, signedPoints } from "../../stats/rate-text.ts";
import { regretLegend, verdictNote } from "../terminal/matrix-notes.ts";
import { type Html, html } from "./html.ts";
import { dayOf, regretOf, usd } from "./model.ts";
import { type PageCell, table } from "./table.ts";

/** One sentence per challenger, what the gate concludes, and on how much. */
export function conclusionSection(report: BakeoffReport): Html {
  const day = dayOf(report.finished_at);
  const sentences = report.gate.verdicts.map((verdict) => {
    const n =
      regretOf(report, verdict.arm)?.n_paired ?? report.pairs.find(({ arm }) => arm === verdict.arm)?.n_paired ?? 0;
    return html`<li>${verdictNote(verdict, report)} <span class="n">(n ${n} pairs, ${day})</span></li>`;
  });
  const proposes = report.gate.proposes;
  return html`<section aria-labelledby="conclusion"><h2 id="conclusion">What it shows</h2><ul>${sentences}</ul><p>Gate ${report.gate.kind}: ${report.gate.reason}. ${
    proposes === undefined
      ? "No arm is proposed."
      : html`A proposal can be filed for <b>${proposes}</b>; a person decides.`
  }</p></section>`;
}

export function gateSection(report: BakeoffReport): Html {
  const day = dayOf(report.finished_at);
  const gates = report.gate.verdicts.map(({ arm, clauses, clears }) => {
    const n = regretOf(report, arm)?.n_paired ?? report.pairs.find((pair) => pair.arm === arm)?.n_paired ?? 0;
    return table({
      caption: `${arm}: ${clears ? "clears" : "does not clear"} (n ${n} pairs, ${day})`,
      head: ["clause", "met", arm, "incumbent", "limit", "reason"].map((content, index) => ({
        content,
        kind: index >= 2 && index <= 4 ? "figure" : undefined,
      })),
      rows: clauses.map((clause) => clauseRow(clause, n)),
      cards: true,
    });
  });
  return html`<section aria-labelledby="gate"><h2 id="gate">Gate, clause by clause</h2><figure>${gates}<figcaption>An arm clears where every clause is met. Bounds, not estimates, are compared; n = pairs on the same inputs. ${regretLegend(report).join(". ")}${report.regrets.length > 0 && ". "}${day}.</figcaption></figure></section>`;
}

function clauseRow(clause: GateClause, n: number): PageCell[] {
  const value = (amount: number | undefined): PageCell => ({
    content: amount === undefined ? "" : clauseValue(clause, amount),
    kind: "figure",
  });
  return [
    { content: clause.clause.replace(/_/g, " ") },
    {
      content: clause.met
        ? html`<span class="tag within">✓ met</span>`
        : html`<span class="tag worse">✗ not met</span>`,
    },
    value(clause.challenger),
    value(clause.incumbent),
    value(clause.limit),
    { content: html`${clause.reason} <span class="n">n ${n}</span>` },
  ];
}

/** In the unit of what the clause compares. */
function clauseValue({ clause, incumbent }: GateClause, value: number): string {
  switch (clause) {
    case "conformance":
    case "quality":
      return `≥ ${percent(value)}%`;
    case "regret":
    case "incumbent_regret":
    case "conformance_drop":
      return `${points(value)} pts`;
    case "improvement":
      return incumbent === undefined ? `${signedPoints(value)} pts` : usd(value);
    case "effective_cost":
    case "price_ceiling":
      return usd(value);
    case "latency":
      return `${Number(value.toPrecision(4))} ms`;
    case "score":
      return value.toFixed(4);
    default:
      return String(value);
  }
}
