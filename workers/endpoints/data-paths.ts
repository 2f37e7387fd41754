/** The endpoints of telemetry, of an org's data and of envelopes as the OpenAPI document lists them. */
import type { ControlPath } from "./control-paths.ts";
import { inferenceDetail, inferenceList, inferenceQuery } from "./inferences.ts";

export const DATA_PATHS: readonly ControlPath[] = [
  {
    method: "get",
    path: "/v1/inferences",
    summary: "Calls, newest first; also filtered by `tag.<name>=<value>`",
    query: inferenceQuery,
    status: 200,
    answer: inferenceList,
  },
  {
    method: "get",
    path: "/v1/inferences/{id}",
    summary: "A call with its attempts and grades",
    status: 200,
    answer: inferenceDetail,
  },
];
