/** Runs, steps, artifacts and grades as the API shows them. */
import type { ArtifactHeadJson, GradeJson, RunDetail, RunJson, RunStepJson } from "../../../src/api/runs.ts";
import type { ArtifactLink } from "../../../src/runs/artifact.ts";
import { type Grade, latestPerGrader } from "../../../src/runs/grade.ts";
import { RUN_OUTCOME_RULE, type RunOutcome } from "../../../src/runs/outcome.ts";
import type { ArtifactHead } from "../../../src/runs/ports.ts";
import type { Run, RunStep } from "../../../src/runs/run.ts";
import { isoOf, isoOrNull, usdOrNull } from "../wording.ts";

export function runJson(one: Run): RunJson {
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

export function outcomeJson(one: RunOutcome): RunDetail["outcome"] {
  const { outcome, basis, failureClass } = one;
  return { rule: RUN_OUTCOME_RULE, outcome, basis, failure_class: failureClass ?? null };
}

export function stepJson(one: RunStep): RunStepJson {
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
    cost_usd: usdOrNull(one.costNano),
    unpriced: one.unpriced,
    last_failure: one.lastFailure ?? null,
    simulated: one.simulated,
  };
}

export function artifactJson(one: ArtifactHead, links: readonly ArtifactLink[]): ArtifactHeadJson {
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

export function gradesJson(grades: readonly Grade[]): GradeJson[] {
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
