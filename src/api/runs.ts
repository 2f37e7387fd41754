/** Executions of pipelines, their work products and the judgments on them. */
import { z } from "zod";
import { identifier, label, tags, time } from "../intake/fields.ts";
import { artifactSaved, WITHHELD } from "../runs/artifact.ts";
import { ARTIFACT_TYPES } from "../runs/artifact-words.ts";
import { GRADE_KINDS, GRADE_SUBJECT_KINDS, recordedGrade as gradeShape } from "../runs/grade.ts";
import { OUTCOME_BASES, OUTCOMES, RUN_OUTCOME_RULE } from "../runs/outcome.ts";
import { RUN_STATUSES, runEnd } from "../runs/run.ts";
import { endpoint } from "./endpoint.ts";
import { MOST_LISTED, next, nullableFigure, nullableUsd, nullableWord, pageQuery } from "./listing.ts";
import { DUPLICATE, READERS, storedOrDuplicate, writeStatus } from "./written.ts";

const [word, figure, usd] = [nullableWord, nullableFigure, nullableUsd];
const unpriced = z.int().describe("Inferences whose cost is unknown and not in the sum.");
const run = z
  .object({
    id: z.string(),
    declared: z.boolean().describe("False = known only from what names it; nobody started it."),
    ...{ pipeline: word, episode_key: word, environment: word, subject: word, feature: word },
    tags: z.record(z.string(), z.string()),
    status: z.enum(RUN_STATUSES),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    duration_ms: figure,
  })
  .meta({ id: "Run" });

