/** Money of one attempt: its upper bound before it is sent, its cost afterwards, and its reservation. */

import { claimAt } from "../envelope/period.ts";
import { type Failure, failure } from "../failure/failure.ts";
import { worstCase } from "../money/cost.ts";
import type { Bill } from "../money/exposure.ts";
import { type NanoUsd, nanoToUsdText, nanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { Price, ServiceTier } from "../money/price.ts";
import { serviceTier } from "../money/tier.ts";
import type { ModelSpec } from "../provider/provider.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { CallBudget } from "./call.ts";
import type { EnvelopePort } from "./ports.ts";
import { needsOf } from "./request-shape.ts";

/**
 * Token ceilings for media whose tokens cannot be derived from their bytes (largest documented by the providers in the
 * table).
 */
const IMAGE_TOKEN_CEILING = 6_000;
const FILE_TOKEN_CEILING = 200_000;
const AUDIO_TOKEN_CEILING = 100_000;

/** No tokenizer makes more tokens than bytes, so the size of the serialised body is an upper bound. */
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

/** Returns the most output tokens the answer can have: the requested limit, else the model's; undefined = unbounded. */
export function outputTokenBound(request: ChatRequest, model: ModelSpec | undefined): number | undefined {
  const most = model?.facts?.maxOutputAssumed ? undefined : model?.maxOutput;
  const asked = request.maxOutputTokens;
  if (asked !== undefined) return most === undefined ? asked : Math.min(asked, most);
  return model?.maxOutput ?? model?.contextWindow;
}

export function tierOf(word: string | undefined): ServiceTier {
  return serviceTier(word);
}

/** Keeps one call's spend: the local limit per call, and a reservation per attempt where envelopes cover the call. */
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

  /** True where a limit covers the call, so that every attempt needs a bound. */
  get limited(): boolean {
    return this.#budget.perCall !== undefined || this.#budget.claims.length > 0;
  }

  /**
   * Reserves for an attempt at `now` (epoch ms): a call that continues past midnight draws on the new day. A refusal is
   * `budget_exhausted` and means that nothing may be sent.
   */
  async open(attemptId: string, bound: AttemptBound, now: number, ttlMs: number): Promise<AttemptBooks | Failure> {
    if (!this.limited) return this.#books(attemptId, undefined, false);
    const limit = worstCaseOf(bound);
    if (limit === undefined) {
      return this.#allowUnpriced ? this.#books(attemptId, undefined, false) : unpriced(bound);
    }
    const refusedLocally = this.#checkPerCall(limit);
    if (refusedLocally) return refusedLocally;
    if (this.#budget.claims.length === 0) return this.#books(attemptId, limit, false);
    const result = await this.#envelopes.reserve({
      reservationId: attemptId,
      claims: this.#budget.claims.map((claim) => claimAt(claim, now)),
      worstCase: limit,
      ttlMs,
      madeFor: { route: bound.route, candidate: bound.candidate },
    });
    if (result === "unreachable") {
      return failure("budget_exhausted", "the spend envelopes of this call cannot be reached, so it was not sent", {
        reason: "envelope_unreachable",
        retryAfterMs: 1_000,
      });
    }
    if (result.granted) return this.#books(attemptId, limit, true);
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

  /** `worst` undefined = no limit covers the attempt; `held` = envelopes hold it. */
  #books(attemptId: string, worst: NanoUsd | undefined, held: boolean): AttemptBooks {
    return {
      close: (bill) => {
        if (bill.type === "none") {
          if (held) this.#envelopes.release(attemptId);
          return undefined;
        }
        const actual = bill.type === "known" ? bill.cost : overrunOf(bill, worst);
        this.#spent = nanoUsd(this.#spent + (actual ?? worst ?? 0));
        if (held) this.#envelopes.settle(attemptId, actual);
        return bill.type === "known" ? undefined : (actual ?? worst);
      },
    };
  }
}

/** Of an unknown bill: the part that is known, where it is above the reservation. It is then what counts. */
function overrunOf({ atLeast }: Extract<Bill, { type: "unknown" }>, worst: NanoUsd | undefined): NanoUsd | undefined {
  return worst !== undefined && atLeast !== undefined && atLeast > worst ? atLeast : undefined;
}

/** The booking of one attempt; close it exactly once. */
export interface AttemptBooks {
  /** Books the bill. Returns the amount that counts as spent in place of an unknown bill. */
  close(bill: Bill): NanoUsd | undefined;
}

interface AttemptBound {
  readonly route?: string | undefined;
  readonly candidate: string;
  readonly price: Price | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number | undefined;
  readonly choices: number;
  readonly tier: ServiceTier;
  /** Returns the field of the request whose cost has no bound. */
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
