import type { Hono } from "hono";
import { uuidv7obj } from "uuidv7";
import type { BodyOf } from "../../../src/api/endpoint.ts";
import { recordCall } from "../../../src/api/reports.ts";
import { failure } from "../../../src/failure/failure.ts";
import { can, writtenTags } from "../../../src/identity/authorize.ts";
import { MOST_TAGS } from "../../../src/intake/tag-rule.ts";
import { type RecordedCall, recordedInference } from "../../../src/telemetry/recorded.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest, HttpFault } from "../../http/fault.ts";
import { requireHappened } from "../clock.ts";
import { mount } from "../mount.ts";
import { usdOrNull } from "../wording.ts";

/** `POST /v1/record`: a call made without this gateway, by whoever made it. In the database when it is answered. */
export function mountRecord(app: Hono<AppEnv>): void {
  mount(app, recordCall).with(async ({ runtime, principal, body }) => {
    requireHappened(runtime.now(), { started_at: body.started_at });
    const tags = { ...body.tags, ...writtenTags(principal) };
    if (Object.keys(tags).length > MOST_TAGS) throw badRequest(`more than ${MOST_TAGS} tags`, "too_many_tags", "tags");
    const reported = recordedInference(
      { ...callOf(body), tags },
      {
        org: principal.org,
        keyId: principal.keyId,
        now: runtime.now(),
        prices: runtime.prices,
        simulated: (provider) => runtime.providers.find(provider)?.simulated === true,
        newId: (prefix) => `${prefix}_${uuidv7obj().toHex()}`,
      },
    );
    const store = runtime.store();
    const { inferences } = store.forOrg(principal.org);
    const first = body.id === undefined ? undefined : await inferences.get(reported.id, principal.rowScope);
    if (!first) await store.telemetry.insertInferences([reported]);
    // Of a row this key may not see, nothing is said but that its id is taken; what was reported is not there.
    if (principal.rowScope && !first && !(await inferences.get(reported.id, principal.rowScope))) throw idTaken();
    const [attempt] = reported.attempts;
    const mayTell = !first || first.inference.keyId === principal.keyId || can(principal, "read");
    const known = first
      ? { costNano: first.inference.costNano, priceVersion: first.inference.priceVersion, attempt: first.attempts[0] }
      : { costNano: reported.costNano, priceVersion: attempt?.priceVersion ?? null, attempt };
    const answer = {
      inference_id: reported.id,
      cost_usd: mayTell ? usdOrNull(known.costNano) : null,
      price_version: mayTell ? known.priceVersion : null,
      usage_inconsistent: mayTell && (known.attempt?.usageInconsistent ?? false),
      duplicate: first !== undefined,
    };
    return { status: 200, body: answer };
  });
}

function idTaken(): HttpFault {
  const message = "a call that this key may not see has this id";
  return new HttpFault(409, failure("bad_request", message, { code: "id_taken", param: "id" }));
}

function callOf({ usage, ...body }: BodyOf<typeof recordCall>): RecordedCall {
  return {
    id: body.id,
    provider: body.provider,
    model: body.model,
    usage: usage && {
      tokensIn: usage.input_tokens,
      tokensOut: usage.output_tokens,
      tokensCached: usage.cached_tokens,
      cacheWriteTokens: usage.cache_write_tokens,
      reasoningTokens: usage.reasoning_tokens,
    },
    costUsd: body.cost_usd,
    servedTier: body.tier,
    latencyMs: body.latency_ms,
    firstByteMs: body.first_byte_ms,
    startedAt: body.started_at,
    stream: body.stream,
    run: body.run,
    stepKey: body.step,
    finishReason: body.finish_reason,
    failureClass: body.failure_class,
  };
}
