/** Money of one attempt: its upper bound before, its cost after, and the books between. */
import { type Failure, failure } from "../failure/failure.ts";
import { cost as costOf, worstCase } from "../money/cost.ts";
import { estimateTokens } from "../money/estimate.ts";
import { type NanoUsd, nanoToUsdText, nanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { Price, ServiceTier } from "../money/price.ts";
import { serviceTier } from "../money/tier.ts";
import type { Usage } from "../money/usage.ts";
import type { ModelSpec } from "../provider/provider.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { CallBudget } from "./call.ts";
import type { EnvelopePort } from "./ports.ts";
import { needsOf } from "./request-shape.ts";

/** Ceilings for media whose tokens cannot be read off its bytes (largest documented by the providers in the table). */
export const IMAGE_TOKEN_CEILING = 6_000;
export const FILE_TOKEN_CEILING = 200_000;
export const AUDIO_TOKEN_CEILING = 100_000;

/** No tokenizer makes more tokens than bytes, so the serialised body bounds its text. */
export function inputTokenBound(request: ChatRequest, bodyBytes: number): number {
  const needs = needsOf(request);
  const text = Math.max(0, bodyBytes - needs.mediaBytes);
  return (
    text +
    needs.imageCount * IMAGE_TOKEN_CEILING +
    needs.fileCount * FILE_TOKEN_CEILING +
    needs.audioCount * AUDIO_TOKEN_CEILING
  );
}

/** Output tokens the answer cannot exceed: what is asked for, else what the model can; undefined = unbounded. */
export function outputTokenBound(request: ChatRequest, model: ModelSpec | undefined): number | undefined {
  return request.maxOutputTokens ?? model?.maxOutput ?? model?.contextWindow;
}

export function tierOf(word: string | undefined): ServiceTier {
  return serviceTier(word);
}

/** Keeps one call's spend: the local per-call limit, and a reservation per attempt where envelopes cover the call. */
export class CallSpend {
  readonly #budget: CallBudget;
  readonly #envelopes: EnvelopePort;
  readonly #allowUnpriced: boolean;
  #spent: NanoUsd = ZERO_USD;

  constructor(budget: CallBudget, envelopes: EnvelopePort, allowUnpriced: boolean) {
    this.#budget = budget;
    this.#envelopes = envelopes;
    this.#allowUnpriced = allowUnpriced;
  }

  /** True where some limit covers the call, so that every attempt needs a bound. */
  get limited(): boolean {
    return this.#budget.perCall !== undefined || this.#budget.claims.length > 0;
  }

  /** Opens an attempt's books. A refusal is `budget_exhausted` and means that nothing may be sent. */
  async open(attemptId: string, bound: AttemptBound, ttlMs: number): Promise<AttemptBooks | Failure> {
    if (!this.limited) return this.#books(attemptId, false);
    const limit = worstCaseOf(bound);
    if (limit === undefined) {
      return this.#allowUnpriced ? this.#books(attemptId, false) : unpriced(bound);
    }
    const refusedLocally = this.#checkPerCall(limit);
    if (refusedLocally) return refusedLocally;
    if (this.#budget.claims.length === 0) return this.#books(attemptId, false);
    const result = await this.#envelopes.reserve({
      reservationId: attemptId,
      claims: this.#budget.claims,
      worstCase: limit,
      ttlMs,
    });
    if (result === "unreachable") {
      return failure("budget_exhausted", "the spend envelopes of this call cannot be reached, so it was not sent", {
        reason: "envelope_unreachable",
        retryAfterMs: 1_000,
      });
    }
    if (result.granted) return this.#books(attemptId, true);
    return failure("budget_exhausted", refusalMessage(result.envelopeId, result), {
      reason: result.reason,
      retryAfterMs: result.retryAfterMs,
      resetsAt: result.resetsAt === undefined ? undefined : new Date(result.resetsAt).toISOString(),
    });
  }

  #checkPerCall(worst: NanoUsd): Failure | undefined {
    const limit = this.#budget.perCall;
    if (limit === undefined || this.#spent + worst <= limit) return undefined;
    return failure(
      "budget_exhausted",
      refusalMessage("usd_per_call", { limit, spent: this.#spent, reserved: ZERO_USD, worstCase: worst }),
      {
        reason: worst > limit ? "envelope_too_small" : "envelope_spent",
      },
    );
  }

  #books(attemptId: string, reserved: boolean): AttemptBooks {
    return {
      settle: (actual) => {
        if (actual !== undefined) this.#spent = nanoUsd(this.#spent + actual);
        if (reserved) this.#envelopes.settle(attemptId, actual);
      },
      release: () => {
        if (reserved) this.#envelopes.release(attemptId);
      },
    };
  }
}

/** Exactly one of the two must be called, once. */
export interface AttemptBooks {
  /** `undefined` = the cost is unknown: the whole reservation counts as spent. */
  settle(actual: NanoUsd | undefined): void;
  /** Nothing was sent, or the upstream cannot have billed anything. */
  release(): void;
}

export interface AttemptBound {
  readonly candidate: string;
  readonly price: Price | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number | undefined;
  readonly choices: number;
  readonly tier: ServiceTier;
  /** Field of the request whose cost nothing bounds. */
  readonly unbounded?: string | undefined;
}

function worstCaseOf(bound: AttemptBound): NanoUsd | undefined {
  if (bound.price === undefined || bound.outputTokens === undefined || bound.unbounded !== undefined) return undefined;
  return worstCase(
    bound.price,
    { inputTokens: bound.inputTokens, outputTokens: bound.outputTokens, choices: bound.choices },
    bound.tier,
  );
}

function unpriced(bound: AttemptBound): Failure {
  const why =
    bound.price === undefined
      ? "has no known price"
      : bound.unbounded !== undefined
        ? `was asked with ${bound.unbounded}, whose cost has no bound`
        : "has no known output limit; set max_tokens or the model's max_output";
  return failure("budget_exhausted", `${bound.candidate} ${why}, so a call under a spend limit cannot use it`, {
    reason: "unpriced",
    param: bound.unbounded,
  });
}

function refusalMessage(
  envelope: string,
  figures: {
    readonly limit: NanoUsd;
    readonly spent: NanoUsd;
    readonly reserved: NanoUsd;
    readonly worstCase: NanoUsd;
  },
): string {
  const usd = (amount: NanoUsd) => `$${nanoToUsdText(amount)}`;
  return (
    `the call could cost up to ${usd(figures.worstCase)}, which envelope ${envelope} cannot take: ` +
    `limit ${usd(figures.limit)}, spent ${usd(figures.spent)}, reserved ${usd(figures.reserved)}`
  );
}

/** Cost of reported usage; undefined where figures are unknown, or the price is and the provider names no bill of its own. */
export function priced(price: Price | undefined, usage: Usage | undefined, tier: ServiceTier): NanoUsd | undefined {
  return usage === undefined ? undefined : costOf(price, usage, tier)?.total;
}

/** Usage of a call that was cut or canceled: what was reported so far, our own count for the rest. */
export function estimatedUsage(seen: Usage | undefined, requestBytes: number, streamedBytes: number): Usage {
  const input = seen?.input.total === undefined ? { total: estimateTokens(requestBytes) } : seen.input;
  const output = Math.max(seen?.output.total ?? 0, estimateTokens(streamedBytes));
  return { input, output: { ...seen?.output, total: output }, estimated: true, raw: seen?.raw };
}
