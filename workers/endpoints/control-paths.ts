/** The endpoints of bake-offs, proposals and swaps as the OpenAPI document lists them. */
import type { z } from "@hono/zod-openapi";
import { bakeoffReport } from "../../src/bakeoff/report/bakeoff-report.ts";
import { registryDocument } from "../../src/registry/record.ts";
import { swap } from "../../src/swap/swap.ts";
import { keptSampleList, keptSamplesRequest, samplesDeleted, samplesKept } from "./bakeoff-samples.ts";
import { bakeoffFound, bakeoffList, bakeoffQuery, bakeoffRecorded } from "./bakeoffs.ts";
import {
  hostedBakeoffRequest,
  hostedBakeoffStarted,
  hostedBakeoffState,
  idempotencyHeader,
} from "./hosted-bakeoffs.ts";
import { liveVariant } from "./live-variant.ts";
import { proposalDecision, proposalDetail, proposalList } from "./proposals.ts";
import { registryRecorded } from "./registry.ts";
import { swapList, swapRequest } from "./swaps.ts";

export interface ControlPath {
  readonly method: "get" | "post" | "put" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly status: 200 | 201 | 202;
  readonly answer: z.ZodType;
}

export const CONTROL_PATHS: readonly ControlPath[] = [
  {
    method: "post",
    path: "/v1/bakeoffs",
    summary: "Record a bake-off's figures; files the proposal they support",
    query: bakeoffQuery,
    body: bakeoffReport,
    status: 201,
    answer: bakeoffRecorded,
  },
  { method: "get", path: "/v1/bakeoffs", summary: "Recorded bake-offs", status: 200, answer: bakeoffList },
  {
    method: "get",
    path: "/v1/bakeoffs/{id}",
    summary: "A bake-off's report; while there is none, the state of a hosted one. Also GET /bakeoff/{id}",
    status: 200,
    answer: bakeoffFound,
  },
  {
    method: "post",
    path: "/v1/bakeoffs/run/{route}",
    summary: "Start a bake-off here, over eval cases. Also POST /bakeoff/{route}",
    headers: idempotencyHeader,
    body: hostedBakeoffRequest,
    status: 202,
    answer: hostedBakeoffStarted,
  },
  {
    method: "post",
    path: "/v1/bakeoffs/{id}/cancel",
    summary: "Stop a hosted bake-off; what it measured becomes a partial report",
    status: 200,
    answer: hostedBakeoffState,
  },
  {
    method: "post",
    path: "/v1/bakeoffs/{id}/samples",
    summary: "Keep inputs and outputs of a bake-off for review",
    body: keptSamplesRequest,
    status: 201,
    answer: samplesKept,
  },
  {
    method: "get",
    path: "/v1/bakeoffs/{id}/samples",
    summary: "Kept inputs and outputs of a bake-off",
    status: 200,
    answer: keptSampleList,
  },
  {
    method: "delete",
    path: "/v1/bakeoffs/{id}/samples",
    summary: "Delete the kept inputs and outputs of a bake-off",
    status: 200,
    answer: samplesDeleted,
  },
  { method: "get", path: "/v1/registry", summary: "Measured capabilities", status: 200, answer: registryDocument },
  {
    method: "post",
    path: "/v1/registry",
    summary: "Record measured capabilities",
    body: registryDocument,
    status: 201,
    answer: registryRecorded,
  },
  {
    method: "get",
    path: "/v1/routes/{name}/live",
    summary: "The variant that serves a route",
    status: 200,
    answer: liveVariant,
  },
  { method: "get", path: "/v1/proposals", summary: "Proposals, newest first", status: 200, answer: proposalList },
  {
    method: "get",
    path: "/v1/proposals/{id}",
    summary: "A proposal with its evidence and pull request text",
    status: 200,
    answer: proposalDetail,
  },
  {
    method: "post",
    path: "/v1/proposals/{id}/decide",
    summary: "A human's decision on a proposal",
    body: proposalDecision,
    status: 200,
    answer: proposalDetail,
  },
  {
    method: "post",
    path: "/v1/swaps",
    summary: "Record an approved change with the incumbent's baseline",
    body: swapRequest,
    status: 201,
    answer: swap,
  },
  { method: "get", path: "/v1/swaps", summary: "Recorded swaps, newest first", status: 200, answer: swapList },
  { method: "get", path: "/v1/swaps/{id}", summary: "A swap", status: 200, answer: swap },
  {
    method: "post",
    path: "/v1/swaps/{id}/revert",
    summary: "Record that a swap was taken back",
    status: 200,
    answer: swap,
  },
];
