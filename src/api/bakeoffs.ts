/** Bake-offs: their reports, those that run at the gateway, and outputs kept of them. */
import { z } from "zod";
import { lookRecord } from "../bakeoff/evidence/look-record.ts";
import { keptSample, MOST_KEPT_AT_ONCE } from "../bakeoff/execution/kept-sample.ts";
import { bakeoffReport } from "../bakeoff/report/bakeoff-report.ts";
import { identifier, label, usdLimit } from "../intake/fields.ts";
import { endpoint } from "./endpoint.ts";
import { limitUpTo, MOST_LISTED } from "./listing.ts";

const NO_BAKEOFF = { 404: "No such bake-off" } as const;
const bakeoffs = { everyRow: "bake-offs" } as const;
const evidence = { everyRow: "looks of bake-offs" } as const;

export const recordBakeoff = endpoint({
  operation: "recordBakeoff",
  ...bakeoffs,
  method: "post",
  path: "/v1/bakeoffs",
  access: "oracle-act",
  summary: "Record a bake-off's figures; files the proposal they support",
  query: z.strictObject({
    proposal: identifier.optional().describe("Proposal the bake-off was made for: it gets the evidence."),
  }),
  body: bakeoffReport,
  answers: {
    201: {
      description: "Recorded",
      json: z
        .object({
          id: z.string(),
          proposal: z
            .object({ id: z.string(), state: z.string() })
            .nullable()
            .describe("The one proposal the report supports; null where no arm clears its gate."),
        })
        .meta({ id: "BakeoffRecorded" }),
    },
  },
  faults: { 404: "No such proposal of this route" },
});

export const getEvidenceSalt = endpoint({
  operation: "getEvidenceSalt",
  method: "get",
  path: "/v1/evidence-salt",
  access: "oracle-act",
  ...evidence,
  summary: "Key of the digests under which questions and customers stand in this org's looks",
  answers: { 200: { description: "OK", json: z.object({ salt: z.string() }).meta({ id: "EvidenceSalt" }) } },
});

export const recordLook = endpoint({
  operation: "recordLook",
  method: "post",
  path: "/v1/evidence/{route}",
  access: "oracle-act",
  ...evidence,
  reach: "route",
  summary: "Add what a bake-off found to a route's evidence; answers all looks that count with it",
  body: lookRecord,
  answers: {
    200: { description: "Kept", json: z.object({ looks: z.array(lookRecord) }).meta({ id: "EvidenceLooks" }) },
  },
  faults: { 409: "The bake-off has another look already, which this one does not continue" },
});

export const listBakeoffs = endpoint({
  operation: "listBakeoffs",
  ...bakeoffs,
  method: "get",
  path: "/v1/bakeoffs",
  access: "read",
  summary: "Recorded bake-offs, newest first",
  query: z.strictObject({ route: identifier.optional(), limit: limitUpTo(MOST_LISTED) }),
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          bakeoffs: z.array(
            z.object({
              id: z.string(),
              route: z.string(),
              finished_at: z.iso.datetime(),
              partial: z.boolean(),
              proposes: z.string().optional(),
            }),
          ),
        })
        .meta({ id: "BakeoffList" }),
    },
  },
});

const hostedBakeoffStarted = z
  .object({
    id: z.string(),
    state: z.enum(["queued", "running", "cancelling", "cancelled", "done", "failed"]),
    poll: z.string().describe("Answers the state, and the report once there is one."),
  })
  .meta({ id: "HostedBakeoffStarted" });

const hostedBakeoffState = hostedBakeoffStarted
  .extend({
    route: z.string(),
    done: z.int().describe("Samples measured."),
    planned: z.int(),
    spent_usd: z.string().describe("Known costs so far, exact decimal dollars."),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: "HostedBakeoffState" });

export type HostedBakeoffState = z.output<typeof hostedBakeoffState>;

export const getBakeoff = endpoint({
  operation: "getBakeoff",
  ...bakeoffs,
  method: "get",
  path: "/v1/bakeoffs/{id}",
  aliases: ["/bakeoff/{id}"],
  access: "read",
  summary: "A bake-off's report; while there is none, the state of one that runs here",
  answers: { 200: { description: "OK", json: z.union([bakeoffReport, hostedBakeoffState]) } },
  faults: NO_BAKEOFF,
});

