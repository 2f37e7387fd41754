/**
 * What is kept of an inference: figures, names and closed words. Messages of failures and the raw usage objects of
 * providers stay behind: an upstream may quote the prompt in either.
 */
import type { Attempt, Inference } from "../call/inference.ts";
import type { Usage } from "../money/usage.ts";
import { MOST_TAGS } from "./tag.ts";

/** `null` = not reported or not applicable, never zero. */
export interface TokenCounts {
  readonly input: number | null;
  readonly uncached: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
}

export interface FailureRecord {
  readonly class: string;
  readonly reason: string | null;
  readonly status: number | null;
  /** The upstream's structured code, where it looks like one. */
  readonly code: string | null;
}

export interface AttemptRecord {
  readonly id: string;
  readonly index: number;
  readonly provider: string;
  readonly model: string;
  readonly rung: string;
  readonly startedAt: number;
  readonly latencyMs: number;
  readonly firstByteMs: number | null;
  readonly status: number | null;
  readonly failure: FailureRecord | null;
  readonly finish: string | null;
  readonly tokens: TokenCounts;
  readonly usageEstimated: boolean;
  readonly usageInconsistent: boolean;
  readonly costNano: number | null;
  readonly costEstimated: boolean;
  readonly tier: string;
  readonly priceVersion: string | null;
  /** Names of request fields the upstream could not carry. */
  readonly dropped: readonly string[];
}

export interface SkipRecord {
  readonly candidate: string;
  readonly why: string;
}

export interface InferenceRecord {
  readonly id: string;
  readonly org: string;
  readonly keyId: string | null;
  readonly lane: string;
  readonly route: string | null;
  readonly routeHash: string | null;
  readonly variant: string | null;
  readonly arm: string | null;
  readonly run: string | null;
  readonly step: string | null;
  readonly stream: boolean;
  readonly startedAt: number;
  readonly latencyMs: number;
  readonly firstByteMs: number | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly rung: string | null;
  readonly failure: FailureRecord | null;
  readonly finish: string | null;
  readonly conformant: boolean | null;
  readonly costNano: number | null;
  readonly costEstimated: boolean;
  readonly simulated: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly skipped: readonly SkipRecord[];
  readonly attempts: readonly AttemptRecord[];
}

const MOST_LISTED = 32;
const MOST_ATTEMPTS = 100;
const LONGEST_NAME = 200;
const CODE = /^[\w.:/-]{1,64}$/;

/** Bounded whatever the call was: lists are cut, names are shortened; see `message.ts` for the sum. */
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
    costEstimated: inference.costEstimated,
    simulated: inference.simulated,
    tags: boundedTags(inference.tags),
    skipped: inference.skipped
      .slice(0, MOST_LISTED)
      .map(({ candidate, why }) => ({ candidate: short(candidate), why })),
    attempts: inference.attempts.slice(-MOST_ATTEMPTS).map(attemptRecord),
  };
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
    costEstimated: attempt.costEstimated,
    tier: attempt.servedTier,
    priceVersion: name(attempt.priceVersion),
    dropped: attempt.dropped.slice(0, MOST_LISTED).map(({ field }) => short(field)),
  };
}

/** Sum over the attempts that reported a figure; `null` where none did. */
export function totalTokens(attempts: readonly AttemptRecord[]): TokenCounts {
  const sum = (figure: keyof TokenCounts): number | null => {
    let total: number | null = null;
    for (const { tokens } of attempts) if (tokens[figure] !== null) total = (total ?? 0) + tokens[figure];
    return total;
  };
  return {
    input: sum("input"),
    uncached: sum("uncached"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
    output: sum("output"),
    reasoning: sum("reasoning"),
  };
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

/** What the gateway accepts, enforced again for every other source. */
function boundedTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(tags)
    .filter(([key]) => key !== "__proto__")
    .slice(0, MOST_TAGS);
  return Object.fromEntries(entries.map(([key, value]) => [short(key), short(value)]));
}

/** Never cut within a character. */
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
