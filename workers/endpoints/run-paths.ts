/** The endpoints of runs, artifacts, grades, eval cases and settings as the OpenAPI document lists them. */
import { artifactDetail, artifactRequest, artifactStored, promoteRequest } from "./artifacts.ts";
import type { ControlPath } from "./control-paths.ts";
import { evalCase, evalCaseList, evalCaseQuery, evalCaseRequest } from "./eval-cases.ts";
import { gradeRecorded, gradeRequest } from "./grade.ts";
import { runDetail, runList } from "./run-view.ts";
import { runEndRequest, runQuery, runReported, runStartRequest } from "./runs.ts";
import { settings } from "./settings.ts";

const get = { method: "get", status: 200 } as const;
const post = { method: "post", status: 201 } as const;

export const RUN_PATHS: readonly ControlPath[] = [
  { ...post, path: "/v1/runs", summary: "Start a run", body: runStartRequest, answer: runReported },
  {
    method: "post",
    status: 200,
    path: "/v1/runs/{id}/end",
    summary: "End a run; the first end stands",
    body: runEndRequest,
    answer: runReported,
  },
  { ...get, path: "/v1/runs", summary: "Runs, newest first", query: runQuery, answer: runList },
  {
    ...get,
    path: "/v1/runs/{id}",
    summary: "A run with its steps, artifacts, grades, cost and outcome",
    answer: runDetail,
  },
  {
    ...post,
    path: "/v1/artifacts",
    summary: "Save a work product; what is kept of it is the org's setting",
    body: artifactRequest,
    answer: artifactStored,
  },
  { ...get, path: "/v1/artifacts/{id}", summary: "An artifact with its lineage and grades", answer: artifactDetail },
  {
    ...post,
    path: "/v1/artifacts/{id}/promote",
    summary: "Make an artifact an eval case",
    body: promoteRequest,
    answer: evalCase,
  },
  {
    ...post,
    path: "/v1/grade",
    summary: "Grade an inference, a run or an artifact; 404 where it is unknown",
    body: gradeRequest,
    answer: gradeRecorded,
  },
  { ...post, path: "/v1/eval-cases", summary: "Add an eval case", body: evalCaseRequest, answer: evalCase },
  { ...get, path: "/v1/eval-cases", summary: "Eval cases, newest first", query: evalCaseQuery, answer: evalCaseList },
  { ...get, path: "/v1/eval-cases/{id}", summary: "An eval case", answer: evalCase },
  {
    method: "delete",
    status: 200,
    path: "/v1/eval-cases/{id}",
    summary: "Archive an eval case: kept, no longer drawn",
    answer: evalCase,
  },
  { ...get, path: "/v1/settings", summary: "What the org decided about its data", answer: settings },
  {
    method: "put",
    status: 200,
    path: "/v1/settings",
    summary: "Decide it anew; every setting is to be said",
    body: settings,
    answer: settings,
  },
];
