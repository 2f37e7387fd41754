/** Eval cases: inputs with the output that is right for them. */
import { z } from "zod";
import { identifier, label } from "../intake/fields.ts";
import { replayPayload } from "../replay/replay-payload.ts";
import { EVAL_CASE_ORIGINS } from "../runs/eval-case.ts";
import { endpoint } from "./endpoint.ts";
import { flag, MOST_LISTED, next, pageQuery } from "./listing.ts";
import { READERS, storedOrDuplicate, writeStatus } from "./written.ts";

const evalCase = z
  .object({
    ...{ id: z.string(), task: z.string() },
    input: replayPayload,
    expected: z.unknown(),
    corrected: z.boolean(),
    origin: z.enum(EVAL_CASE_ORIGINS),
    ...{ artifact: z.string().nullable(), run: z.string().nullable() },
    created_at: z.iso.datetime(),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "EvalCase" });

/** What a replay needs of eval cases. */
export const replayableCases = z.object({
  eval_cases: z.array(
    evalCase.pick({ id: true, input: true, expected: true, created_at: true, run: true }).partial({ run: true }),
  ),
  next: next.optional(),
});

export type ReplayableCase = z.output<typeof replayableCases>["eval_cases"][number];

export type EvalCaseJson = z.output<typeof evalCase>;

const evalCaseWritten = evalCase
  .partial()
  .extend({ id: z.string(), status: writeStatus })
  .describe(`${READERS}: more than id and status`)
  .meta({ id: "EvalCaseWritten" });

export const promoteArtifact = endpoint({
  operation: "promoteArtifact",
  method: "post",
  path: "/v1/artifacts/{id}/promote",
  access: "ingest",
  summary: "Make an artifact an eval case",
  body: z
    .strictObject({
      id: identifier
        .optional()
        .describe("Yours, of the eval case; sent again, it changes nothing. Absent = one is made."),
      task: label.optional().describe("Name of the route to test; absent = the artifact's own."),
      input: replayPayload.optional().describe("Absent = the nearest input or prompt it was derived from."),
      corrected: z.unknown().optional().describe("The right output, where the artifact's was not; any JSON value."),
      origin: z.enum(EVAL_CASE_ORIGINS).optional(),
    })
    .meta({ id: "PromoteRequest" }),
  answers: storedOrDuplicate(evalCaseWritten),
  faults: {
    404: "No such artifact, or not for this key",
    409: "It cannot be made one as it is, or the id is another's",
  },
});

const evalCases = { everyRow: "eval cases" } as const;

export const addEvalCase = endpoint({
  operation: "addEvalCase",
  ...evalCases,
  method: "post",
  path: "/v1/eval-cases",
  access: "ingest",
  summary: "Add an eval case",
  body: z
    .strictObject({
      id: identifier.optional().describe("Yours; sent again, it changes nothing. Absent = one is made."),
      task: label.describe("Name of the route to test."),
      input: replayPayload,
      expected: z.unknown().describe("Any JSON value."),
      corrected: z.boolean().default(false).describe("A person put the output right."),
      origin: z.enum(EVAL_CASE_ORIGINS).default("manual"),
      ...{ artifact: identifier.optional(), run: identifier.optional() },
    })
    .refine((body) => Object.hasOwn(body, "expected"), { path: ["expected"], message: "say what is expected" })
    .meta({ id: "EvalCaseRequest" }),
  answers: storedOrDuplicate(evalCaseWritten),
});

export const listEvalCases = endpoint({
  operation: "listEvalCases",
  ...evalCases,
  method: "get",
  path: "/v1/eval-cases",
  access: "read",
  summary: "Eval cases, newest first",
  query: z.strictObject({
    task: label.optional(),
    archived: flag.optional().describe("true = archived ones too."),
    ...pageQuery(MOST_LISTED),
  }),
  answers: {
    200: { description: "OK", json: z.object({ eval_cases: z.array(evalCase), next }).meta({ id: "EvalCaseList" }) },
  },
});

export const getEvalCase = endpoint({
  operation: "getEvalCase",
  ...evalCases,
  method: "get",
  path: "/v1/eval-cases/{id}",
  access: "read",
  summary: "An eval case",
  answers: { 200: { description: "OK", json: evalCase } },
  faults: { 404: "No such eval case" },
});

export const archiveEvalCase = endpoint({
  operation: "archiveEvalCase",
  ...evalCases,
  method: "delete",
  path: "/v1/eval-cases/{id}",
  access: "ingest",
  summary: "Archive an eval case: kept, no longer drawn",
  answers: {
    200: {
      description: "OK",
      json: evalCase
        .partial()
        .extend({ id: z.string(), archived_at: z.iso.datetime() })
        .meta({ id: "EvalCaseArchived" }),
    },
  },
  faults: { 404: "No such eval case" },
});
