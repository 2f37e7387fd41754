/** One call in words: what was asked for, who served it, how it ended and what it cost. */
import type { AnswerOf } from "../../api/endpoint.ts";
import type { getInference, InferenceJson } from "../../api/inferences.ts";
import { withoutControls } from "../../intake/fields.ts";
import { shownUsd } from "./shown-usd.ts";

export type CallDetail = AnswerOf<typeof getInference>;

/** Returns lines of a name and its value; what is unknown or not there is left out or said as unknown. */
export function callSummary({ inference, grades }: CallDetail): string {
  const route = inference.route === null ? inference.lane : `${inference.route}@${inference.variant ?? "default"}`;
  const facts: [string, string | undefined][] = [
    ["call", `${inference.id}  ${inference.ts}`],
    [
      "route",
      inference.route === null ? route : `${route}  (${inference.lane}${inference.simulated ? ", simulated" : ""})`,
    ],
    ["outcome", outcome(inference)],
    ["time", timeText(inference)],
    ["cost", costText(inference)],
    ["tokens", tokensText(inference.tokens)],
    ["run", inference.run === null ? undefined : [inference.run, inference.step].filter(Boolean).join("  step ")],
    ["key", inference.key ?? undefined],
    [
      "tags",
      Object.entries(inference.tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ") || undefined,
    ],
    ["hash", inference.route_hash ?? undefined],
    ...grades.map((one): [string, string] => [
      "grade",
      `${one.score} by ${one.grader} (${one.kind}), ${one.created_at}`,
    ]),
  ];
  return facts
    .filter((fact): fact is [string, string] => fact[1] !== undefined)
    .map(([name, value]) => `${name.padEnd(8)} ${withoutControls(value, " ")}`)
    .join("\n");
}

function outcome(call: InferenceJson): string {
  const served = call.provider === null ? "nobody served it" : `served by ${call.provider}/${call.model}`;
  const how = call.rung === null ? "" : ` (${call.rung})`;
  const conformant =
    call.conformant === null ? "" : call.conformant ? ", answer passes its schema" : ", answer breaks its schema";
  if (call.failure_class === null) return `${served}${how}, finish ${call.finish ?? "unknown"}${conformant}`;
  const why = [...new Set([call.reason, call.code])].filter((text) => text !== null).join(", ");
  const status = call.status === null ? "" : ` (${call.status})`;
  return `${call.failure_class}${status}${why === "" ? "" : `: ${why}`}; ${served}${how}${conformant}`;
}

function timeText({ latency_ms: latency, first_byte_ms: first, stream }: InferenceJson): string {
  return `${latency} ms${first === null ? "" : `, first byte after ${first} ms`}${stream ? ", streamed" : ""}`;
}

function costText({
  cost_usd: cost,
  reserved_usd: reserved,
  cost_estimated: estimated,
  price_version: price,
}: InferenceJson): string {
  const held = reserved === null ? "" : `, $${reserved} held by envelopes in its place`;
  if (cost === null) return `unknown${held}`;
  return `${shownUsd(cost, estimated)}${estimated ? " (our estimate)" : ""}${price === null ? "" : `, price ${price}`}`;
}

function tokensText(tokens: InferenceJson["tokens"]): string | undefined {
  const counted = Object.entries(tokens).filter(([, count]) => count !== null && count !== 0);
  if (counted.length === 0) return undefined;
  return counted
    .map(([name, count]) => `${Number(count).toLocaleString("en")} ${name.replaceAll("_", " ")}`)
    .join(", ");
}
