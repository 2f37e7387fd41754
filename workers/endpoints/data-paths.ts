/** The endpoints of telemetry, of an org's data and of envelopes as the OpenAPI document lists them. */
import type { ControlPath } from "./control-paths.ts";
import { closingAnswer, releaseRequest, reserveAnswer, reserveRequest, settleRequest } from "./envelopes.ts";
import { inferenceDetail, inferenceList, inferenceQuery } from "./inferences.ts";
import { ingestAnswer, ingestBody } from "./ingest.ts";
import { eraseAnswer, eraseQuery } from "./org-data.ts";
import { recordAnswer, recordRequest } from "./record.ts";

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
  {
    method: "post",
    path: "/v1/ingest",
    summary: "A batch of what an SDK buffered; every item is judged alone",
    body: ingestBody,
    status: 200,
    answer: ingestAnswer,
  },
  {
    method: "post",
    path: "/v1/record",
    summary: "A call made without the gateway, priced and kept",
    body: recordRequest,
    status: 200,
    answer: recordAnswer,
  },
  {
    method: "post",
    path: "/v1/envelopes/reserve",
    summary: "Hold the worst case of a call made elsewhere; 402 where a limit refuses it",
    body: reserveRequest,
    status: 200,
    answer: reserveAnswer,
  },
  {
    method: "post",
    path: "/v1/envelopes/settle",
    summary: "Book the bill in place of a reservation",
    body: settleRequest,
    status: 200,
    answer: closingAnswer,
  },
  {
    method: "post",
    path: "/v1/envelopes/release",
    summary: "Hand a reservation back: nothing was sent",
    body: releaseRequest,
    status: 200,
    answer: closingAnswer,
  },
  {
    method: "delete",
    path: "/v1/data",
    summary: "Delete the org's data, all of it or by age; keys, settings and the audit log stay",
    query: eraseQuery,
    status: 200,
    answer: eraseAnswer,
  },
];
