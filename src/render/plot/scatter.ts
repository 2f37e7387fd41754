/** Cost against quality with an interval on both axes. Up and left is better. Labels stand at their points; no legend. */
import { type Html, html } from "../page/html.ts";
import { drawMark, type Mark } from "./mark.ts";
import { paretoFront } from "./pareto.ts";
import { linearScale, logScale, pct, px, type Scale } from "./scale.ts";

export interface Measure {
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

export interface ScatterPoint {
  readonly label: string;
  /** Positive: its axis is logarithmic. */
  readonly cost: Measure;
  /** Higher is better: a regret comes negated. */
  readonly quality: Measure;
  readonly mark: Mark;
  /** Class of its colour: `series-1` to `series-4`, or `open`. */
  readonly tone: string;
  /** What serves today. */
  readonly ringed: boolean;
  /** Its bound clears the limit: the front may run through it. */
  readonly clears: boolean;
}

export interface ScatterTerms {
  readonly points: readonly ScatterPoint[];
  readonly costTitle: string;
  readonly qualityTitle: string;
  readonly formatCost: (value: number) => string;
  /** Of the value as it is drawn. */
  readonly formatQuality: (value: number) => string;
  /** Below it, quality is beyond the limit. */
  readonly floor?: number | undefined;
  /** Beyond it, cost is over the ceiling. */
  readonly ceiling?: number | undefined;
}

/**
 * Two drawings of one plot: text keeps its size, so a narrow one needs fewer ticks and shorter labels. `tickRoom` and
 * `flipAt`, beyond which a label stands left of its point, are percent of the width.
 */
export const SCATTER_FORMATS = {
  wide: { height: 340, tickRoom: 7, labelChars: 40, flipAt: 68 },
  narrow: { height: 300, tickRoom: 18, labelChars: 18, flipAt: 48 },
} as const;
type ScatterFormat = keyof typeof SCATTER_FORMATS;

const TOP = 24;
const BOTTOM = 40;
const LABEL_GAP = 15;

interface Frame {
  readonly x: Scale;
  readonly y: Scale;
  /** Pixels from the top. */
  readonly down: (quality: number) => number;
  readonly foot: number;
  readonly format: (typeof SCATTER_FORMATS)[ScatterFormat];
}

/** `description` is what the plot says in one sentence; the figures stand in the table below it. */
export function scatter(terms: ScatterTerms, format: ScatterFormat, description: string): Html {
  const frame = frameOf(terms, SCATTER_FORMATS[format]);
  const { height } = frame.format;
  return html`<svg class="scatter ${format}" width="100%" height="${height}" role="img" aria-label="${description}">${[
    ...tints(terms, frame),
    ...axes(terms, frame),
    ...front(terms, frame),
    ...terms.points.map((point) => whiskers(point, frame)),
    ...terms.points.map((point) => spot(point, frame)),
    ...labels(terms, frame),
  ]}</svg>`;
}

function frameOf({ points, floor, ceiling }: ScatterTerms, format: Frame["format"]): Frame {
  const ends = ({ value, low = value, high = value }: Measure): number[] => [value, low, high];
  const costs = [...points.flatMap(({ cost }) => ends(cost)), ...(ceiling === undefined ? [] : [ceiling])];
  const qualities = [...points.flatMap(({ quality }) => ends(quality)), ...(floor === undefined ? [] : [floor])];
  const positive = costs.filter((cost) => cost > 0);
  const x = logScale(Math.min(...positive) / 1.1, Math.max(...positive) * 1.1);
  const y = linearScale(Math.min(...qualities), Math.max(...qualities), 5);
  const foot = format.height - BOTTOM;
  return { x, y, format, foot, down: (quality) => foot - (y.at(quality) / 100) * (foot - TOP) };
}

function tints({ floor, ceiling }: ScatterTerms, { x, down, foot }: Frame): Html[] {
  const below =
    floor !== undefined &&
    html`<rect class="beyond" x="0" width="100%" y="${px(down(floor))}" height="${px(Math.max(0, foot - down(floor)))}"/><line class="limit" x1="0" x2="100%" y1="${px(down(floor))}" y2="${px(down(floor))}"/>`;
  const over =
    ceiling !== undefined &&
    html`<rect class="beyond" x="${pct(x.at(ceiling))}" width="${pct(100 - x.at(ceiling))}" y="${TOP}" height="${foot - TOP}"/><line class="limit" x1="${pct(x.at(ceiling))}" x2="${pct(x.at(ceiling))}" y1="${TOP}" y2="${foot}"/>`;
  return [below, over].flatMap((one) => (one ? [one] : []));
}

function axes(terms: ScatterTerms, { x, y, down, foot, format }: Frame): Html[] {
  let last = Number.NEGATIVE_INFINITY;
  const ticks = x.ticks.filter((tick) => {
    if (x.at(tick) - last < format.tickRoom) return false;
    last = x.at(tick);
    return true;
  });
  return [
    ...y.ticks.map(
      (tick) =>
        html`<line class="grid" x1="0" x2="100%" y1="${px(down(tick))}" y2="${px(down(tick))}"/><text class="tick" x="2" y="${px(down(tick) - 3)}">${terms.formatQuality(tick)}</text>`,
    ),
    html`<line class="zero" x1="0" x2="100%" y1="${foot}" y2="${foot}"/>`,
    ...ticks.map(
      (tick) =>
        html`<line class="zero" x1="${pct(x.at(tick))}" x2="${pct(x.at(tick))}" y1="${foot}" y2="${foot + 4}"/><text class="tick" x="${pct(x.at(tick))}" y="${foot + 16}" text-anchor="middle">${terms.formatCost(tick)}</text>`,
    ),
    html`<text class="title" x="0" y="12">↑ ${terms.qualityTitle}</text>`,
    html`<text class="title" x="100%" y="${foot + 34}" text-anchor="end">${terms.costTitle} →</text>`,
  ];
}

function front({ points }: ScatterTerms, { x, down }: Frame): Html[] {
  const clearing = points
    .filter(({ clears }) => clears)
    .map(({ cost, quality }) => ({ cost: cost.value, quality: quality.value }));
  const through = paretoFront(clearing);
  return through.slice(1).flatMap((to, index) => {
    const from = through[index];
    if (!from) return [];
    return [
      html`<line class="front" x1="${pct(x.at(from.cost))}" y1="${px(down(from.quality))}" x2="${pct(x.at(to.cost))}" y2="${px(down(to.quality))}"/>`,
    ];
  });
}

function whiskers({ cost, quality, tone }: ScatterPoint, { x, down }: Frame): Html {
  const [cx, cy] = [pct(x.at(cost.value)), px(down(quality.value))];
  const across =
    cost.low !== undefined &&
    cost.high !== undefined &&
    html`<line class="stroke" x1="${pct(x.at(Math.max(cost.low, x.low)))}" x2="${pct(x.at(cost.high))}" y1="${cy}" y2="${cy}"/>`;
  const along =
    quality.low !== undefined &&
    quality.high !== undefined &&
    html`<line class="stroke" x1="${cx}" x2="${cx}" y1="${px(down(quality.low))}" y2="${px(down(quality.high))}"/>`;
  return html`<g class="${tone}">${[across, along]}</g>`;
}

function spot({ cost, quality, mark, tone, ringed }: ScatterPoint, { x, down }: Frame): Html {
  const [at, y] = [x.at(cost.value), Number(px(down(quality.value)))];
  const ring = ringed && html`<circle class="ringed" cx="${pct(at)}" cy="${y}" r="9"/>`;
  return html`<g class="${tone}">${[ring, drawMark(mark, at, y)]}</g>`;
}

/** Beside their points, pushed down where two would overlap, with a line back to the point. */
function labels({ points }: ScatterTerms, { x, down, format, foot }: Frame): Html[] {
  let lowest = TOP - LABEL_GAP;
  return [...points]
    .sort((a, b) => b.quality.value - a.quality.value)
    .map(({ label, cost, quality }, index, all) => {
      const [at, y] = [x.at(cost.value), down(quality.value)];
      // Those still to come need their room above the axis.
      const most = foot - 4 - (all.length - 1 - index) * LABEL_GAP;
      lowest = Math.max(lowest + LABEL_GAP, Math.min(y - 6, most));
      const side = at > format.flipAt ? -1 : 1;
      const anchor = side === 1 ? "start" : "end";
      const text = label.length > format.labelChars ? `${label.slice(0, format.labelChars - 1)}…` : label;
      return html`<svg x="${pct(at)}" y="${px(y)}" overflow="visible"><line class="leader" x1="${side * 5}" y1="-2" x2="${side * 11}" y2="${px(lowest - y - 3)}"/><text class="label" x="${side * 13}" y="${px(lowest - y)}" text-anchor="${anchor}">${text}</text></svg>`;
    });
}