const step = z
  .object({
    step: word.describe("null = calls that name no step."),
    inferences: z
      .int()
      .describe("0 = known only from its artifacts: no call was reported, so that no figure is known."),
    attempts: z.int(),
    failed: z.int(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime(),
    latency_ms: figure.describe("Sum over the inferences."),
    input_tokens: figure,
    output_tokens: figure,
    cost_usd: usd,
    unpriced,
    last_failure: word.describe("Failure class of the inference that began last; null = it ended well."),
    simulated: z.boolean(),
  })
  .meta({ id: "RunStep" });

const artifactHead = z
  .object({
    id: z.string(),
    ...{ run: word, step: word },
    name: z.string(),
    type: z.enum(ARTIFACT_TYPES),
    ...{ task: word, inference: word },
    conformant: z.boolean().nullable().describe("null = saved without a schema."),
    hash: z.string().describe("SHA-256 of the content's UTF-8, hex."),
    bytes: z.int(),
    json: z.boolean(),
    withheld: z.enum(WITHHELD).nullable().describe("Why the content is not kept; null = it is."),
    created_at: z.iso.datetime(),
    ...{ derived_from: z.array(z.string()), consumed: z.array(z.string()) },
  })
  .meta({ id: "ArtifactHead" });

const grade = z
  .object({
    id: z.string(),
    subject: z.object({ kind: z.enum(GRADE_SUBJECT_KINDS), id: z.string() }),
    score: z.number(),
    kind: z.enum(GRADE_KINDS),
    grader: z.string(),
    comment: word,
    created_at: z.iso.datetime(),
    counts: z.boolean().describe("False = the same grader graded the same subject again later."),
  })
  .meta({ id: "Grade" });

const runDetail = z
  .object({
    run,
    outcome: z.object({
      rule: z.literal(RUN_OUTCOME_RULE),
      outcome: z.enum(OUTCOMES),
      basis: z.enum(OUTCOME_BASES).describe("What decided."),
      failure_class: word,
    }),
    ...{ inferences: z.int(), cost_usd: usd, unpriced, simulated: z.boolean() },
    steps: z.array(step),
    artifacts: z.array(artifactHead).describe("Oldest first, at most 1,000."),
    grades: z.array(grade).describe("On the run, its inferences and its artifacts; newest first, at most 1,000."),
  })
  .meta({ id: "RunDetail" });

const runWritten = z
  .object({ id: z.string(), status: writeStatus, run: run.optional().describe(READERS) })
  .meta({ id: "RunWritten" });

export type RunJson = z.output<typeof run>;
export type RunStepJson = z.output<typeof step>;
export type ArtifactHeadJson = z.output<typeof artifactHead>;
export type GradeJson = z.output<typeof grade>;
export type RunDetail = z.output<typeof runDetail>;

export const startRun = endpoint({
  operation: "startRun",
  method: "post",
  path: "/v1/runs",
  access: "ingest",
  summary: "Start a run",
  body: z
    .strictObject({
      id: identifier.optional().describe("Yours, unique within the org; absent = one is made."),
      pipeline: label,
      episode_key: label.optional().describe("Your own word that groups runs; need not be unique."),
      ...{ environment: label.optional(), subject: label.optional(), feature: label.optional() },
      tags: tags.optional(),
      started_at: time.optional().describe("Absent = now."),
    })
    .meta({ id: "RunStartRequest" }),
  answers: storedOrDuplicate(runWritten),
  faults: { 409: "Another run, which this key may not see, has the id" },
});

export const endRun = endpoint({
  operation: "endRun",
  method: "post",
  path: "/v1/runs/{id}/end",
  access: "ingest",
  summary: "End a run; the first end stands",
  body: z
    .strictObject({ status: runEnd.shape.status, ended_at: time.optional().describe("Absent = now.") })
    .meta({ id: "RunEndRequest" }),
  answers: { 200: { description: "`duplicate`: it had ended before", json: runWritten } },
  faults: { 404: "No such run, or not for this key" },
});

export const listRuns = endpoint({
  operation: "listRuns",
  method: "get",
  path: "/v1/runs",
  access: "read",
  summary: "Runs, newest first",
  query: z.strictObject({
    ...{ pipeline: label.optional(), environment: label.optional(), subject: label.optional() },
    ...{ feature: label.optional(), episode_key: label.optional() },
    status: z.enum(RUN_STATUSES).optional(),
    since: time.optional().describe("Of the start, inclusive."),
    until: time.optional().describe("Exclusive."),
    ...pageQuery(MOST_LISTED),
  }),
  answers: { 200: { description: "OK", json: z.object({ runs: z.array(run), next }).meta({ id: "RunList" }) } },
});

export const getRun = endpoint({
  operation: "getRun",
  method: "get",
  path: "/v1/runs/{id}",
  access: "read",
  summary: "A run with its steps, artifacts, grades, cost and outcome",
  answers: { 200: { description: "OK", json: runDetail } },
  faults: { 404: "No such run, or not for this key" },
});

const { run: runOf, step: stepOf, name, type, task, inference, conformant, hash, bytes } = artifactSaved.shape;
const sources = z.array(identifier).max(100).optional();

const artifactStored = z
  .object({
    id: z.string(),
    status: writeStatus,
    hash: z.string().nullable().describe("null = a duplicate, and the key may not read what was stored first."),
    bytes: z.int().nullable(),
    withheld: z.enum(WITHHELD).nullable().describe("Why the content is not kept; null = it is."),
  })
  .meta({ id: "ArtifactStored" });

export const saveArtifact = endpoint({
  operation: "saveArtifact",
  method: "post",
  path: "/v1/artifacts",
  access: "ingest",
  summary: "Save a work product; what is kept of it is the org's setting",
  body: z
    .strictObject({
      id: identifier.optional().describe("Yours; sent again, it changes nothing. Absent = one is made."),
      ...{ run: runOf, step: stepOf, name, type, task, inference, conformant },
      content: z
        .unknown()
        .optional()
        .describe("Text, or any other JSON value. Absent = only hash and bytes are reported."),
      json: z.boolean().optional().describe("The text is JSON. Not needed where the content is no text."),
      hash: hash.describe("SHA-256 of the content's UTF-8, hex; needed where no content comes along, else checked."),
      bytes,
      derived_from: sources.describe("Artifacts this one was made of."),
      consumed: sources.describe("Artifacts that were read on the way."),
      created_at: time.optional().describe("Absent = now."),
    })
    .meta({ id: "ArtifactRequest" }),
  answers: {
    200: { description: DUPLICATE, json: artifactStored },
    201: { description: "Stored", json: artifactStored },
  },
  faults: { 404: "A source or the run is not known", 409: "The id is another's, or names what this key may not see" },
});

export const getArtifact = endpoint({
  operation: "getArtifact",
  method: "get",
  path: "/v1/artifacts/{id}",
  access: "read",
  summary: "An artifact with its lineage and grades",
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          artifact: artifactHead.extend({ content: z.string().nullable() }),
          used_by: z.array(z.string()).describe("Artifacts derived from this one, or that consumed it."),
          grades: z.array(grade),
        })
        .meta({ id: "ArtifactDetail" }),
    },
  },
  faults: { 404: "No such artifact, or not for this key" },
});

const { id: gradeId, subject, score, kind, grader, comment } = gradeShape.shape;

export const recordGrade = endpoint({
  operation: "recordGrade",
  method: "post",
  path: "/v1/grade",
  access: "grade",
  summary: "Grade an inference, a run or an artifact",
  body: z
    .strictObject({
      id: gradeId.optional().describe("Yours; sent again, it changes nothing. Absent = one is made."),
      subject: subject.describe("An inference, artifact or run; a run also by its episode key."),
      ...{ score, kind, grader, comment },
      created_at: time.optional().describe("Absent = now."),
    })
    .meta({ id: "GradeRequest" }),
  answers: storedOrDuplicate(z.object({ id: z.string(), status: writeStatus }).meta({ id: "GradeWritten" })),
  faults: { 404: "Nothing is named so, or it has not arrived yet (then with `retry-after`)" },
});
