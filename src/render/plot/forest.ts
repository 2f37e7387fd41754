/**
 * A forest plot as a column of a table: one svg per row on a shared domain, without a viewBox, so that it stretches with
 * its cell while text and marks keep their size. The numbers stand in the row beside it.
 */
import { type Html, html } from "../page/html.ts";
import { drawMark, MARK_TONE, type Mark } from "./mark.ts";
import { linearScale, pct, type Scale } from "./scale.ts";

export interface ForestRow {
  readonly estimate: number;
  /** Absent = no interval, which is none of width zero. */
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
  readonly mark: Mark;
}

export interface ForestAxis {
  readonly scale: Scale;
  /** A solid line: no difference. */
  readonly zero?: number | undefined;
  /** A dashed line. */
  readonly limit?: number | undefined;
  readonly format: (value: number) => string;
}

const HEIGHT = 26;
const MIDDLE = HEIGHT / 2;

/**
 * A domain that holds every interval and the lines, but is not stretched beyond four limits, or what the estimates need,
 * by one arm with few pairs: its bar is clipped and says so.
 */
export function forestScale(rows: readonly ForestRow[], zero: number, limit: number | undefined): Scale {
  const ends = rows.flatMap(({ estimate, interval }) => [
    estimate,
    interval?.low ?? estimate,
    interval?.high ?? estimate,
  ]);
  const reach = Math.max(0.05, 4 * (limit ?? 0), ...rows.map(({ estimate }) => 1.25 * Math.abs(estimate - zero)));
  const low = Math.max(Math.min(zero, ...ends), zero - reach);
  const high = Math.min(Math.max(zero, limit ?? zero, ...ends), zero + reach);
  return linearScale(low, high, 4);
}

/** Hidden from assistive technology: the row says the same in figures. */
export function forestRow(row: ForestRow, axis: ForestAxis): Html {
  const { scale } = axis;
  const { interval, mark, estimate } = row;
  const inside = estimate >= scale.low && estimate <= scale.high;
  return html`<svg class="row-plot ${MARK_TONE[mark]}" width="100%" height="${HEIGHT}" aria-hidden="true">${[
    ...lines(axis, 0, HEIGHT),
    interval && bar(interval, scale),
    inside && drawMark(mark, scale.at(estimate), MIDDLE),
  ]}</svg>`;
}

function bar({ low, high }: { readonly low: number; readonly high: number }, scale: Scale): Html {
  const [from, to] = [Math.max(low, scale.low), Math.min(high, scale.high)];
  const cap = (value: number): Html =>
    html`<line class="stroke" x1="${pct(scale.at(value))}" x2="${pct(scale.at(value))}" y1="${MIDDLE - 4}" y2="${MIDDLE + 4}"/>`;
  const arrow = (value: number, path: string): Html =>
    html`<svg x="${pct(scale.at(value))}" y="${MIDDLE}" overflow="visible"><path class="stroke arrow" d="${path}"/></svg>`;
  return html`<line class="stroke" x1="${pct(scale.at(from))}" x2="${pct(scale.at(to))}" y1="${MIDDLE}" y2="${MIDDLE}"/>${
    low < scale.low ? arrow(scale.low, "M5-5 0 0 5 5") : cap(from)
  }${high > scale.high ? arrow(scale.high, "M-5-5 0 0-5 5") : cap(to)}`;
}

/** The head of the column: ticks, and the limit by name. */
export function forestHead(axis: ForestAxis): Html {
  const { scale, limit, format } = axis;
  const near = (value: number): boolean => limit !== undefined && Math.abs(scale.at(value) - scale.at(limit)) < 9;
  return html`<svg class="row-plot axis" width="100%" height="30" aria-hidden="true">${[
    ...lines(axis, 24, 30),
    ...scale.ticks
      .filter((tick) => !near(tick) || tick === axis.zero)
      .map((tick) => html`<text x="${pct(scale.at(tick))}" y="21" text-anchor="middle">${format(tick)}</text>`),
    limit !== undefined &&
      html`<text class="limit-name" x="${pct(scale.at(limit))}" y="${near(axis.zero ?? Number.NaN) ? 9 : 21}" text-anchor="middle">${format(limit)}</text>`,
  ]}</svg>`;
}

function lines({ scale, zero, limit }: ForestAxis, y1: number, y2: number): Html[] {
  const line = (name: string, value: number | undefined): Html[] => {
    if (value === undefined || value < scale.low || value > scale.high) return [];
    return [
      html`<line class="${name}" x1="${pct(scale.at(value))}" x2="${pct(scale.at(value))}" y1="${y1}" y2="${y2}"/>`,
    ];
  };
  return [
    ...scale.ticks.filter((tick) => tick !== zero).flatMap((tick) => line("grid", tick)),
    ...line("zero", zero),
    ...line("limit", limit),
  ];
}
