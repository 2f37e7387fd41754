/** Cost against quality, drawn twice: CSS shows the one that fits. */

import type { ArmReport } from "../../bakeoff/analysis/arm-report.ts";
import { armLabel } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { percent, signedPoints } from "../../stats/rate-text.ts";
import { type Measure, type ScatterPoint, type ScatterTerms, scatter } from "../plot/scatter.ts";
import { type Html, html } from "./html.ts";
import { conformanceFigure, costFigure, qualityFigure, regretFigure } from "./measured.ts";
import { armMark, armTone, baseOf, boundClears, dayOf, metricWords, regretOf, usd } from "./model.ts";
import { dataTable } from "./table.ts";

export function scatterFigure(report: BakeoffReport): Html {
  const placed = report.arms.flatMap((arm) => pointOf(report, arm) ?? []);
  const absent = report.arms.filter((arm) => !pointOf(report, arm));
  const day = dayOf(report.finished_at);
  const title = html`<h2 id="scatter">Cost and quality</h2>`;
  const why =
    absent.length > 0 &&
    html`<p>Not in this plot: ${absent.map((arm) => `${armLabel(arm)} (${whyAbsent(report, arm)})`).join("; ")}.</p>`;
  if (placed.length === 0) return html`<section aria-labelledby="scatter">${title}${why}</section>`;
  const terms = termsOf(report, placed);
  const description = `${terms.qualityTitle} against ${terms.costTitle} of ${placed.length} arms, each with its interval; the figures are in the table below.`;
  return html`<section aria-labelledby="scatter">${title}<figure>${scatter(terms, "wide", description)}${scatter(terms, "narrow", description)}<figcaption>${terms.qualityTitle} (${report.regrets.length > 0 ? "the deciding interval" : "Wilson 95%"}, n in the table) against ${terms.costTitle}, log scale, log-delta 95%; ${report.inputs.used} inputs; ${day}. ${FRONT}</figcaption>${why}${figures(report, day)}</figure></section>`;
}

const FRONT =
  "Tinted = beyond a declared limit. The line joins the arms that no other beats on both axes, among those whose bound clears. Outer ring = serves today.";

function termsOf(report: BakeoffReport, points: readonly ScatterPoint[]): ScatterTerms {
  const { max_regret: limit, usd_per_1k: ceiling } = report.objective;
  const byRegret = report.regrets.length > 0;
  return {
    points,
    costTitle: "$ per 1K conformant",
    qualityTitle: byRegret ? `regret by ${metricWords(report.metric)}, pts (up = less)` : "conformant, % of sent",
    formatCost: usd,
    formatQuality: (value) => (byRegret ? signedPoints(-value) : percent(value)),
    floor: byRegret && limit !== undefined ? -limit : undefined,
    ceiling,
  };
}

function pointOf(report: BakeoffReport, arm: ArmReport): ScatterPoint | undefined {
  const { effective } = arm;
  const quality = qualityOf(report, arm);
  if (!effective || effective.usd_per_1k <= 0 || !quality) return undefined;
  const { usd_per_1k: value, low, high } = effective;
  return {
    label: armLabel(arm),
    cost: { value, low, high },
    quality,
    mark: armMark(report, arm),
    tone: armTone(report, arm),
    ringed: arm.role === "incumbent",
    clears: boundClears(report, arm),
  };
}

function qualityOf(report: BakeoffReport, { arm, conformance }: ArmReport): Measure | undefined {
  if (report.regrets.length === 0)
    return conformance && { value: conformance.rate, low: conformance.low, high: conformance.high };
  if (arm === baseOf(report)) return { value: 0 };
  const estimate = regretOf(report, arm)?.estimate;
  return estimate && { value: -estimate.mean, low: -estimate.high, high: -estimate.low };
}

function whyAbsent(report: BakeoffReport, arm: ArmReport): string {
  if (!arm.effective) return arm.effective_note ?? "no cost per 1K";
  if (arm.effective.usd_per_1k <= 0) return "costs nothing, which a log scale cannot show";
  return qualityOf(report, arm)
    ? ""
    : `regret of n ${regretOf(report, arm.arm)?.n_paired ?? 0} pairs is not shown below 10`;
}

function figures(report: BakeoffReport, day: string): Html {
  const byRegret = report.regrets.length > 0;
  const head = ["arm", byRegret ? "regret, pts [CI]" : "conformant [CI]", "quality [CI]", "$/1K [CI]", "bound clears"];
  const rows = report.arms.map((arm) => [
    armLabel(arm),
    byRegret
      ? arm.arm === baseOf(report)
        ? "0 by definition"
        : regretFigure(regretOf(report, arm.arm))
      : conformanceFigure(arm),
    qualityFigure(arm),
    costFigure(arm),
    boundClears(report, arm) ? "yes" : "no",
  ]);
  return dataTable(`Cost and quality of each arm, ${day}`, head, rows);
}
