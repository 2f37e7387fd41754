import type { Hono } from "hono";
import {
  type AttemptJson,
  getInference,
  type InferenceGradeJson,
  type InferenceJson,
  listInferences,
} from "../../../src/api/inferences.ts";
import { snakeKeys } from "../../../src/record/snake-keys.ts";
import type { AttemptRow, GradeRow, InferenceRow } from "../../../src/store/telemetry/inferences.ts";
import type { AppEnv } from "../../context.ts";
import { notFound } from "../../http/fault.ts";
import { mount } from "../mount.ts";
import { pageOf } from "../page.ts";
import { isoOf, usdOrNull } from "../wording.ts";

/** `/v1/inferences`: what was called, newest first. A key with a row scope sees only the rows that carry its tags. */
export function mountInferences(app: Hono<AppEnv>): void {
  mount(app, listInferences).with(async ({ runtime, principal, query, prefixed: tags }) => {
    const { failure_class: failureClass, key: keyId, after, limit, ...rest } = query;
    const from = after && { ts: after.at, id: after.id };
    // One more than is shown tells whether there is a next page.
    const filter = { ...rest, failureClass, keyId, tags, after: from, limit: limit + 1 };
    const found = await runtime.store().forOrg(principal.org).inferences.list(filter, principal.rowScope);
    const { shown, next } = pageOf(found, limit, ({ ts }) => ts);
    return { status: 200, body: { inferences: shown.map(jsonOfInference), next } };
  });

  mount(app, getInference).with(async ({ runtime, principal, params }) => {
    const found = await runtime.store().forOrg(principal.org).inferences.get(params.id, principal.rowScope);
    if (!found) throw notFound("no such inference", "inference_not_found", "id");
    const body = {
      inference: jsonOfInference(found.inference),
      attempts: found.attempts.map(jsonOfAttempt),
      grades: found.grades.map(gradeJson),
    };
    return { status: 200, body };
  });
}

function jsonOfInference(row: InferenceRow): InferenceJson {
  const { key_id: key, skipped, ...same } = jsonOfRow(row);
  return { ...same, key, tags: { ...row.tags }, skipped: [...(skipped ?? [])] };
}

function jsonOfAttempt(row: AttemptRow): AttemptJson {
  const { inference: _inference, position: _position, ...same } = jsonOfRow(row);
  return { ...same, dropped: [...(row.dropped ?? [])] };
}

/** What the rows of both tables are shown with. A row read whole brings its org along, which the API never shows. */
function jsonOfRow<Row extends InferenceRow | AttemptRow>({ org: _org, ...row }: Row & { readonly org?: string }) {
  const { ts, costNano, reservedNano, estimated, inputTokens, uncachedTokens, cacheReadTokens, ...rest } = row;
  const { cacheWriteTokens, outputTokens, reasoningTokens, ...same } = rest;
  return {
    ...snakeKeys(same),
    ts: isoOf(ts),
    tokens: {
      ...{ input: inputTokens, uncached: uncachedTokens, cache_read: cacheReadTokens, cache_write: cacheWriteTokens },
      ...{ output: outputTokens, reasoning: reasoningTokens },
    },
    cost_usd: usdOrNull(costNano),
    reserved_usd: usdOrNull(reservedNano),
    cost_estimated: estimated,
  };
}

function gradeJson({ id, score, kind, grader, comment, createdAt }: GradeRow): InferenceGradeJson {
  return { id, score, kind, grader, comment, created_at: isoOf(createdAt) };
}
