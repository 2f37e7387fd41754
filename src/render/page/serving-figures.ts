/** How the arms served: three denominators, failures, latency, rungs. */

import type { ArmReport } from "../../bakeoff/analysis/arm-report.ts";
import { armLabel } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { RUNGS, type ServedRung } from "../../route/route.ts";
import { percent } from "../../stats/rate-text.ts";
import { type LatencyFigures, latencyHead, latencyScale, latencyStrip } from "../plot/latency.ts";
import { rungBar } from "../plot/rung-bar.ts";
import { type Html, html, type Part } from "./html.ts";
import { conformanceFigure, refusal } from "./measured.ts";
import { dayOf, usdOf } from "./model.ts";
import { dataTable, type PageCell, table } from "./table.ts";

const figure = (content: Part): PageCell => ({ content, kind: "figure" });
const plot = (content: Part): PageCell => ({ content, kind: "plot" });

/** Sent, graded, conformant: what became of every input, with nothing left out. */
export function countsFigure(report: BakeoffReport): Html {
  const day = dayOf(report.finished_at);
  const head = [
    "arm",
    "sent",
    "graded",
    "conformant",
    "value checks",
    "repaired",
    "without a conformant output",
    "spend",
  ];
  return html`<section aria-labelledby="counts"><h2 id="counts">Three denominators</h2><figure>${table({
    caption: `Counts of each arm, ${report.inputs.used} inputs, ${day}`,
    head: head.map((content, index) => ({ content, kind: index === 0 ? undefined : "figure" })),
    rows: report.arms.map((arm) => [{ content: armLabel(arm) }, ...countCells(report, arm).map(figure)]),
    cards: true,
  })}<figcaption>Sent: went upstream, of ${report.inputs.used} inputs. Graded: brought an output that could be held against the schema. Conformant, with Wilson 95%, is a share of all sent: a call that failed is not conformant. ${day}.</figcaption></figure></section>`;
}

function countCells({ inputs }: BakeoffReport, arm: ArmReport): Part[] {
  const { sent, graded, value_checks: checks, repair, failures, spend_usd: spend } = arm;
  const failed = Object.entries(failures).sort(([, a], [, b]) => b - a);
  return [
    `${sent} of ${inputs.used}`,
    `${graded} of ${sent}`,
    conformanceFigure(arm),
    checks ? `${checks.passed} passed, ${checks.failed} failed` : "none declared",
    repair.count === 0 ? "0" : `${repair.count} of ${sent} for ${usdOf(repair.cost_usd)}`,
    failed.length === 0
      ? "none"
      : html`<ul class="flat">${failed.map(([name, n]) => html`<li>${name} ${n}</li>`)}</ul>`,
    html`<span title="${spend} dollars">${usdOf(spend)}</span>`,
  ];
}

/** `measuredHere`: with quartiles, by arm, where the samples themselves are at hand. */
export function latencyFigure(
  report: BakeoffReport,
  measuredHere: ReadonlyMap<string, LatencyFigures> | undefined,
): Html {
  const day = dayOf(report.finished_at);
  const figuresOf = ({ arm, latency_ms: latency }: ArmReport): LatencyFigures | undefined =>
    measuredHere?.get(arm) ?? latency;
  const known = report.arms.flatMap((arm) => figuresOf(arm) ?? []);
  const scale = latencyScale(known);
  const seconds = Math.max(0, ...known.map(({ p95 }) => p95)) >= 10_000;
  const format = (ms: number): string => (seconds ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms)} ms`);
  const quartiles = known.some((one) => one.quartiles);
  const rows = report.arms.map((arm): PageCell[] => {
    const one = figuresOf(arm);
    if (!one) return [{ content: armLabel(arm) }, plot(refusal("no answer")), figure(""), figure(""), figure("0")];
    return [
      { content: armLabel(arm) },
      plot(html`<div class="card-axis">${latencyHead(scale, format)}</div>${latencyStrip(one, scale)}`),
      figure(format(one.p50)),
      figure(format(one.p95)),
      figure(`n ${one.n}`),
    ];
  });
  const what = quartiles ? "line p5 to p95, box the middle half, tick the median" : "tick p50, line to p95";
  return html`<section aria-labelledby="latency"><h2 id="latency">Latency</h2><figure>${table({
    caption: `Latency of answered calls, ${day}`,
    head: [
      { content: "arm" },
      plot(html`latency ${latencyHead(scale, format)}`),
      figure("p50"),
      figure("p95"),
      figure("n"),
    ],
    rows,
    labels: ["arm", "latency", "p50", "p95", "n"],
    cards: true,
  })}<figcaption>Wall time of the calls that brought an answer, from this machine, failed attempts and repairs included: ${what}; n answered calls; ${day}.</figcaption>${quartiles ? latencyTable(report, figuresOf, format, day) : ""}</figure></section>`;
}

function latencyTable(
  report: BakeoffReport,
  figuresOf: (arm: ArmReport) => LatencyFigures | undefined,
  format: (ms: number) => string,
  day: string,
): Html {
  const rows = report.arms.map((arm): Part[] => {
    const one = figuresOf(arm);
    const { p5, p25, p75 } = one?.quartiles ?? {};
    return [
      armLabel(arm),
      ...[p5, p25, one?.p50, p75, one?.p95].map((ms) => (ms === undefined ? "" : format(ms))),
      one ? `n ${one.n}` : "n 0",
    ];
  });
  return dataTable(
    `Latency percentiles of answered calls, ${day}`,
    ["arm", "p5", "p25", "p50", "p75", "p95", "n"],
    rows,
  );
}

const LADDER: readonly ServedRung[] = [...RUNGS, "none"];

export function rungFigure(report: BakeoffReport): Html {
  const day = dayOf(report.finished_at);
  const sharesOf = ({ rungs }: ArmReport) =>
    LADDER.flatMap((rung, shade) => (rungs[rung] ? [{ rung, shade, count: rungs[rung] }] : []));
  const used = LADDER.filter((rung) => report.arms.some(({ rungs }) => rungs[rung]));
  if (used.length === 0) return html``;
  return html`<section aria-labelledby="rungs"><h2 id="rungs">Rungs that served</h2><figure>${table({
    caption: `Rungs by arm, ${day}`,
    head: [{ content: "arm" }, plot("share of calls"), ...used.map((rung) => figure(rung))],
    rows: report.arms.map((arm) => {
      const shares = sharesOf(arm);
      const total = shares.reduce((sum, { count }) => sum + count, 0);
      return [
        { content: armLabel(arm) },
        plot(shares.length === 0 ? refusal("none") : rungBar(shares)),
        ...used.map((rung) => figure(arm.rungs[rung] === undefined ? "0" : shareText(arm.rungs[rung], total))),
      ];
    }),
    cards: true,
  })}<figcaption>Share of the calls of each arm by the rung of the JSON ladder that served them, from left in the ladder's order; counts of calls sent; ${day}.</figcaption></figure></section>`;
}

function shareText(count: number, total: number): string {
  return `${count} of ${total} (${percent(count / total)}%)`;
}
