import * as bakeoffs from "./bakeoffs.ts";
import * as calls from "./calls.ts";
import type { Endpoint } from "./endpoint.ts";
import * as envelopes from "./envelopes.ts";
import * as evalCases from "./eval-cases.ts";
import * as gateway from "./gateway.ts";
import * as inferences from "./inferences.ts";
import * as org from "./org.ts";
import * as proposals from "./proposals.ts";
import * as query from "./query.ts";
import * as reports from "./reports.ts";
import * as responses from "./responses.ts";
import * as runs from "./runs.ts";

const GROUPS = [
  gateway,
  calls,
  responses,
  runs,
  evalCases,
  inferences,
  reports,
  query,
  envelopes,
  bakeoffs,
  proposals,
  org,
];

/** Every endpoint there is. */
export const CONTRACT: readonly Endpoint[] = GROUPS.flatMap((group) =>
  Object.values<unknown>(group).filter(isEndpoint),
);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === "object" && value !== null && "operation" in value && "answers" in value;
}
