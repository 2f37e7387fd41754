/**
 * A call that was made without the gateway and is reported to it: its figures are priced and brought into the shape of
 * every other call.
 */
import { z } from "zod";
import type { Attempt } from "../call/inference.ts";
import { FAILURE_CLASSES, type Failure, failure } from "../failure/failure.ts";
import { foreignWord, identifier, instant, LONGEST_CALL_MS, tags, tokenCount } from "../intake/fields.ts";
import { cost, credible, MOST_COST_USD } from "../money/cost.ts";
import type { PriceBook } from "../money/price.ts";
import { serviceTier } from "../money/tier.ts";
import type { Usage } from "../money/usage.ts";
import type { InferenceRecord } from "../record/inference-record.ts";
import { finishReason as anthropicFinish } from "../wire/anthropic-messages/finish.ts";
import type { FinishReason } from "../wire/chat.ts";
import { finishReason as geminiFinish, knownFinish } from "../wire/gemini/finish.ts";
import { finishReason as openaiFinish } from "../wire/openai-chat/finish.ts";
import { recordOf } from "./record.ts";

/** The provider's own word, unchanged. */
const word = foreignWord.min(1).max(200);
const ms = z.number().nonnegative().max(LONGEST_CALL_MS);

/** Counts as the provider reported them. Omit those that it did not report: zero is a count. */
const recordedUsage = z.strictObject({
  /** The whole input, tokens read from and written to a cache included. */
  tokensIn: tokenCount.optional(),
  /** The whole output, reasoning included. */
  tokensOut: tokenCount.optional(),
  /** The part of `tokensIn` read from a cache. */
  tokensCached: tokenCount.optional(),
  /** The part of `tokensIn` written to a cache. */
  cacheWriteTokens: tokenCount.optional(),
  /** The part of `tokensOut` that was reasoning. */
  reasoningTokens: tokenCount.optional(),
});

export const recordedCall = z.strictObject({
  /** The caller's own id of the call: reporting it again changes nothing. Absent = one is generated. */
  id: identifier.optional(),
  provider: identifier,
  model: identifier,
  usage: recordedUsage.optional(),
  /** Cost of the call in dollars as reported by the provider; it takes precedence over the price book. */
  costUsd: z.number().nonnegative().max(MOST_COST_USD).optional(),
  /** The provider's word for the tier that served (`flex`, `priority`, `batch`, …); absent = standard. */
  servedTier: word.optional(),
  latencyMs: ms.optional(),
  firstByteMs: ms.optional(),
  /** Epoch milliseconds; absent = now less the latency. */
  startedAt: instant.optional(),
  stream: z.boolean().optional(),
  run: identifier.optional(),
  stepKey: identifier.optional(),
  tags: tags.optional(),
  /** The provider's own word. */
  finishReason: word.optional(),
  /** Absent = the call succeeded. */
  failureClass: z.enum(FAILURE_CLASSES).optional(),
});

export type RecordedCall = z.infer<typeof recordedCall>;

/** The reporting org and key, and what is needed to price the call. */
interface RecordedContext {
  readonly org: string;
  readonly keyId?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly prices: PriceBook;
  /** Returns whether a provider is the simulated one. */
  readonly simulated?: ((provider: string) => boolean) | undefined;
  readonly newId: (prefix: string) => string;
  /** Usage that a wire reader took from the answer itself; it contains more than a caller can report. */
  readonly observed?: { readonly usage?: Usage | undefined; readonly failure?: Failure | undefined } | undefined;
}

/**
 * Returns the record of a reported call, in the lane `recorded`, with one attempt. Its cost is absent where the price,
 * or a count that the price needs, is unknown. A latency that was not reported is 0.
 */
export function recordedInference(call: RecordedCall, context: RecordedContext): InferenceRecord {
  const attempt = attemptOf(call, context);
  const { startedAt, latencyMs, firstByteMs, failure: failed, finish, cost: total } = attempt;
  return recordOf({
    id: call.id ?? context.newId("inf"),
    org: context.org,
    keyId: context.keyId,
    lane: "recorded",
    stream: call.stream ?? false,
    ...{ startedAt, latencyMs, firstByteMs, finish },
    served: failed ? undefined : { provider: call.provider, model: call.model },
    rung: failed ? undefined : attempt.rung,
    failure: failed,
    attempts: [attempt],
    skipped: [],
    cost: total,
    costEstimated: false,
    tags: call.tags ?? {},
    run: call.run,
    step: call.stepKey,
    simulated: context.simulated?.(call.provider) ?? false,
  });
}

function attemptOf(call: RecordedCall, { now, prices, newId, observed }: RecordedContext): Attempt {
  const { provider, model, latencyMs = 0, firstByteMs } = call;
  const startedAt = call.startedAt ?? Math.max(0, Math.round(now - latencyMs));
  const usage = observed?.usage ?? usageOf(call);
  const servedTier = serviceTier(call.servedTier);
  const price = prices.find(provider, model, new Date(startedAt));
  return {
    // When one call is reported twice, every row must equal the existing one.
    id: call.id === undefined ? newId("att") : `${call.id}/0`,
    index: 0,
    ...{ provider, model, rung: "none", startedAt, latencyMs, firstByteMs, usage, servedTier },
    failure: observed?.failure ?? (call.failureClass && failure(call.failureClass, "reported by its caller")),
    finish: call.finishReason === undefined ? undefined : finishOf(call.finishReason),
    cost: usage && credible(cost(price, usage, servedTier))?.total,
    costEstimated: false,
    priceVersion: price?.version,
    dropped: [],
  };
}

/** Contradictory counts are kept and flagged; `money/billable.ts` then bills the larger reading. */
function usageOf({ usage, costUsd }: RecordedCall): Usage | undefined {
  if (!usage && costUsd === undefined) return undefined;
  const { tokensIn: total, tokensOut, tokensCached: cacheRead, cacheWriteTokens: cacheWrite } = usage ?? {};
  const reasoning = usage?.reasoningTokens;
  const parts = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const inconsistent =
    (total !== undefined && parts > total) || (tokensOut !== undefined && (reasoning ?? 0) > tokensOut);
  return {
    input: { total, uncached: total === undefined ? undefined : Math.max(0, total - parts), cacheRead, cacheWrite },
    output: { total: tokensOut, reasoning },
    reportedUsd: costUsd,
    estimated: false,
    ...(inconsistent && { inconsistent }),
    raw: undefined,
  };
}

/** Callers report the word of the API they used, or the neutral one of a client library (`tool-calls`). */
function finishOf(raw: string): FinishReason {
  const readings = [openaiFinish(raw.replace("-", "_"), false), anthropicFinish(raw)];
  const known = readings.find(({ unified }) => unified !== "other");
  if (known) return { ...known, raw };
  // A word of nobody's is a fault where Gemini itself says it; from a caller it is only a word that is not known.
  return knownFinish(raw) ? geminiFinish(raw, false) : { unified: "other", raw };
}