const MOST_INPUTS = 2_000;
const MOST_VARIANTS = 20;

const hostedBakeoffRequest = z
  .strictObject({
    variants: z
      .array(identifier)
      .min(1)
      .max(MOST_VARIANTS)
      .optional()
      .describe("Default: all. What serves is always an arm."),
    task: label.optional().describe("Whose eval cases; default: the route's name."),
    last: z.int().min(1).max(MOST_INPUTS).default(200).describe("Newest eval cases to take."),
    budget_usd: usdLimit.default("5").describe("Spend limit of each variant."),
    total_usd: usdLimit.optional().describe("Spend limit of everything together, the reference included."),
    objective: z.enum(["quality-first", "balanced", "cost-first"]).optional(),
    seed: z.int().min(0).max(999_999_999).optional().describe("Order of inputs and arms; default: drawn."),
    reference: identifier.optional().describe("auto, none, or provider/model instead of the route's own."),
    cluster: z.literal("run").optional().describe("Eval cases of one run belong together, which is so without it too."),
  })
  .meta({ id: "HostedBakeoffRequest" });

export type HostedBakeoffRequest = z.output<typeof hostedBakeoffRequest>;

export const hostBakeoff = endpoint({
  operation: "hostBakeoff",
  method: "post",
  path: "/v1/bakeoffs/run/{route}",
  aliases: ["/bakeoff/{route}"],
  access: "oracle-act",
  reach: "route",
  everyRow: "eval cases",
  summary: "Start a bake-off here, over eval cases",
  headers: z.object({
    "idempotency-key": z.string().max(255).optional().describe("Sent again with it, a request starts nothing anew."),
  }),
  body: hostedBakeoffRequest,
  answers: {
    202: {
      description: "Accepted",
      json: hostedBakeoffStarted,
      headers: z.object({ location: z.string().describe("Where its state is.") }),
    },
  },
  faults: { 404: "No such route", 409: "There is nothing to run it on, or the idempotency key means another one" },
});

// Not below `/v1/bakeoffs/{id}/`: there `run` could be an id.
export const cancelHostedBakeoff = endpoint({
  operation: "cancelHostedBakeoff",
  ...bakeoffs,
  method: "post",
  path: "/v1/hosted-bakeoffs/{id}/cancel",
  aliases: ["/v1/bakeoffs/{id}/cancel"],
  access: "oracle-act",
  summary: "Stop a hosted bake-off; what it measured becomes a partial report",
  answers: { 200: { description: "OK", json: hostedBakeoffState } },
  faults: NO_BAKEOFF,
});

const samples = {
  path: "/v1/bakeoff-samples/{id}",
  aliases: ["/v1/bakeoffs/{id}/samples"],
  everyRow: "kept outputs",
  faults: NO_BAKEOFF,
} as const;

export const keepSamples = endpoint({
  operation: "keepSamples",
  ...samples,
  method: "post",
  access: "oracle-act",
  summary: "Keep inputs and outputs of a bake-off for review",
  body: z
    .strictObject({ samples: z.array(keptSample).min(1).max(MOST_KEPT_AT_ONCE) })
    .meta({ id: "KeptSamplesRequest" }),
  answers: { 201: { description: "Kept", json: z.object({ kept: z.int() }).meta({ id: "SamplesKept" }) } },
});

export const listKeptSamples = endpoint({
  operation: "listKeptSamples",
  ...samples,
  method: "get",
  access: "read",
  summary: "Kept inputs and outputs of a bake-off",
  answers: {
    200: {
      description: "OK",
      json: z
        .object({ samples: z.array(keptSample.extend({ created_at: z.iso.datetime() })) })
        .meta({ id: "KeptSampleList" }),
    },
  },
});

export const deleteKeptSamples = endpoint({
  operation: "deleteKeptSamples",
  ...samples,
  method: "delete",
  access: "oracle-act",
  summary: "Delete the kept inputs and outputs of a bake-off",
  answers: { 200: { description: "OK", json: z.object({ deleted: z.int() }).meta({ id: "SamplesDeleted" }) } },
});
