/** The strip on top of a page: whether the result is whole, and what anybody needs to make it again. */

import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { spendOf } from "../../bakeoff/report/spend.ts";
import { formatUsd } from "../../money/format.ts";
import { type Html, html, type Part } from "./html.ts";
import { metricWords, usdOf } from "./model.ts";

/** `priceBooks`: versions of the prices that the calls were billed by, where the calls themselves are at hand. */
export function statusStrip(report: BakeoffReport, priceBooks: readonly string[] | undefined): Html {
  const { inputs, judge, objective } = report;
  const items: [string, Part][] = [
    [
      "inputs",
      `${inputs.used} of ${inputs.asked} asked for${inputs.oldest && inputs.newest ? `, seen ${minute(inputs.oldest)} to ${minute(inputs.newest)}` : ""}`,
    ],
    [
      "measured",
      html`<time datetime="${report.started_at}">${minute(report.started_at)}</time> to <time datetime="${report.finished_at}">${minute(report.finished_at)}</time> UTC`,
    ],
    ["drawn", report.sampling.text],
    ["quality by", metricWords(report.metric)],
    ["objective", objectiveWords(objective)],
    [
      "reference",
      report.reference?.arm === undefined
        ? (report.reference?.note ?? "none")
        : `${report.reference.arm.replace(/^reference:/, "")} (${report.reference.by ?? "declared"})`,
    ],
    ["judge", judge?.model ?? "none"],
    [
      "spent",
      `${formatUsd(spendOf(report))}${judge ? `, of it ${usdOf(judge.spend_usd)} on judging` : ""}${report.unknown_usd === undefined ? "" : `, of it ${usdOf(report.unknown_usd)} booked for unknown bills`}; limit ${usdOf(report.budget_usd_per_arm)} per arm`,
    ],
    [
      "prices",
      report.prices
        ? `${report.prices.version} as of ${report.prices.at.slice(0, 10)}`
        : priceBooks === undefined || priceBooks.length === 0
          ? "version not in this file"
          : `price book ${priceBooks.join(", ")}`,
    ],
    ["seed", `${report.seed}; ${report.concurrency} calls in flight`],
    ["route", html`<code title="${report.route_hash}">${report.route_hash.slice(0, 12)}</code>`],
  ];
  return html`<section class="status" aria-label="Status"><p class="state">${stateOf(report)}${report.simulated && html` <span class="tag warn">SIMULATED: figures about a simulation</span>`}</p><dl>${items.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl></section>`;
}

function stateOf({ partial, arms, inputs }: BakeoffReport): Html {
  if (!partial) return html`<span class="tag within">complete</span>`;
  const stopped = arms
    .filter(({ complete }) => !complete)
    .map(({ arm, sent, stopped: why }) => `${arm.replace(/^reference:/, "")} after ${sent} of ${inputs.used} (${why})`);
  return html`<span class="tag worse">PARTIAL: cannot propose</span> stopped: ${stopped.join(", ")}`;
}

function objectiveWords({
  mode,
  max_regret: regret,
  usd_per_1k: per1k,
  usd_per_run: perRun,
  lambda,
  quality_gate: gate,
}: BakeoffReport["objective"]): string {
  return [
    mode,
    ...(regret === undefined ? [] : [`regret at most ${Number((regret * 100).toFixed(4))} pts`]),
    ...(per1k === undefined ? [] : [`at most $${per1k} per 1K`]),
    ...(perRun === undefined ? [] : [`at most $${perRun} per input`]),
    ...(mode === "balanced" && lambda !== undefined ? [`λ ${lambda}`] : []),
    ...(gate === undefined ? [] : [`passing from a score of ${gate.min_score}`]),
  ].join(", ");
}

function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}
