/** One logical call: the candidate ladder, the JSON ladder, retries by failure class, and the record of it all. */
import { type Failure, failure } from "../failure/failure.ts";
import { afterFailure, type Onward } from "../failure/policy.ts";
import type { ServedRung } from "../route/route.ts";
import { onlyItsModel } from "../wire/beyond-request.ts";
import type { ChatAnswer, ChatRequest } from "../wire/chat.ts";
import type { DroppedField } from "../wire/dialect.ts";
import { upstreamDialect } from "../wire/dialects.ts";
import type { WireFrame } from "../wire/stream-event.ts";
import { answerAttempt } from "./answer-attempt.ts";
import { answerToFrames } from "./assemble.ts";
import { type AttemptPlan, type CallState, isAttempt, subjectOf } from "./attempt.ts";
import type { CallInput, CallResult, StreamHead } from "./call.ts";
import { type Contender, contenderOf, hasLargerWindow, refusesRequest } from "./eligibility.ts";
import type { Attempt, Inference, Skip } from "./inference.ts";
import { InferenceLog } from "./inference-log.ts";
import { liveFrames, readyFrames } from "./live-stream.ts";
import { noCandidate } from "./no-candidate.ts";
import { judge, type Verdict } from "./output.ts";
import type { CallPorts } from "./ports.ts";
import { withCandidateParams, withoutPrefill } from "./request-shape.ts";
import { RetryLedger } from "./retry-budget.ts";
import { answersNeedChange, askingRungs, onRung, repairRequest } from "./rung.ts";
import { CallSpend } from "./spend.ts";
import { type BegunStream, beginStream, collectStream } from "./stream-attempt.ts";

/**
 * Serves one call from its declared candidates. Never rejects for anything an upstream, a caller or a limit does:
 * those are `failure` results. The inference is recorded once, when the call (for a stream: the stream) is over.
 */
export function executeCall(input: CallInput, ports: CallPorts): Promise<CallResult> {
  return new Execution(input, ports).run();
}

/** How one candidate ended: served, passed over, or failed with what that means for the rest of the ladder. */
type Step =
  | { readonly type: "served"; readonly result: CallResult }
  | { readonly type: "skipped"; readonly skip: Skip; readonly retryAfterMs?: number }
  | { readonly type: "failed"; readonly failure: Failure; readonly onward: "next" | "next-larger-window" | "stop" };

