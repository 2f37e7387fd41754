/** The judge's examination as a table, with what else bears on its verdicts. */
import { kindWords } from "../../bakeoff/judge/examination.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { percent } from "../../stats/rate-text.ts";
import { judgeNotes } from "../terminal/judge-notes.ts";
import { type Html, html } from "./html.ts";
import { dayOf } from "./model.ts";
import { type PageCell, table } from "./table.ts";

export function judgeSection(report: BakeoffReport): Html {
  const { judge, metric } = report;
  if (!judge || metric !== "judge") return html``;
  const state =
    judge.unusable_because === undefined
      ? html`<span class="tag within">usable</span>`
      : html`<span class="tag worse">unusable</span>`;
  return html`<section aria-labelledby="judge"><h2 id="judge">Judge ${judge.model ?? ""} ${state}</h2><ul>${judgeNotes(report).map((note) => html`<li>${note}</li>`)}</ul>${examinationTable(judge)}</section>`;
}

function examinationTable({ examination }: NonNullable<BakeoffReport["judge"]>): Html {
  if (!examination) return html``;
  const rows = examination.kinds.map(({ kind, asked, right, low, not_applicable: none }): PageCell[] => [
    { content: kindWords(kind) },
    { content: none === true ? "not applicable" : `${right} of ${asked}`, kind: "figure" },
    { content: low === undefined ? "" : `${percent(low)}%`, kind: "figure" },
    { content: WHAT_IS_RIGHT[kind] },
  ]);
  return table({
    caption: `Examination of ${dayOf(examination.at)} on outputs of ${examination.bakeoff}; it holds for 30 days`,
    head: [
      { content: "planted pairs" },
      { content: "right verdicts", kind: "figure" },
      { content: "lower bound", kind: "figure" },
      { content: "what is right" },
    ],
    rows,
    cards: true,
  });
}

const WHAT_IS_RIGHT = {
  identical: "equal scores",
  damaged: "the whole answer above the damaged one",
  other_input: "the answer to this input above another's",
  padded: "empty sentences gain nothing",
  swapped: "the same answer ahead in both orders",
  own_wording: "its own words gain nothing",
  other_wording: "other words lose at most one step of the scale",
} as const satisfies Record<
  NonNullable<NonNullable<BakeoffReport["judge"]>["examination"]>["kinds"][number]["kind"],
  string
>;
