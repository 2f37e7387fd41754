/** Calls as telemetry keeps them. */
import { z } from "zod";
import { FAILURE_CLASSES } from "../failure/failure.ts";
import { time } from "../intake/fields.ts";
import { LANES } from "../record/lane.ts";
import { attemptJson, inferenceJson } from "../record/record-json.ts";
import { endpoint } from "./endpoint.ts";
import { flag, next, pageQuery } from "./listing.ts";

const MOST_INFERENCES = 500;

const inference = z.object(inferenceJson.shape).meta({ id: "InferenceRecord" });

const inferenceGrade = z.object({
  ...{ id: z.string(), score: z.number(), kind: z.string(), grader: z.string() },
  comment: z.string().nullable(),
  created_at: z.iso.datetime(),
});

const inferenceDetail = z
  .object({
    inference,
    attempts: z.array(attemptJson),
    grades: z.array(inferenceGrade).describe("Newest first: the first of a grader is the one that counts."),
  })
  .meta({ id: "InferenceDetail" });

export type InferenceJson = z.output<typeof inference>;
export type AttemptJson = z.output<typeof attemptJson>;
export type InferenceGradeJson = z.output<typeof inferenceGrade>;

const name = z.string().min(1).max(256).optional();

export const listInferences = endpoint({
  operation: "listInferences",
  method: "get",
  path: "/v1/inferences",
  access: "read",
  summary: "Calls, newest first",
  query: z.strictObject({
    ...{ route: name, variant: name, provider: name, model: name, run: name, step: name, key: name },
    lane: z.enum(LANES).optional(),
    failure_class: z.enum([...FAILURE_CLASSES, "none"]).optional(),
    conformant: flag.optional(),
    simulated: flag.optional(),
    since: time.optional().describe("Inclusive."),
    until: time.optional().describe("Exclusive."),
    ...pageQuery(MOST_INFERENCES),
  }),
  queryPrefix: {
    prefix: "tag.",
    description: "`tag.<name>=<value>`, as often as you like: only calls with these tags.",
  },
  answers: {
    200: {
      description: "OK",
      json: z.object({ inferences: z.array(inference), next }).meta({ id: "InferenceList" }),
    },
  },
});

export const getInference = endpoint({
  operation: "getInference",
  method: "get",
  path: "/v1/inferences/{id}",
  access: "read",
  summary: "A call with its attempts and grades",
  answers: { 200: { description: "OK", json: inferenceDetail } },
  faults: { 404: "No such inference, or not for this key" },
});
