/** One upstream request to one candidate on one rung: the part that streamed and whole answers share. */

import type { Failure } from "../failure/failure.ts";
import { countsAgainstBreaker } from "../failure/policy.ts";
import { withoutKey } from "../failure/redact.ts";
import { wellFormedJson } from "../json/well-formed-json.ts";
import { billOf, costOfBill, type Exposure } from "../money/exposure.ts";
import { ZERO_USD } from "../money/nano-usd.ts";
import type { Price } from "../money/price.ts";
import type { ServedRung } from "../route/route.ts";
import type { ChatRequest, FinishReason } from "../wire/chat.ts";
import type { DroppedField, EncodedRequest } from "../wire/dialect.ts";
import { unboundedField, withoutUnboundedTools } from "../wire/fit/beyond-request.ts";
import type { CallInput } from "./call.ts";
import type { Contender } from "./eligibility.ts";
import type { Attempt } from "./inference.ts";
import type { BreakerSubject, CallPorts } from "./ports.ts";
import { type AttemptBooks, type CallSpend, inputTokenBound, outputTokenBound, tierOf } from "./spend.ts";
import type { Watchdog } from "./time/watchdog.ts";
import type { Exchange } from "./upstream.ts";

/** What a call shares with each of its attempts. */
export interface CallState {
  readonly input: CallInput;
  readonly ports: CallPorts;
  readonly spend: CallSpend;
  /** Epoch milliseconds at which the call must be over (a stream: must have begun). */
  readonly deadline: number;
  /** Attempts that are not closed yet. */
  readonly open: Set<OpenAttempt>;
}

export interface AttemptPlan {
  readonly contender: Contender;
  readonly exchange: Exchange;
  readonly rung: ServedRung;
  readonly request: ChatRequest;
  readonly index: number;
  readonly probeId: string | undefined;
  /** Notes reported together with the fields that the encoder could not carry. */
  readonly dropped: readonly DroppedField[];
}

export interface OpenAttempt {
  readonly plan: AttemptPlan;
  readonly call: CallState;
  readonly id: string;
  readonly startedAt: number;
  readonly encoded: EncodedRequest;
  readonly body: string;
  readonly books: AttemptBooks;
  readonly price: Price | undefined;
  readonly watchdog: Watchdog;
  /** True from the moment at which bytes of the request may leave. */
  sent: boolean;
}

const encoder = new TextEncoder();

/** Encodes the request and makes its reservation. A failure here means that nothing was sent. */
export async function openAttempt(
  plan: AttemptPlan,
  call: CallState,
  watchdog: Watchdog,
): Promise<OpenAttempt | Attempt> {
  const { ports, input, spend } = call;
  const { candidate, model } = plan.contender;
  const id = ports.newId("att");
  const startedAt = ports.clock.now();
  const refused = (reason: Failure, dropped: readonly DroppedField[] = []): Attempt => {
    // The attempt showed nothing about the upstream, so a claimed probe is released.
    if (plan.probeId !== undefined) ports.breakers.report(subjectOf(plan, call), "neutral", { probeId: plan.probeId });
    return {
      ...identity(plan, id, startedAt),
      latencyMs: ports.clock.now() - startedAt,
      failure: reason,
      cost: ZERO_USD,
      costEstimated: false,
      servedTier: "standard",
      dropped: [...plan.dropped, ...dropped],
    };
  };

  const outputTokens = outputTokenBound(plan.request, model);
  const request = spend.limited ? { ...plan.request, maxOutputTokens: outputTokens } : plan.request;
  const encoded = plan.exchange.dialect.encodeRequest(request, plan.exchange.target);
  if (!encoded.ok) return refused(encoded.error);
  const whole = { ...candidate.params.extra, ...encoded.value.body };
  const { body: sent, dropped } = spend.limited ? withoutUnboundedTools(whole) : { body: whole, dropped: [] };
  const fitted = { ...encoded.value, dropped: [...encoded.value.dropped, ...dropped] };
  const body = wellFormedJson(sent);
  const unbounded = unboundedField(sent);
  const price = ports.prices.find(candidate.provider, candidate.model, new Date(startedAt));
  const books = await spend.open(
    id,
    {
      route: input.context.route,
      candidate: candidate.key,
      price,
      inputTokens: spend.limited ? inputTokenBound(request, encoder.encode(body).byteLength) : 0,
      outputTokens,
      choices: request.choices ?? 1,
      tier: tierOf(request.serviceTier),
      unbounded,
    },
    startedAt,
    (input.stream ? input.policy.timeouts.streamMs : input.policy.timeouts.attemptMs) + 60_000,
  );
  if ("class" in books) return refused(books, fitted.dropped);
  const open = { plan, call, id, startedAt, encoded: fitted, body, books, price, watchdog, sent: false };
  call.open.add(open);
  return open;
}

