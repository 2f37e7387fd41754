/** An attempt whose answer is read whole. */
import type { Failure } from "../failure/failure.ts";
import type { ChatAnswer } from "../wire/chat.ts";
import { type AttemptEnd, type AttemptPlan, type CallState, closeAttempt, isAttempt, openAttempt } from "./attempt.ts";
import type { Attempt } from "./inference.ts";
import { readJson, send, upstreamRequest } from "./upstream.ts";
import { Watchdog } from "./watchdog.ts";

/** The record can only be closed once the answer was judged, so that it carries the verdict. */
export interface AnsweredAttempt {
  readonly answer: ChatAnswer;
  readonly close: (verdict: Failure | undefined) => Attempt;
}

export async function answerAttempt(plan: AttemptPlan, call: CallState): Promise<AnsweredAttempt | Attempt> {
  const watchdog = new Watchdog(call.ports.clock, call.input.signal);
  const open = await openAttempt(plan, call, watchdog);
  if (isAttempt(open)) {
    watchdog.stop();
    return open;
  }
  const { timeouts } = call.input.policy;
  watchdog.limit("attempt", open.startedAt + timeouts.attemptMs);
  watchdog.limit("call", call.deadline);

  const request = upstreamRequest(plan.exchange, open.encoded, open.body, watchdog.signal);
  const sent = await send(request, plan.exchange, watchdog, call.ports);
  const firstByteMs = call.ports.clock.now() - open.startedAt;
  if (!sent.ok) return closeAttempt(open, unsentEnd(sent.error, firstByteMs));
  const body = await readJson(sent.value, watchdog);
  const status = sent.value.status;
  if (!body.ok)
    return closeAttempt(open, { failure: body.error, status, firstByteMs, streamedBytes: 0, reached: "answer" });
  const decoded = plan.exchange.dialect.decodeAnswer(body.value, plan.exchange.target);
  if (!decoded.ok)
    return closeAttempt(open, {
      failure: decoded.error,
      status,
      firstByteMs,
      streamedBytes: 0,
      reached: "error_answer",
    });
  return {
    answer: decoded.value,
    close: (verdict) => closeAttempt(open, answeredEnd(decoded.value, verdict, status, firstByteMs)),
  };
}

function answeredEnd(
  answer: ChatAnswer,
  verdict: Failure | undefined,
  status: number,
  firstByteMs: number,
): AttemptEnd {
  return {
    failure: verdict,
    status,
    firstByteMs,
    finish: answer.choices[0]?.finish,
    usage: answer.usage,
    servedTier: answer.servedTier,
    streamedBytes: 0,
    reached: "answer",
  };
}

/** The end of an attempt that got no usable response. */
export function unsentEnd(
  error: { readonly failure: Failure; readonly answered: boolean },
  firstByteMs: number,
): AttemptEnd {
  const waited = error.failure.class === "canceled" || error.failure.reason === "timeout";
  return {
    failure: error.failure,
    status: error.failure.status,
    firstByteMs: error.answered ? firstByteMs : undefined,
    streamedBytes: 0,
    reached: error.answered ? "error_answer" : waited ? "sent" : "nothing",
  };
}
