/** Shows a figure together with what it was measured on. */

import type { ArmReport, PairReport } from "../../bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../bakeoff/analysis/regret-report.ts";
import { percent, signedPoints } from "../../stats/rate-text.ts";
import { type Html, html } from "./html.ts";
import { usd } from "./model.ts";

interface Figure {
  readonly value: string;
  /** As text, with its unit's precision; absent = the words say why there is none. */
  readonly interval?: readonly [string, string] | undefined;
  /** `n 260 pairs`, `255 of 260`. */
  readonly n: string;
  readonly title?: string | undefined;
}

function measured({ value, interval, n, title }: Figure): Html {
  const range = interval
    ? html` <span class="ci">[${interval[0]}, ${interval[1]}]</span>`
    : html` <span class="ci">no interval</span>`;
  return html`<span class="measured"${title !== undefined && html` title="${title}"`}><b>${value}</b>${range} <span class="n">${n}</span></span>`;
}

/** In the place of a figure that there is none of. */
export function refusal(words: string): Html {
  return html`<span class="refusal">${words}</span>`;
}

export function conformanceFigure({ conformance, conformant, sent }: ArmReport): Html {
  if (!conformance) return refusal("not measured");
  const { rate, low, high } = conformance;
  return measured({
    value: `${percent(rate)}%`,
    interval: [percent(low), percent(high)],
    n: `${conformant} of ${sent}`,
  });
}

export function qualityFigure({ quality }: ArmReport): Html {
  if (!quality) return refusal("not measured");
  const { mean, low, high, n } = quality;
  return measured({ value: `${percent(mean)}%`, interval: [percent(low), percent(high)], n: `n ${n}` });
}

export function regretFigure(regret: RegretReport | undefined): Html {
  if (!regret) return refusal("not compared");
  const { estimate, n_paired: n } = regret;
  if (!estimate) return refusal(`${n} pairs, not shown below 10`);
  const { mean, low, high } = estimate;
  return measured({
    value: `${signedPoints(mean)}`,
    interval: [signedPoints(low), signedPoints(high)],
    n: `${n} pairs`,
  });
}

export function costFigure({ effective, effective_note: note, conformant, sent }: ArmReport): Html {
  if (!effective) return refusal(note ?? "not measured");
  const { usd_per_1k: value, low, high } = effective;
  return measured({
    value: usd(value),
    interval: low === undefined || high === undefined ? undefined : [usd(low), usd(high)],
    n: `${sent} calls, ${conformant} conformant`,
    title: `${value} dollars per 1,000 conformant outputs${note === undefined ? "" : `; ${note}`}`,
  });
}

export function ratioFigure(pair: PairReport | undefined): Html {
  if (!pair) return html``;
  const { cost_ratio: ratio, n_paired: n } = pair;
  if (!ratio) return refusal(`${n} pairs: too few, or a cost unknown`);
  const { low, high } = ratio;
  return measured({
    value: `x${ratio.ratio.toFixed(2)}`,
    interval: low === undefined || high === undefined ? undefined : [low.toFixed(2), high.toFixed(2)],
    n: `${n} pairs`,
  });
}
