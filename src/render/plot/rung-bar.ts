/** Which rungs served an arm, as one bar of 100%. Segments differ in texture as well as in shade; counts stand beside it. */
import { type Html, html } from "../page/html.ts";
import { pct } from "./scale.ts";

interface RungShare {
  readonly rung: string;
  readonly count: number;
  /** 0 to 5, by the rung's place in the ladder: the same rung looks the same in every row. */
  readonly shade: number;
}

export function rungBar(shares: readonly RungShare[]): Html {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const segments = shares.map(({ count, shade }) => {
    const start = before;
    before += count;
    return html`<rect class="shade-${shade}" x="${pct((100 * start) / total)}" width="${pct((100 * count) / total)}" y="4" height="12"/>`;
  });
  return html`<svg class="row-plot rungs" width="100%" height="20" aria-hidden="true">${segments}</svg>`;
}
