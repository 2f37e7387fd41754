/** What each look at a comparison found, as a forest plot and as figures. */

import type { RegretReport } from "../../bakeoff/analysis/regret-report.ts";
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { levelText, signedPoints } from "../../stats/rate-text.ts";
import { type ForestAxis, type ForestRow, forestHead, forestRow, forestScale } from "../plot/forest.ts";
import { type Html, html } from "./html.ts";
import { dayOf } from "./model.ts";
import { table } from "./table.ts";

export function trajectoryFigure({ regrets, gate }: BakeoffReport): Html {
  const challengers = regrets.filter(({ arm }) => gate.verdicts.some((one) => one.arm === arm));
  const looked = challengers.filter(({ evidence }) => (evidence?.trajectory.length ?? 0) > 0);
  if (looked.length === 0) return html``;
  return html`<section aria-labelledby="looks"><h2 id="looks">Looks</h2><figure>${looked.map(comparisonTable)}<figcaption>Each row is one look at the evidence that counts, oldest first, with the bounds that it had then, in points; positive = worse. Fresh = questions that no earlier look had seen.</figcaption></figure></section>`;
}

function comparisonTable({ arm, against, metric, limit, evidence, estimate }: RegretReport): Html {
  const looks = evidence?.trajectory ?? [];
  const rowOf = (look: (typeof looks)[number]): ForestRow => ({ estimate: look.mean, interval: look, mark: "square" });
  const scale = forestScale(looks.map(rowOf), 0, limit);
  const axis: ForestAxis = { scale, zero: 0, limit, format: (value) => signedPoints(value).replace(/\.0$/, "") };
  const level = estimate ? `, ${levelText(estimate.level)} intervals` : "";
  return table({
    caption: `${arm} against ${modelOf(against)} by ${metric.replace(/_/g, " ")}${level}`,
    head: [
      { content: "look" },
      { content: "fresh questions", kind: "figure" },
      { content: html`regret, pts ${forestHead(axis)}`, kind: "plot" },
      { content: "regret, pts [bounds]", kind: "figure" },
    ],
    labels: ["look", "fresh questions", "regret, pts", "regret, pts [bounds]"],
    rows: looks.map((look) => [
      { content: dayOf(look.at) },
      { content: `${look.fresh} of ${look.questions}`, kind: "figure" },
      { content: html`<div class="card-axis">${forestHead(axis)}</div>${forestRow(rowOf(look), axis)}`, kind: "plot" },
      {
        content: `${signedPoints(look.mean)} [${signedPoints(look.low)}, ${signedPoints(look.high)}]`,
        kind: "figure",
      },
    ]),
    cards: true,
  });
}
