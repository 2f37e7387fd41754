/** A bake-off as one HTML file: no network, no other file, readable without scripts. */

import { GOOD } from "../../bakeoff/judge/human-grades.ts";
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { fieldsSection } from "./fields-section.ts";
import { conclusionSection, gateSection } from "./gate-section.ts";
import { healthSection } from "./health.ts";
import { Html, html, jsonMarkup } from "./html.ts";
import { judgeSection } from "./judge-section.ts";
import { type LocalSamples, latencyByArm, sidePairs } from "./local-samples.ts";
import { matrixFigure } from "./matrix-figure.ts";
import { metricWords } from "./model.ts";
import type { PageFacts } from "./page-facts.ts";
import { type SampleSection, sampleSection } from "./sample-section.ts";
import { scatterFigure } from "./scatter-figure.ts";
import { countsFigure, latencyFigure, rungFigure } from "./serving-figures.ts";
import { statusStrip } from "./status.ts";
import { PAGE_STYLE } from "./style.ts";
import { trajectoryFigure } from "./trajectory-figure.ts";

export interface PageOptions {
  /** What scripts/build.ts makes of `src/render/browser`; the page admits no other script. */
  readonly script: string;
  /** The calls themselves: only for a file that stays on the machine they were made from. Absent = figures only. */
  readonly local?: LocalSamples | undefined;
  /** Pairs that are shown side by side. */
  readonly mostPairs?: number | undefined;
  /** Grades that were given before. */
  readonly given?: PageFacts["given"];
  /** Takes grades as they are given. Absent = they are saved as a file. */
  readonly server?: PageFacts["server"];
}

const DEFAULT_PAIRS = 100;

export async function bakeoffPage(report: BakeoffReport, options: PageOptions): Promise<string> {
  const { script, local, server, given, mostPairs = DEFAULT_PAIRS } = options;
  const samples = local && sampleSection(report, sidePairs(report, local), mostPairs);
  const policy = `default-src 'none'; style-src ${await hashOf(PAGE_STYLE)}; script-src ${await hashOf(script)}; base-uri 'none'; form-action 'none'${server ? "; connect-src 'self'" : ""}`;
  const body = html`<body data-show="${report.schema_declared ? "fields" : "words"}"><header class="page"><h1>${report.route}<small>Bake-off ${report.id}, ${report.arms.length} arms, ${report.inputs.used} inputs</small></h1><button type="button" id="theme" hidden>theme: auto</button></header><main>${[
    statusStrip(report, local?.priceBooks),
    healthSection(report),
    conclusionSection(report),
    matrixFigure(report),
    scatterFigure(report),
    trajectoryFigure(report),
    fieldsSection(report),
    countsFigure(report),
    latencyFigure(report, local && latencyByArm(local)),
    rungFigure(report),
    judgeSection(report),
    gateSection(report),
    samples ? samples.markup : noSamples(report),
  ]}</main>${footer(report)}<script type="application/json" id="facts">${jsonMarkup(factsOf(report, samples, { server, given }))}</script><script>${new Html(script)}</script></body>`;
  const head = html`<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="robots" content="noindex"><title>${report.route}: bake-off ${report.id}</title><style>${new Html(PAGE_STYLE)}</style></head>`;
  return `<!doctype html>\n<html lang="en">${head.text}${body.text}</html>\n`;
}

function noSamples({ id }: BakeoffReport): Html {
  return html`<section aria-labelledby="samples"><h2 id="samples">Samples</h2><p>This page holds figures only, no text of any call. On the machine that made the calls, <code>modelrig bakeoff report ${id} --html report.html</code> writes one with inputs and outputs side by side.</p></section>`;
}

function footer({ schema, route_hash: hash, started_at: from, finished_at: to }: BakeoffReport): Html {
  return html`<footer><p>Schema ${schema}; route ${hash}; measured ${from} to ${to}. Formulas and their sources: docs/statistics.md. An arm that clears its gate files one proposal; a person decides.</p></footer>`;
}

function factsOf(
  report: BakeoffReport,
  samples: SampleSection | undefined,
  more: Pick<PageFacts, "server" | "given">,
): PageFacts {
  return {
    bakeoff: report.id,
    route: report.route,
    good: GOOD,
    pass: report.objective.quality_gate?.min_score ?? GOOD,
    metric:
      report.metric === "judge" ? `the judge ${modelOf(report.judge?.model ?? "")}`.trim() : metricWords(report.metric),
    sides: samples?.sides ?? [],
    ...(samples && more),
  };
}

/** For a policy that admits exactly this text. */
async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
}
