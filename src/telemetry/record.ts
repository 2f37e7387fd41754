/**
 * Converts a call to its record. Messages of failures and the raw usage objects of providers are left out, because an
 * upstream may quote the prompt in either.
 */
import type { Attempt, Inference } from "../call/inference.ts";
import { MOST_TAGS } from "../intake/tag-rule.ts";
import { addUsd } from "../money/nano-usd.ts";
import type { Usage } from "../money/usage.ts";
import type { AttemptRecord, FailureRecord, InferenceRecord } from "../record/inference-record.ts";
import { perTokenField, type TokenCounts, type TokenField } from "../record/token-counts.ts";

const MOST_LISTED = 32;
const MOST_ATTEMPTS = 100;
const LONGEST_NAME = 200;
const CODE = /^[\w.:/-]{1,64}$/;

/** Bounds of every record: lists are cut, names are shortened; `message.ts` bounds the sum. */
export function recordOf(inference: Inference): InferenceRecord {
  return {
    id: inference.id,
    org: inference.org,
    keyId: inference.keyId ?? null,
    lane: inference.lane,
    route: name(inference.route),
    routeHash: inference.routeHash ?? null,
    variant: name(inference.variant),
    arm: name(inference.arm),
    run: name(inference.run),
    step: name(inference.step),
    stream: inference.stream,
    startedAt: whole(inference.startedAt),
    latencyMs: whole(inference.latencyMs),
    firstByteMs: wholeOrNull(inference.firstByteMs),
    provider: name(inference.served?.provider),
    model: name(inference.served?.model),
    rung: inference.rung ?? null,
    failure: failureRecord(inference.failure),
    finish: inference.finish?.unified ?? null,
    conformant: inference.conformant ?? null,
    costNano: inference.cost ?? null,
    reservedNano: reservedSum(inference.attempts),
    costEstimated: inference.costEstimated,
    simulated: inference.simulated,
    tags: boundedTags(inference.tags),
    skipped: inference.skipped
      .slice(0, MOST_LISTED)
      .map(({ candidate, why }) => ({ candidate: short(candidate), why })),
    attempts: inference.attempts.slice(-MOST_ATTEMPTS).map(attemptRecord),
  };
}

function reservedSum(attempts: readonly Attempt[]): number | null {
  const held = attempts.flatMap(({ reserved }) => (reserved === undefined ? [] : [reserved]));
  return held.length === 0 ? null : addUsd(...held);
}

function attemptRecord(attempt: Attempt): AttemptRecord {
  return {
    id: attempt.id,
    index: attempt.index,
    provider: short(attempt.provider),
    model: short(attempt.model),
    rung: attempt.rung,
    startedAt: whole(attempt.startedAt),
    latencyMs: whole(attempt.latencyMs),
    firstByteMs: wholeOrNull(attempt.firstByteMs),
    status: attempt.status ?? null,
    failure: failureRecord(attempt.failure),
    finish: attempt.finish?.unified ?? null,
    tokens: tokensOf(attempt.usage),
    usageEstimated: attempt.usage?.estimated ?? false,
    usageInconsistent: attempt.usage?.inconsistent ?? false,
    costNano: attempt.cost ?? null,
    reservedNano: attempt.reserved ?? null,
    costEstimated: attempt.costEstimated,
    tier: attempt.servedTier,
    priceVersion: name(attempt.priceVersion),
    dropped: attempt.dropped.slice(0, MOST_LISTED).map(({ field }) => short(field)),
  };
}

/** Sum over the attempts that reported a figure; `null` where none did. */
export function totalTokens(attempts: readonly AttemptRecord[]): TokenCounts {
  return perTokenField((field: TokenField) => {
    let total: number | null = null;
    for (const { tokens } of attempts) if (tokens[field] !== null) total = (total ?? 0) + tokens[field];
    return total;
  });
}

function tokensOf(usage: Usage | undefined): TokenCounts {
  return {
    input: wholeOrNull(usage?.input.total),
    uncached: wholeOrNull(usage?.input.uncached),
    cacheRead: wholeOrNull(usage?.input.cacheRead),
    cacheWrite: wholeOrNull(usage?.input.cacheWrite),
    output: wholeOrNull(usage?.output.total),
    reasoning: wholeOrNull(usage?.output.reasoning),
  };
}

function failureRecord(failure: Inference["failure"]): FailureRecord | null {
  if (!failure) return null;
  const code = failure.code !== undefined && CODE.test(failure.code) ? failure.code : null;
  return { class: failure.class, reason: failure.reason ?? null, status: failure.status ?? null, code };
}

/** Applies the gateway's limits again to records from other sources. */
function boundedTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(tags)
    .filter(([key]) => key !== "__proto__")
    .slice(0, MOST_TAGS);
  return Object.fromEntries(entries.map(([key, value]) => [short(key), short(value)]));
}

/** Never cuts within a character. */
function short(text: string): string {
  return text.length > LONGEST_NAME ? text.slice(0, LONGEST_NAME).replace(/[\ud800-\udbff]$/, "") : text;
}

function name(text: string | undefined): string | null {
  return text === undefined ? null : short(text);
}

function whole(amount: number): number {
  return Math.round(amount);
}

function wholeOrNull(amount: number | undefined): number | null {
  return amount === undefined || !Number.isFinite(amount)
    ? null
    : Math.min(Number.MAX_SAFE_INTEGER, Math.round(amount));
}