type Tried =
  | { readonly type: "served"; readonly result: CallResult }
  | { readonly type: "failed"; readonly failure: Failure };

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
    };
    this.#log = new InferenceLog(input, ports);
    this.#retries = new RetryLedger(input.policy.retry);
  }

  async run(): Promise<CallResult> {
    const contenders = this.#contenders();
    let last: Failure | undefined;
    let overflowed: Contender | undefined;
    let breakerRetryMs: number | undefined;
    for (const [position, contender] of contenders.entries()) {
      if (overflowed && !hasLargerWindow(contender, overflowed)) {
        this.#log.skipped.push({
          candidate: contender.candidate.key,
          why: "context_window",
          detail: "its window is not known to be larger",
        });
        continue;
      }
      const step = await this.#candidate(contender, position < contenders.length - 1);
      if (step.type === "served") return step.result;
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
    const reason = last ?? noCandidate(this.#log.skipped, this.#call.input, breakerRetryMs);
    return { type: "failure", failure: reason, inference: this.#log.finish({ failure: reason }) };
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
    const { input, ports } = this.#call;
    const { candidate, capabilities } = contender;
    if (input.dialectOf && !input.dialectOf(contender.provider.dialect)) {
      const detail = "its API has nothing of this kind";
      return { type: "skipped", skip: { candidate: candidate.key, why: "capability", detail } };
    }
    const asked = input.requestFor(candidate, capabilities);
    if ("class" in asked) return { type: "failed", failure: asked, onward: "stop" };
    const own = onlyItsModel(asked);
    let request = withCandidateParams(own.request, candidate, input.policy.serviceTier);
    const refusal = refusesRequest(contender, request);
    if (refusal) return { type: "skipped", skip: refusal };
    const rule = input.policy.output;
    const rungs: readonly ServedRung[] = rule ? askingRungs(rule, capabilities) : ["none"];
    if (rungs.length === 0) {
      const detail = `cannot be asked for this schema on any of: ${rule?.ladder.join(", ")}`;
      return { type: "skipped", skip: { candidate: candidate.key, why: "capability", detail } };
    }
    const admission = await ports.breakers.admit(subjectOf({ contender }, this.#call));
    if (!admission.admitted) {
      const detail = `breaker open for another ${Math.ceil(admission.retryAfterMs / 1000)} s`;
      return {
        type: "skipped",
        skip: { candidate: candidate.key, why: "breaker_open", detail },
        retryAfterMs: admission.retryAfterMs,
      };
    }

    let probeId = admission.probeId;
    let rungIndex = 0;
    let dropped = own.dropped;
    for (;;) {
      const tried = await this.#try(contender, rungs[rungIndex] ?? "none", request, probeId, dropped);
      if (tried.type === "served") return tried;
      probeId = undefined;
      const reason = tried.failure;
      if (reason.reason === "schema_too_complex" && rungIndex + 1 < rungs.length) {
        rungIndex += 1;
        continue;
      }
      const bare = reason.reason === "prefill_rejected" ? withoutPrefill(request) : undefined;
      if (bare) {
        request = bare;
        dropped = [...dropped, { field: "messages", why: "the assistant prefill was refused and left out" }];
        continue;
      }
      const onward = this.#after(reason);
      if (onward !== "retry-or-next") return { type: "failed", failure: reason, onward };
      const wait = this.#retries.take(reason, this.#remaining(), hasOther, ports.random);
      if (wait === undefined) return { type: "failed", failure: reason, onward: "next" };
      if (wait > 0) await ports.clock.sleep(wait, input.signal);
      if (input.signal.aborted)
        return { type: "failed", failure: failure("canceled", "the client closed the connection"), onward: "stop" };
    }
  }

  #after(reason: Failure): Onward {
    // Refused by our own encoder, nothing was sent: this candidate cannot take the request, another may.
    if (reason.class === "bad_request" && reason.status === undefined) return "next";
    if (reason.reason === "schema_too_complex") return "next";
    if (reason.class === "content_filter" && this.#call.input.policy.onContentFilter === "next") return "next";
    return afterFailure(reason);
  }

  #remaining(): number {
    return this.#call.deadline - this.#call.ports.clock.now();
  }

  #plan(
    contender: Contender,
    rung: ServedRung,
    request: ChatRequest,
    probeId: string | undefined,
    dropped: readonly DroppedField[],
  ): AttemptPlan {
    const { provider, candidate, apiKey } = contender;
    const other = this.#call.input.dialectOf?.(provider.dialect);
    const target = {
      provider: candidate.provider,
      model: candidate.model,
      // The path of a provider row is its chat path.
      quirks: other ? { ...provider.quirks, path: undefined } : provider.quirks,
      maxOutput: contender.model?.maxOutput,
    };
    const exchange = { provider, dialect: other ?? upstreamDialect(provider.dialect), target, apiKey };
    return { contender, exchange, rung, request, probeId, dropped, index: this.#log.attempts.length };
  }

  async #try(
    contender: Contender,
    rung: ServedRung,
    request: ChatRequest,
    probeId: string | undefined,
    dropped: readonly DroppedField[],
  ): Promise<Tried> {
    const { input } = this.#call;
    const shaped = { ...onRung(request, rung, input.policy.output, contender.provider.quirks), stream: input.stream };
    const plan = this.#plan(contender, rung, shaped, probeId, dropped);
    if (!input.stream) {
      const answered = await answerAttempt(plan, this.#call);
      return isAttempt(answered)
        ? this.#failed(answered)
        : this.#judged(contender, request, rung, answered.answer, answered.close);
    }
    const begun = await beginStream(plan, this.#call);
    if (isAttempt(begun)) return this.#failed(begun);
    const live =
      input.policy.stream === "live" && !answersNeedChange(rung, input.policy.output, contender.provider.quirks);
    if (!begun.ended && live) return this.#live(begun, rung);
    const collected = await collectStream(begun);
    if (isAttempt(collected)) return this.#failed(collected);
    return this.#judged(
      contender,
      request,
      rung,
      collected.answer,
      (verdict) => begun.source.close(verdict),
      collected.frames,
    );
  }

  #failed(attempt: Attempt): Tried {
    this.#log.attempts.push(attempt);
    return {
      type: "failed",
      failure: attempt.failure ?? failure("server_error", "the attempt ended without an answer"),
    };
  }

  /** A whole answer: serve it, repair it, or fail with what is wrong with it. */
  async #judged(
    contender: Contender,
    request: ChatRequest,
    rung: ServedRung,
    answer: ChatAnswer,
    close: (verdict: Failure | undefined) => Attempt,
    frames?: readonly WireFrame[],
  ): Promise<Tried> {
    const verdict = judge(answer, this.#call.input.policy.output, rung, true);
    const attempt = close(verdict.ok ? undefined : verdict.failure);
    this.#log.attempts.push(attempt);
    if (verdict.ok) return this.#serve(verdict, attempt, verdict.changed ? undefined : frames);
    const repaired = await this.#modelRepair(contender, request, answer, verdict);
    return repaired ?? { type: "failed", failure: verdict.failure };
  }

  /** The paid rung: the same candidate mends its own answer, once. Undefined where it does not apply or did not help. */
  async #modelRepair(
    contender: Contender,
    request: ChatRequest,
    answer: ChatAnswer,
    verdict: Extract<Verdict, { ok: false }>,
  ): Promise<Tried | undefined> {
    const rule = this.#call.input.policy.output;
    const reason = verdict.failure.reason;
    const mendable =
      verdict.failure.class === "content_invalid" && (reason === "unparseable" || reason === "schema_violation");
    if (!mendable || !rule?.ladder.includes("model_repair") || answer.choices.length !== 1 || this.#remaining() <= 0)
      return undefined;
    const plan = this.#plan(contender, "model_repair", repairRequest(request, rule, verdict), undefined, []);
    const answered = await answerAttempt(plan, this.#call);
    if (isAttempt(answered)) {
      this.#log.attempts.push(answered);
      return undefined;
    }
    const mended = judge(answered.answer, rule, "model_repair", true);
    const attempt = answered.close(mended.ok ? undefined : mended.failure);
    this.#log.attempts.push(attempt);
    return mended.ok ? this.#serve({ ...mended, rung: "model_repair" }, attempt, undefined) : undefined;
  }

  #serve(verdict: Extract<Verdict, { ok: true }>, attempt: Attempt, frames: readonly WireFrame[] | undefined): Tried {
    const inference = this.#log.finish({ served: attempt, rung: verdict.rung, conformant: verdict.conformant });
    if (!this.#call.input.stream) {
      return { type: "served", result: { type: "answer", answer: verdict.answer, output: verdict.output, inference } };
    }
    const ready = readyFrames(frames ?? answerToFrames(verdict.answer));
    const head = this.#head(attempt, verdict.rung);
    return { type: "served", result: { type: "stream", head, frames: ready, done: Promise.resolve(inference) } };
  }

  #live(begun: BegunStream, rung: ServedRung): Tried {
    const { plan } = begun.source.open;
    let onDone: (inference: Inference) => void = () => undefined;
    const done = new Promise<Inference>((resolve) => {
      onDone = resolve;
    });
    const frames = liveFrames(begun, this.#call.input.policy.output, rung, (end) => {
      this.#log.attempts.push(end.attempt);
      onDone(this.#log.finish({ served: end.attempt, rung, failure: end.failure, conformant: end.conformant }));
    });
    const { provider, model } = plan.contender.candidate;
    const dropped = [...plan.dropped, ...begun.source.open.encoded.dropped];
    const head: StreamHead = {
      inferenceId: this.#log.id,
      served: { provider, model },
      rung,
      attempts: this.#log.attempts.length + 1,
      dropped,
    };
    return { type: "served", result: { type: "stream", head, frames, done } };
  }

  #head(attempt: Attempt, rung: ServedRung): StreamHead {
    return {
      inferenceId: this.#log.id,
      served: { provider: attempt.provider, model: attempt.model },
      rung,
      attempts: this.#log.attempts.length,
      dropped: attempt.dropped,
    };
  }
}
