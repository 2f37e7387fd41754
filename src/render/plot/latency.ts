/** Latency of an arm as a strip: a tick at the median, a line to the 95th percentile, and the quartiles where known. */
import { type Html, html } from "../page/html.ts";
import { linearScale, pct, type Scale } from "./scale.ts";

/** Milliseconds. */
export interface LatencyFigures {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  /** Only where the samples themselves are at hand. */
  readonly quartiles?: { readonly p5: number; readonly p25: number; readonly p75: number } | undefined;
}

const HEIGHT = 22;
const MIDDLE = HEIGHT / 2;

/** From zero, so that lengths compare. */
export function latencyScale(arms: readonly LatencyFigures[]): Scale {
  return linearScale(0, Math.max(1, ...arms.map(({ p95 }) => p95)), 5);
}

export function latencyStrip({ p50, p95, quartiles }: LatencyFigures, scale: Scale): Html {
  const x = (value: number): string => pct(scale.at(value));
  const from = quartiles?.p5 ?? p50;
  return html`<svg class="row-plot latency" width="100%" height="${HEIGHT}" aria-hidden="true">${[
    ...scale.ticks.map((tick) => html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="0" y2="${HEIGHT}"/>`),
    html`<line class="stroke" x1="${x(from)}" x2="${x(p95)}" y1="${MIDDLE}" y2="${MIDDLE}"/>`,
    quartiles &&
      html`<rect class="box" x="${x(quartiles.p25)}" width="${pct(scale.at(quartiles.p75) - scale.at(quartiles.p25))}" y="${MIDDLE - 4}" height="8"/>`,
    html`<line class="stroke" x1="${x(p95)}" x2="${x(p95)}" y1="${MIDDLE - 3}" y2="${MIDDLE + 3}"/>`,
    html`<line class="median" x1="${x(p50)}" x2="${x(p50)}" y1="${MIDDLE - 7}" y2="${MIDDLE + 7}"/>`,
  ]}</svg>`;
}

export function latencyHead(scale: Scale, format: (value: number) => string): Html {
  return html`<svg class="row-plot axis" width="100%" height="20" aria-hidden="true">${scale.ticks.map(
    (tick) => html`<text x="${pct(scale.at(tick))}" y="14" text-anchor="middle">${format(tick)}</text>`,
  )}</svg>`;
}
