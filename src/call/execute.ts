/** Executes one logical call: the candidate ladder, the JSON ladder, retries by failure class, and the record. */
import { type Failure, failure } from "../failure/failure.ts";
import type { ServedRung } from "../route/route.ts";
import { onlyItsModel } from "../wire/fit/beyond-request.ts";
import { answerToFrames } from "./assemble.ts";
import { breakOff, type CallState, subjectOf } from "./attempt.ts";
import type { CallInput, CallResult, StreamHead } from "./call.ts";
import { afterAttempt, type CandidateState, RetryLedger } from "./candidate-state.ts";
import { type Contender, contenderOf, hasLargerWindow, refusesRequest } from "./eligibility.ts";
import type { Inference, Skip } from "./inference.ts";
import { InferenceLog } from "./inference-log.ts";
import { liveFrames, readyFrames, unreadStream } from "./live-stream.ts";
import { noCandidate } from "./no-candidate.ts";
import type { CallPorts } from "./ports.ts";
import { withCandidateParams } from "./request-shape.ts";
import { askingRungs, jsonRule } from "./rung.ts";
import { CallSpend } from "./spend.ts";
import { type Tried, tryCandidate } from "./try-candidate.ts";

/**
 * Serves one call from its declared candidates. Failures of upstreams, callers and limits are `failure` results and
 * never reject. The inference is recorded once, when the call (for a stream: the stream) is over. An error in the
 * gateway's own code rejects, after the attempt was closed and the inference recorded.
 */
export async function executeCall(input: CallInput, ports: CallPorts): Promise<CallResult> {
  const execution = new Execution(input, ports);
  try {
    return await execution.run();
  } catch (error) {
    execution.breakOff(error);
    throw error;
  }
}

type Whole = Extract<Tried, { type: "whole" }>;
type Served = { readonly type: "served"; readonly result: CallResult };

/** Result of one candidate: served, skipped, or failed together with what that means for the rest of the ladder. */
type Step =
  | Served
  | { readonly type: "refused"; readonly tried: Whole }
  | { readonly type: "skipped"; readonly skip: Skip; readonly retryAfterMs?: number }
  | { readonly type: "failed"; readonly failure: Failure; readonly onward: "next" | "next-larger-window" | "stop" };

class Execution {
  readonly #call: CallState;
  readonly #log: InferenceLog;
  readonly #retries: RetryLedger;

