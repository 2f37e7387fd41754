/**
 * Promotes a saved artifact to a golden. The expected output is the artifact's content or its correction; the input is
 * given, or found in the lineage as the nearest input or prompt from which the artifact was derived.
 */

import { parseExact } from "../json/exact-numbers.ts";
import { isRecord } from "../json/record.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";
import { CHOSEN_AT_REPLAY } from "../replay/replay-payload.ts";
import type { Withheld } from "./artifact.ts";
import type { EvalCase, EvalCaseOrigin } from "./eval-case.ts";
import type { Origin, StoredArtifact } from "./ports.ts";

interface Promotion {
  /** Absent = the artifact's own. */
  readonly task?: string | undefined;
  readonly input?: ReplayPayload | undefined;
  /** The correct answer, where the artifact's was wrong; any JSON value. */
  readonly corrected?: { readonly value: unknown } | undefined;
  readonly origin?: EvalCaseOrigin | undefined;
}

interface PromotionFault {
  readonly code: "task_required" | "content_not_kept" | "input_not_kept" | "input_not_found" | "input_ambiguous";
  readonly message: string;
}

type PromotionResult =
  | { readonly ok: true; readonly evalCase: EvalCase }
  | { readonly ok: false; readonly fault: PromotionFault };

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: PromotionFault };

export function promote(
  artifact: StoredArtifact,
  origins: readonly Origin[],
  promotion: Promotion,
  made: { readonly id: string; readonly at: number },
): PromotionResult {
  const task = promotion.task ?? artifact.task;
  if (task === undefined) {
    return refused("task_required", "the artifact was saved without a task: say `task`, the name of the route to test");
  }
  const expected = promotion.corrected ? { ok: true as const, value: promotion.corrected.value } : contentOf(artifact);
  if (!expected.ok) return expected;
  const input = promotion.input ? { ok: true as const, value: promotion.input } : inputOf(origins);
  if (!input.ok) return input;
  return {
    ok: true,
    evalCase: {
      id: made.id,
      task,
      input: input.value,
      expected: expected.value,
      corrected: promotion.corrected !== undefined,
      origin: promotion.origin ?? "artifact",
      artifact: artifact.id,
      run: artifact.run,
      createdAt: made.at,
    },
  };
}

function contentOf(artifact: StoredArtifact): Found<unknown> {
  const { content, json, withheld } = artifact;
  if (content === undefined) {
    return refused(
      "content_not_kept",
      `the artifact's content was not kept (${WHY[withheld ?? "not_sent"]}): say \`corrected\`, the output to expect`,
    );
  }
  return { ok: true, value: json ? parseExact(content) : content };
}

const WHY: Readonly<Record<Withheld, string>> = {
  not_sent: "its sender kept it back",
  not_text: "it holds the character U+0000",
  custody: "the org's custody keeps hashes only; see PUT /v1/settings",
  retention: "it was older than the org's retention_days",
  too_large: "it is larger than the org's limit, artifact_max_bytes",
};

const SAY_INPUT = "say `input`, as variables or messages";

/**
 * Returns the nearest input, else the nearest prompt: variables can be replayed through any template, a prompt only as
 * it was.
 */
function inputOf(origins: readonly Origin[]): Found<ReplayPayload> {
  const nearest = nearestOf(origins, "input") ?? nearestOf(origins, "prompt");
  const [first, ...others] = nearest ?? [];
  if (!first) {
    return refused(
      "input_not_found",
      `the artifact is derived_from no input and no prompt: link them, or ${SAY_INPUT}`,
    );
  }
  if (others.length > 0) {
    const ids = [first, ...others].map(({ id }) => id).join(", ");
    return refused(
      "input_ambiguous",
      `the artifact is derived from more than one ${first.type} (${ids}): ${SAY_INPUT}`,
    );
  }
  const { content } = first;
  if (content === undefined) {
    const why = WHY[first.withheld ?? "not_sent"];
    return refused(
      "input_not_kept",
      `the content of the ${first.type} ${first.id} was not kept (${why}): ${SAY_INPUT}`,
    );
  }
  return { ok: true, value: payloadOf(first, content) };
}

function nearestOf(origins: readonly Origin[], type: "input" | "prompt"): readonly StoredArtifact[] | undefined {
  const ofType = origins.filter(({ artifact }) => artifact.type === type);
  const distance = Math.min(...ofType.map((origin) => origin.distance));
  const nearest = ofType.filter((origin) => origin.distance === distance);
  return nearest.length === 0 ? undefined : nearest.map(({ artifact }) => artifact);
}

/** Returns a chat request, its messages alone, variables, or else one text of a user. */
function payloadOf({ type, json }: StoredArtifact, content: string): ReplayPayload {
  const value = json ? parseExact(content) : content;
  if (isMessages(value)) return { kind: "messages", request: { messages: value } };
  if (isRecord(value) && isMessages(value["messages"])) {
    const chosen = new Set<string>(CHOSEN_AT_REPLAY);
    return { kind: "messages", request: Object.fromEntries(Object.entries(value).filter(([key]) => !chosen.has(key))) };
  }
  if (type === "input" && isRecord(value)) return { kind: "variables", variables: value };
  const text = typeof value === "string" ? value : content;
  return { kind: "messages", request: { messages: [{ role: "user", content: text }] } };
}

function isMessages(value: unknown): value is readonly unknown[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && typeof one["role"] === "string")
  );
}

function refused(code: PromotionFault["code"], message: string): { ok: false; fault: PromotionFault } {
  return { ok: false, fault: { code, message } };
}
