/** Marks of estimates. Each means the same in every plot, whatever its colour. */

import type { Verdict } from "../../bakeoff/gate/gate-report.ts";
import { type Html, html } from "../page/html.ts";
import { pct } from "./scale.ts";

/** disc: inside the limit. triangle: beyond it. ring: open. diamond: the reference. square: an estimate that nothing decides. */
export type Mark = "disc" | "triangle" | "ring" | "diamond" | "square";

export function verdictMark(verdict: Verdict | undefined): Mark {
  switch (verdict) {
    case "better":
    case "equivalent":
      return "disc";
    case "worse":
      return "triangle";
    case "continue":
    case "inconclusive":
      return "ring";
    case undefined:
      return "square";
  }
}

/** Class of the colour that goes with a mark. */
export const MARK_TONE = {
  disc: "within",
  triangle: "worse",
  ring: "open",
  diamond: "open",
  square: "open",
} as const satisfies Record<Mark, string>;

const SHAPES = {
  disc: html`<circle r="5" class="fill"/>`,
  ring: html`<circle r="4.5" class="hollow"/>`,
  triangle: html`<path d="M0-6 6 5H-6Z" class="fill"/>`,
  diamond: html`<path d="M0-6 6 0 0 6-6 0Z" class="fill"/>`,
  square: html`<path d="M-4-4H4V4H-4Z" class="hollow"/>`,
} as const satisfies Record<Mark, Html>;

/** `x` in percent of the plot's width, `y` in pixels. A nested svg carries a shape to where only percent can point. */
export function drawMark(mark: Mark, x: number, y: number): Html {
  return html`<svg x="${pct(x)}" y="${y}" overflow="visible">${SHAPES[mark]}</svg>`;
}