  constructor(input: CallInput, ports: CallPorts) {
    this.#call = {
      input,
      ports,
      spend: new CallSpend(input.budget, ports.envelopes, input.policy.allowUnpriced),
      deadline: ports.clock.now() + input.policy.timeouts.callMs,
      open: new Set(),
    };
    this.#log = new InferenceLog(input, ports);
    this.#retries = new RetryLedger(input.policy.retry);
  }

  async run(): Promise<CallResult> {
    const contenders = this.#contenders();
    let last: Failure | undefined;
    let overflowed: Contender | undefined;
    let breakerRetryMs: number | undefined;
    let refused: Whole | undefined;
    for (const [position, contender] of contenders.entries()) {
      if (overflowed && !hasLargerWindow(contender, overflowed)) {
        const detail = "its window is not known to be larger";
        this.#log.skipped.push({ candidate: contender.candidate.key, why: "context_window", detail });
        continue;
      }
      const step = await this.#candidate(contender, position < contenders.length - 1);
      if (step.type === "served") return step.result;
      if (step.type === "refused") {
        refused ??= step.tried;
        continue;
      }
      if (step.type === "skipped") {
        this.#log.skipped.push(step.skip);
        if (step.retryAfterMs !== undefined)
          breakerRetryMs = Math.min(breakerRetryMs ?? step.retryAfterMs, step.retryAfterMs);
        continue;
      }
      last = step.failure;
      if (step.onward === "next-larger-window") overflowed = contender;
      if (step.onward === "stop" || this.#remaining() <= 0) break;
    }
    // The first candidate refused and no other answered: its refusal is an answer, a later error is not.
    if (refused) return this.#serve(refused).result;
    const reason = last ?? noCandidate(this.#log.skipped, this.#call.input, breakerRetryMs);
    return { type: "failure", failure: reason, inference: this.#log.finish({ failure: reason }) };
  }

  /** Closes what is open and records the call after an error in our own code. */
  breakOff(error: unknown): void {
    const kind = error instanceof Error ? error.name : typeof error;
    const reason = failure("server_error", `the gateway failed while it served the call (${kind})`, {
      code: "internal_error",
    });
    for (const open of this.#call.open) this.#log.attempts.push(breakOff(open, reason));
    if (!this.#log.finished) this.#log.finish({ failure: reason });
  }

  #contenders(): Contender[] {
    const { input, ports } = this.#call;
    const contenders: Contender[] = [];
    for (const candidate of input.policy.candidates) {
      const contender = contenderOf(candidate, input.policy, ports);
      if ("why" in contender) this.#log.skipped.push(contender);
      else contenders.push(contender);
    }
    return contenders;
  }

  async #candidate(contender: Contender, hasOther: boolean): Promise<Step> {
    const prepared = this.#prepared(contender);
    if ("type" in prepared) return prepared;
    const { ports, input } = this.#call;
    const admission = await ports.breakers.admit(subjectOf({ contender }, this.#call));
    if (!admission.admitted) {
      const { retryAfterMs } = admission;
      const detail = `breaker open for another ${Math.ceil(retryAfterMs / 1000)} s`;
      return {
        type: "skipped",
        skip: { candidate: contender.candidate.key, why: "breaker_open", detail },
        retryAfterMs,
      };
    }
    let state: CandidateState = { ...prepared, probeId: admission.probeId };
    for (;;) {
      const tried = await tryCandidate(contender, state, this.#call, this.#log.attempts);
      const next = hasOther && input.policy.onContentFilter === "next";
      if (tried.type === "whole" && tried.verdict.refused && next) return { type: "refused", tried };
      if (tried.type !== "failed") return this.#serve(tried);
      const after = afterAttempt(state, tried.failure, input.policy.onContentFilter);
      if (after.type === "done") return { type: "failed", failure: tried.failure, onward: after.onward };
      state = after.state;
      if (after.type === "ask") continue;
      const wait = this.#retries.take(tried.failure, this.#remaining(), hasOther, ports.random);
      if (wait === undefined) return { type: "failed", failure: tried.failure, onward: "next" };
      if (wait > 0) await ports.clock.sleep(wait, input.signal);
      if (input.signal.aborted)
        return { type: "failed", failure: failure("canceled", "the client closed the connection"), onward: "stop" };
    }
  }

  /** Returns the request for this candidate, or why it cannot take it. */
  #prepared(contender: Contender): Omit<CandidateState, "probeId"> | Exclude<Step, Served | { type: "refused" }> {
    const { input } = this.#call;
    const { candidate, capabilities } = contender;
    const skipped = (skip: Skip) => ({ type: "skipped", skip }) as const;
    const incapable = (detail: string) => skipped({ candidate: candidate.key, why: "capability", detail });
    if (input.dialectOf && !input.dialectOf(contender.provider.dialect))
      return incapable("its API has nothing of this kind");
    const asked = input.requestFor(candidate, capabilities);
    if ("class" in asked) return { type: "failed", failure: asked, onward: "stop" };
    const { request: own, dropped } = onlyItsModel(asked);
    const request = withCandidateParams(own, candidate, input.policy.serviceTier);
    const refusal = refusesRequest(contender, request);
    if (refusal) return skipped(refusal);
    const rule = input.policy.output ?? jsonRule(request, contender.provider.dialect, capabilities);
    const [first, ...others]: readonly ServedRung[] = rule ? askingRungs(rule, capabilities) : ["none"];
    if (first === undefined) return incapable(`cannot be asked for this schema on any of: ${rule?.ladder.join(", ")}`);
    return { rungs: [first, ...others], request, rule, dropped };
  }

  #remaining(): number {
    return this.#call.deadline - this.#call.ports.clock.now();
  }

  #serve(tried: Exclude<Tried, { type: "failed" }>): Served {
    if (tried.type === "live") return { type: "served", result: this.#live(tried) };
    const { verdict, attempt, frames } = tried;
    const { rung, conformant, refused } = verdict;
    const inference = this.#log.finish({ served: attempt, rung, conformant, failure: refused });
    if (!this.#call.input.stream) {
      const { answer, output } = verdict;
      return { type: "served", result: { type: "answer", answer, output, inference } };
    }
    const head: StreamHead = {
      inferenceId: this.#log.id,
      served: { provider: attempt.provider, model: attempt.model },
      rung,
      attempts: this.#log.attempts.length,
      dropped: attempt.dropped,
      cost: inference.cost,
      failure: refused,
    };
    const ready = readyFrames(frames ?? answerToFrames(verdict.answer));
    return { type: "served", result: { type: "stream", head, frames: ready, done: Promise.resolve(inference) } };
  }

  #live({ begun, rung }: Extract<Tried, { type: "live" }>): CallResult {
    const { plan, encoded } = begun.source.open;
    let onDone: (inference: Inference) => void = () => undefined;
    const done = new Promise<Inference>((resolve) => {
      onDone = resolve;
    });
    const frames = liveFrames(begun, this.#call.input.policy.output, rung, (end) => {
      this.#log.attempts.push(end.attempt);
      onDone(this.#log.finish({ served: end.attempt, rung, failure: end.failure, conformant: end.conformant }));
    });
    const { provider, model } = plan.contender.candidate;
    const head: StreamHead = {
      inferenceId: this.#log.id,
      served: { provider, model },
      rung,
      attempts: this.#log.attempts.length + 1,
      dropped: [...plan.dropped, ...encoded.dropped],
    };
    const unread = begun.readFor === undefined ? unreadStream(begun, frames, this.#call.ports.clock) : undefined;
    return { type: "stream", head, frames, unread, done };
  }
}