export interface AttemptEnd {
  readonly failure?: Failure | undefined;
  readonly status?: number | undefined;
  readonly firstByteMs?: number | undefined;
  readonly finish?: FinishReason | undefined;
  readonly servedTier?: string | undefined;
  /** The part of the request that the provider may bill. */
  readonly exposure: Exposure;
}

/** Settles the reservation, reports to the breaker, and returns the finished record. */
export function closeAttempt(open: OpenAttempt, end: AttemptEnd): Attempt {
  const { plan, call, id, startedAt, price } = open;
  call.open.delete(open);
  open.watchdog.stop();
  const servedTier = tierOf(end.servedTier);
  const { provider } = plan.contender.candidate;
  const bill = billOf(end.exposure, price, servedTier, (model) =>
    call.ports.prices.find(provider, model, new Date(startedAt)),
  );
  const reserved = open.books.close(bill);
  const usage = bill.type === "none" ? undefined : bill.usage;
  reportToBreaker(call.ports, subjectOf(plan, call), end.failure, plan.probeId);
  return {
    ...identity(plan, id, startedAt),
    latencyMs: call.ports.clock.now() - startedAt,
    firstByteMs: end.firstByteMs,
    status: end.status,
    failure: end.failure && withoutKey(end.failure, plan.exchange.apiKey),
    finish: end.finish,
    usage,
    cost: costOfBill(bill),
    reserved,
    costEstimated: usage?.estimated === true,
    servedTier,
    priceVersion: price?.version,
    dropped: [...plan.dropped, ...open.encoded.dropped],
  };
}

/** Closes an attempt after an error in the gateway's own code. */
export function breakOff(open: OpenAttempt, reason: Failure): Attempt {
  open.watchdog.abandon();
  return closeAttempt(open, { failure: reason, exposure: { type: open.sent ? "lost" : "unsent" } });
}

function identity(plan: AttemptPlan, id: string, startedAt: number) {
  const { candidate } = plan.contender;
  return { id, index: plan.index, provider: candidate.provider, model: candidate.model, rung: plan.rung, startedAt };
}

export function subjectOf(plan: Pick<AttemptPlan, "contender">, call: Pick<CallState, "input">): BreakerSubject {
  const { candidate } = plan.contender;
  return {
    route: call.input.context.route ?? call.input.context.lane,
    candidate: candidate.key,
    provider: candidate.provider,
  };
}

function reportToBreaker(
  ports: CallPorts,
  subject: BreakerSubject,
  reason: Failure | undefined,
  probeId: string | undefined,
): void {
  // An answer that arrived shows that the upstream is healthy, even if it is unusable: content never opens a breaker.
  const effect = reason === undefined || reason.class === "content_invalid" ? "success" : countsAgainstBreaker(reason);
  ports.breakers.report(subject, effect === "trip" ? "failure" : effect, {
    retryAfterMs: reason?.retryAfterMs,
    probeId,
    trip: effect === "trip" ? true : undefined,
  });
}

/** True for a finished record, as opposed to the other results of a step. */
export function isAttempt(value: object): value is Attempt {
  return "costEstimated" in value;
}
