/** The identity of what an arm serves and of how it is graded, whatever either is called. */
import { canonicalHash } from "../../route/canonical.ts";
import type { NarrowedRoute } from "../../route/narrow.ts";
import type { Route, Template } from "../../route/route.ts";
import type { QualityMetric } from "../execution/sample.ts";
import { RUBRIC, VERDICT_SCHEMA } from "../judge/judge-call.ts";

/**
 * Digest of what reaches a provider and what is accepted of its answer: candidates in order with their parameters,
 * template, schema and ladder. Names, descriptions, order of keys, trial marks and blanks that no model sees are not
 * part of it: a variant that only looks different has the evidence of the one it equals.
 */
export async function servedDigest({ candidates, template, output }: ServedParts): Promise<string> {
  const payload = {
    candidates: candidates.map(({ key, params }) => ({ key, params })),
    template: template && withoutBlanks(template),
    schema: output && withoutNotes(output.schema),
    ladder: output?.ladder,
  };
  return (await canonicalHash(payload)).slice(0, 32);
}

type ServedParts = Pick<NarrowedRoute, "candidates" | "template" | "output">;

/** Digest of a way to grade: another metric, check, judge or rubric is another question to the arm. */
export async function gradingDigest(
  route: Pick<Route, "valueChecks">,
  metric: QualityMetric,
  judge: string | undefined,
): Promise<string> {
  const judging = metric === "judge" ? { judge, rubric: RUBRIC, verdict: VERDICT_SCHEMA } : {};
  const grading = { metric, checks: route.valueChecks, ...judging };
  return (await canonicalHash(grading)).slice(0, 32);
}

function withoutBlanks(template: Template): Record<string, string | undefined> {
  const { system, cached_context: context, user } = template;
  // Only how texts are joined differs between a stable prefix and a system text that says the same.
  return { system: squeezed(system), cached_context: squeezed(context), user: squeezed(user) };
}

function squeezed(text: string | undefined): string | undefined {
  const bare = text?.replace(/\s+/gu, " ").trim();
  return bare === "" ? undefined : bare;
}

/** Texts of a schema that are sent, and so may steer a model, stay; names and comments of its author do not. */
function withoutNotes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNotes);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== "$comment" && key !== "$id")
      .map(([key, value]) => [key, withoutNotes(value)]),
  );
}
