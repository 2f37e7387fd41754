/** What limits the result, before the result. */
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { limitNotes } from "../terminal/matrix-notes.ts";
import { type Html, html } from "./html.ts";

/** Classes of failures that say nothing about a model's answers. */
const INFRASTRUCTURE = ["network", "capacity_shed", "server_error", "quota_exhausted", "auth", "breaker_open"];

export function healthSection(report: BakeoffReport): Html {
  const notes = [
    ...(report.simulated ? ["Served by the simulated provider: this says nothing about real models."] : []),
    ...limitNotes(report),
    ...report.arms.flatMap((arm) => infrastructureNote(arm)),
    ...report.arms.flatMap((arm) => costNote(arm)),
  ];
  const list =
    notes.length === 0
      ? html`<p>Nothing found that limits this result.</p>`
      : html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
  return html`<section aria-labelledby="health"><h2 id="health">What limits this result</h2>${list}</section>`;
}

function infrastructureNote({ arm, failures, sent }: BakeoffReport["arms"][number]): string[] {
  const counted = Object.entries(failures).filter(([key]) => INFRASTRUCTURE.includes(key.split("/")[0] ?? ""));
  if (counted.length === 0) return [];
  const kinds = counted.map(([key, n]) => `${key} ${n}`).join(", ");
  return [
    `${modelOf(arm)}: of ${sent} sent, calls that failed on the way: ${kinds}; each counts as not conformant, none is left out`,
  ];
}

function costNote({
  arm,
  cost_unknown: unknown,
  cost_estimated: estimated,
  sent,
}: BakeoffReport["arms"][number]): string[] {
  return [
    ...(unknown > 0
      ? [
          `${modelOf(arm)}: the cost of ${unknown} of ${sent} calls is unknown; no cost per 1K is formed, and it cannot be proposed`,
        ]
      : []),
    ...(estimated > 0 ? [`${modelOf(arm)}: the cost of ${estimated} of ${sent} calls is our own estimate`] : []),
  ];
}
