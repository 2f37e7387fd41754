/** Where a challenger's answers differ from the incumbent's, most first. */
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { percent } from "../../stats/rate-text.ts";
import { type Html, html } from "./html.ts";
import { table } from "./table.ts";

export function fieldsSection({ fields, incumbent, gate }: BakeoffReport): Html {
  if (!fields || fields.length === 0) return html``;
  const tables = gate.verdicts.flatMap(({ arm }) => {
    const own = fields.filter((field) => field.arm === arm);
    if (own.length === 0) return [];
    return table({
      caption: `${arm} and ${incumbent}, on the inputs that both answered`,
      head: [
        { content: "field" },
        { content: "say the same", kind: "figure" },
        { content: "share [95%]", kind: "figure" },
      ],
      rows: own.map(({ path, agree, n, rate, low, high }) => [
        { content: path === "" ? "the whole answer" : html`<code>${path}</code>` },
        { content: `${agree} of ${n}`, kind: "figure" },
        { content: `${percent(rate)}% [${percent(low)}, ${percent(high)}]`, kind: "figure" },
      ]),
      cards: true,
    });
  });
  return html`<section aria-labelledby="fields"><h2 id="fields">Agreement with what serves</h2><figure>${tables}<figcaption>Equal JSON values at each place of the schema; what differs most comes first. It says how far answers differ, not which are right.</figcaption></figure></section>`;
}
