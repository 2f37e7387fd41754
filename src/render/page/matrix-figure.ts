/** The matrix: a row per arm, regret and conformance as forest plots among its columns. */

import type { ArmReport } from "../../bakeoff/analysis/arm-report.ts";
import { VERDICT_WORDS } from "../../bakeoff/gate/verdict.ts";
import { armLabel } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { levelText, percent, points, signedPoints } from "../../stats/rate-text.ts";
import { type ForestAxis, type ForestRow, forestHead, forestRow, forestScale } from "../plot/forest.ts";
import { linearScale } from "../plot/scale.ts";
import { needsWords } from "../terminal/needs-words.ts";
import { type Html, html, type Part } from "./html.ts";
import { conformanceFigure, costFigure, qualityFigure, ratioFigure, refusal, regretFigure } from "./measured.ts";
import { armMark, baseOf, boundClears, dayOf, metricWords, regretOf, verdictOnArm } from "./model.ts";
import { dataTable, type PageCell, table } from "./table.ts";

interface Column {
  readonly head: PageCell;
  readonly label: string;
  readonly cell: (arm: ArmReport) => PageCell;
}

export function matrixFigure(report: BakeoffReport): Html {
  const columns = [armColumn(report), ...regretColumns(report), ...conformanceColumns(report), ...costColumns(report)];
  const day = dayOf(report.finished_at);
  return html`<section aria-labelledby="matrix"><h2 id="matrix">Matrix</h2><figure>${table({
    caption: `Arms of ${report.route}, measured ${day}`,
    head: columns.map(({ head }) => head),
    rows: report.arms.map((arm) => columns.map(({ cell }) => cell(arm))),
    labels: columns.map(({ label }) => label),
    cards: true,
  })}<figcaption>${captionOf(report, day)} ${LEGEND}</figcaption>${figures(report, day)}</figure></section>`;
}

const LEGEND = html`<span class="legend">Marks: filled disc = bound inside the limit, triangle = beyond it, ring = open, diamond = the reference, square = nothing declared that decides. A bar's arrow = it goes on beyond the axis.</span>`;

function captionOf(report: BakeoffReport, day: string): Html {
  const levels = new Set(report.arms.flatMap(({ arm }) => regretOf(report, arm)?.estimate?.level ?? []));
  const level = levels.size === 0 ? "" : `${[...levels].map(levelText).join(" or ")} intervals, those that decide; `;
  const limit = report.objective.max_regret;
  const regret =
    report.regrets.length === 0
      ? ""
      : `Regret: quality points by ${metricWords(report.metric)} below ${armName(report, baseOf(report))} on the same inputs, positive = worse; ${level}solid line 0${limit === undefined ? "" : `, dashed line max_regret ${points(limit)} pts`}. `;
  return html`${regret}Conformant: of all sent, Wilson 95%. $/1K: spend per 1,000 conformant outputs, log-delta 95%. n in every cell; ${report.inputs.used} inputs; ${day}.`;
}

function armColumn(report: BakeoffReport): Column {
  return {
    head: { content: "arm" },
    label: "arm",
    cell: (arm) => ({
      content: html`<span class="arm-name">${armLabel(arm)}</span><span class="models">${arm.candidates.join(" → ")}</span>${verdictTag(report, arm)}`,
    }),
  };
}

/** Word and shape: never colour alone. */
function verdictTag(report: BakeoffReport, arm: ArmReport): Part {
  if (arm.role === "reference") return html`<span class="tag open">reference</span>`;
  const verdict = verdictOnArm(report, arm.arm);
  const gate =
    verdict &&
    html`<span class="tag ${verdict.clears ? "within" : "open"}">${verdict.clears ? "clears its gate" : "does not clear"}</span>`;
  const stopped = !arm.complete && html`<span class="tag worse">partial</span>`;
  if (!verdict?.verdict) return [gate, stopped];
  const tone = { better: "within", equivalent: "within", worse: "worse", continue: "open", inconclusive: "open" }[
    verdict.verdict
  ];
  const needs = verdict.needs && html`<span class="needs">${needsWords(verdict.needs)}</span>`;
  return [html`<span class="tag ${tone}">${VERDICT_WORDS[verdict.verdict]}</span>`, gate, stopped, needs];
}

