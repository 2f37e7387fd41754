/** The attempts of a call on one line of time: what was tried when, for how long, and how it ended. */
import type { AttemptJson } from "../../api/inferences.ts";
import { layoutTable } from "../output/table.ts";
import type { CallDetail } from "./call-summary.ts";
import { shownUsd } from "./shown-usd.ts";

const BAR = 24;
const COLUMNS = [
  { header: "#", align: "right" as const },
  { header: "attempt", shrink: true },
  { header: "how" },
  { header: "".padEnd(BAR) },
  { header: "ms", align: "right" as const },
  { header: "ended", shrink: true },
  { header: "cost", align: "right" as const },
];

/** Returns lines of at most `width` terminal cells. The bar is the time from the call's start to its end. */
export function attemptWaterfall({ inference, attempts }: CallDetail, width: number): string {
  const start = Date.parse(inference.ts);
  const ends = attempts.map((attempt) => Date.parse(attempt.ts) + attempt.latency_ms);
  const span = Math.max(1, start + inference.latency_ms, ...ends) - start;
  const rows = attempts.map((attempt, at) => [
    String(at + 1),
    `${attempt.provider}/${attempt.model}`,
    attempt.rung,
    bar(Date.parse(attempt.ts) - start, attempt.latency_ms, span),
    String(attempt.latency_ms),
    ended(attempt),
    shownUsd(attempt.cost_usd, attempt.cost_estimated),
  ]);
  const table = attempts.length === 0 ? ["no request was sent"] : layoutTable(COLUMNS, rows, width);
  const skipped = inference.skipped.map(({ candidate, why }) => `skipped  ${candidate}: ${why}`);
  const dropped = attempts.flatMap(({ dropped: fields }, at) =>
    fields.length === 0 ? [] : [`dropped  from attempt ${at + 1}: ${fields.join(", ")}`],
  );
  return [...table, ...skipped, ...dropped].join("\n");
}

function bar(from: number, length: number, span: number): string {
  const left = Math.min(BAR - 1, Math.max(0, Math.floor((from / span) * BAR)));
  const cells = Math.min(BAR - left, Math.max(1, Math.round((length / span) * BAR)));
  return `${"·".repeat(left)}${"█".repeat(cells)}${"·".repeat(BAR - left - cells)}`;
}

function ended({ failure_class: failure, status, reason, finish }: AttemptJson): string {
  if (failure === null) return finish ?? "ok";
  const told = reason === null ? "" : `: ${reason}`;
  return `${failure}${status === null ? "" : ` ${status}`}${told}`;
}
