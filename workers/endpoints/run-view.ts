/** Runs, steps, artifacts and grades as the API shows them. */
import { z } from "@hono/zod-openapi";
import { nanoToUsdText, nanoUsd } from "../../src/money/nano-usd.ts";
import { ARTIFACT_TYPES, type ArtifactLink, WITHHELD } from "../../src/runs/artifact.ts";
import { GRADE_KINDS, GRADE_SUBJECT_KINDS, type Grade, latestPerGrader } from "../../src/runs/grade.ts";
import { OUTCOME_BASES, OUTCOMES, RUN_OUTCOME_RULE, type RunOutcome } from "../../src/runs/outcome.ts";
import type { ArtifactHead } from "../../src/runs/ports.ts";
import { RUN_STATUSES, type Run, type RunStep } from "../../src/runs/run.ts";
import { isoOf, isoOrNull, next } from "./listing.ts";

const word = z.string().nullable();
const figure = z.int().nullable();
const usd = z.string().nullable().describe("Exact decimal dollars, nine places; null = unknown.");
const unpriced = z.int().describe("Inferences whose cost is unknown and not in the sum.");

export const run = z
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
  .openapi("Run");

export const runList = z.object({ runs: z.array(run), next }).openapi("RunList");

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
  .openapi("RunStep");

export const artifactHead = z
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
  .openapi("ArtifactHead");

export const grade = z
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
  .openapi("Grade");

export const runDetail = z
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
  .openapi("RunDetail");

export function runJson(one: Run): z.output<typeof run> {
  const { startedAt, endedAt } = one;
  return {
    id: one.id,
    declared: one.declared,
    pipeline: one.pipeline ?? null,
    episode_key: one.episodeKey ?? null,
    environment: one.environment ?? null,
    subject: one.subject ?? null,
    feature: one.feature ?? null,
    tags: { ...one.tags },
    status: one.status,
    started_at: isoOf(startedAt),
    ended_at: isoOrNull(endedAt),
    // Two clocks may disagree about which came first.
    duration_ms: endedAt === undefined ? null : Math.max(0, endedAt - startedAt),
  };
}

export function outcomeJson(one: RunOutcome): z.output<typeof runDetail>["outcome"] {
  const { outcome, basis, failureClass } = one;
  return { rule: RUN_OUTCOME_RULE, outcome, basis, failure_class: failureClass ?? null };
}

export function stepJson(one: RunStep): z.output<typeof step> {
  return {
    step: one.step,
    inferences: one.inferences,
    attempts: one.attempts,
    failed: one.failed,
    started_at: isoOf(one.startedAt),
    ended_at: isoOf(one.endedAt),
    latency_ms: one.latencyMs,
    input_tokens: one.inputTokens,
    output_tokens: one.outputTokens,
    cost_usd: usdOf(one.costNano),
    unpriced: one.unpriced,
    last_failure: one.lastFailure ?? null,
    simulated: one.simulated,
  };
}

export function artifactJson(one: ArtifactHead, links: readonly ArtifactLink[]): z.output<typeof artifactHead> {
  const sources = (relation: ArtifactLink["relation"]) =>
    links.filter((link) => link.artifact === one.id && link.relation === relation).map(({ source }) => source);
  return {
    id: one.id,
    run: one.run ?? null,
    step: one.step ?? null,
    name: one.name,
    type: one.type,
    task: one.task ?? null,
    inference: one.inference ?? null,
    conformant: one.conformant ?? null,
    hash: one.hash,
    bytes: one.bytes,
    json: one.json,
    withheld: one.withheld ?? null,
    created_at: isoOf(one.createdAt),
    derived_from: sources("derived_from"),
    consumed: sources("consumed"),
  };
}

export function gradesJson(grades: readonly Grade[]): z.output<typeof grade>[] {
  const counting = new Set(latestPerGrader(grades));
  return grades.map((one) => ({
    id: one.id,
    subject: one.subject,
    score: one.score,
    kind: one.kind,
    grader: one.grader,
    comment: one.comment ?? null,
    created_at: isoOf(one.createdAt),
    counts: counting.has(one),
  }));
}

export function usdOf(costNano: number | null): string | null {
  return costNano === null ? null : nanoToUsdText(nanoUsd(costNano));
}