function regretColumns(report: BakeoffReport): Column[] {
  if (report.regrets.length === 0) return [];
  const limit = report.objective.max_regret;
  const rowOf = (arm: ArmReport): ForestRow | undefined => {
    if (arm.arm === baseOf(report)) return { estimate: 0, mark: "diamond" };
    const estimate = regretOf(report, arm.arm)?.estimate;
    return estimate && { estimate: estimate.mean, interval: estimate, mark: armMark(report, arm) };
  };
  const scale = forestScale(
    report.arms.flatMap((arm) => rowOf(arm) ?? []),
    0,
    limit,
  );
  const axis: ForestAxis = { scale, zero: 0, limit, format: (value) => signedPoints(value).replace(/\.0$/, "") };
  return [
    {
      head: { content: html`regret, pts ${forestHead(axis)}`, kind: "plot" },
      label: "regret, pts",
      cell: (arm) => {
        const row = rowOf(arm);
        return { content: row ? inCard(row, axis) : refusal("no bar: no interval"), kind: "plot" };
      },
    },
    {
      head: { content: "regret, pts [CI]", kind: "figure" },
      label: "regret, pts [CI]",
      cell: (arm) => ({
        content: arm.arm === baseOf(report) ? refusal("0 by definition") : regretFigure(regretOf(report, arm.arm)),
        kind: "figure",
      }),
    },
  ];
}

function conformanceColumns({ arms, schema_declared: schema }: BakeoffReport): Column[] {
  if (!schema) return [];
  const bounds = arms.flatMap(({ conformance }) => (conformance ? [conformance.low] : []));
  const scale = linearScale(Math.min(0.99, ...bounds), 1, 3);
  const axis: ForestAxis = { scale, format: (value) => percent(value) };
  return [
    {
      head: { content: html`conformant, % ${forestHead(axis)}`, kind: "plot" },
      label: "conformant, %",
      cell: ({ conformance, role }) => ({
        content: conformance
          ? inCard(
              { estimate: conformance.rate, interval: conformance, mark: role === "reference" ? "diamond" : "square" },
              axis,
            )
          : refusal("not measured"),
        kind: "plot",
      }),
    },
    {
      head: { content: "conformant [CI]", kind: "figure" },
      label: "conformant [CI]",
      cell: (arm) => ({ content: conformanceFigure(arm), kind: "figure" }),
    },
  ];
}

function costColumns({ pairs, incumbent }: BakeoffReport): Column[] {
  const ratio = `cost x ${incumbent} [CI]`;
  return [
    {
      head: { content: "$/1K [CI]", kind: "figure" },
      label: "$/1K [CI]",
      cell: (arm) => ({ content: costFigure(arm), kind: "figure" }),
    },
    {
      head: { content: ratio, kind: "figure" },
      label: ratio,
      cell: ({ arm, role }) => ({
        content:
          role === "incumbent" ? refusal("1 by definition") : ratioFigure(pairs.find((pair) => pair.arm === arm)),
        kind: "figure",
      }),
    },
  ];
}

/** A card shows no head, so that it brings the axis along. */
function inCard(row: ForestRow, axis: ForestAxis): Html {
  return html`<div class="card-axis">${forestHead(axis)}</div>${forestRow(row, axis)}`;
}

/** Everything that the bars and bounds follow from. */
function figures(report: BakeoffReport, day: string): Html {
  const head = [
    "arm",
    "against",
    "quality [CI] n",
    "pairs",
    "missing",
    "scored lower",
    "scored higher",
    "mean",
    "low",
    "high",
    "if missing lost",
    "level",
    "method",
    "by",
    "items",
    "look",
    "needed",
    "detects",
    "inside the limit",
  ];
  const rows = report.regrets.map(
    ({ arm, against, metric, n_paired: n, missing, losses, wins, estimate, evidence }): Part[] => {
      const own = report.arms.find((one) => one.arm === arm);
      return [
        armName(report, arm),
        armName(report, against),
        own ? qualityFigure(own) : "",
        `n ${n}`,
        missing,
        losses,
        wins,
        ...(estimate
          ? [
              signedPoints(estimate.mean),
              signedPoints(estimate.low),
              signedPoints(estimate.high),
              signedPoints(estimate.high_if_missing_lost),
              levelText(estimate.level),
              estimate.method,
            ]
          : [`refused: n ${n}`, "", "", "", "", ""]),
        metric,
        evidence ? `${evidence.items} of ${evidence.questions} questions, ${evidence.clusters} clusters` : "",
        evidence
          ? `${evidence.number} (${evidence.look}), family ${evidence.family} of ${evidence.family_arms}, since ${dayOf(evidence.since)}`
          : "",
        estimate?.needed ?? "",
        estimate ? points(estimate.detectable) : "",
        own ? (boundClears(report, own) ? "yes" : "no") : "",
      ];
    },
  );
  return report.regrets.length === 0 ? html`` : dataTable(`Regrets in points, n = pairs, ${day}`, head, rows);
}

function armName({ arms }: BakeoffReport, arm: string): string {
  const found = arms.find((one) => one.arm === arm);
  return found ? armLabel(found) : arm;
}
