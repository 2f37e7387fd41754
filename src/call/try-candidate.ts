/**
 * Tries one candidate on one rung: sends, reads, judges, and lets the candidate repair its answer where the ladder
 * lists that.
 */
import { type Failure, failure } from "../failure/failure.ts";
import type { ServedRung } from "../route/route.ts";
import type { ChatAnswer, ChatRequest } from "../wire/chat.ts";
import { clientToolsFor, upstreamDialect } from "../wire/dialects.ts";
import type { WireFrame } from "../wire/stream-event.ts";
import { answerAttempt } from "./answer-attempt.ts";
import { type AttemptPlan, type CallState, isAttempt } from "./attempt.ts";
import type { CandidateState } from "./candidate-state.ts";
import type { Contender } from "./eligibility.ts";
import type { Attempt } from "./inference.ts";
import { type AnswerVerdict, judge } from "./output.ts";
import { answersNeedChange, onRung, repairRequest } from "./rung.ts";
import { type BegunStream, beginStream, collectStream } from "./stream-attempt.ts";

/**
 * `whole`: an answer that passed; `frames` are its own where nothing was changed. `live`: a stream that is still
 * running.
 */
export type Tried =
  | {
      readonly type: "whole";
      readonly verdict: Extract<AnswerVerdict, { ok: true }>;
      readonly attempt: Attempt;
      readonly frames: readonly WireFrame[] | undefined;
    }
  | { readonly type: "live"; readonly begun: BegunStream; readonly rung: ServedRung }
  | { readonly type: "failed"; readonly failure: Failure };

/** `attempts` collects the records of the call; every finished attempt is added. */
export async function tryCandidate(
  contender: Contender,
  { rungs: [rung], request, rule, dropped, probeId }: CandidateState,
  call: CallState,
  attempts: Attempt[],
): Promise<Tried> {
  const { policy, stream } = call.input;
  const { quirks } = contender.provider;
  const shaped = { ...onRung(request, rung, rule, quirks), stream };
  const plan = { ...planFor(contender, call, attempts.length, shaped), rung, request: shaped, dropped, probeId };
  const failed = (attempt: Attempt): Tried => {
    attempts.push(attempt);
    const unexplained = () => failure("server_error", "the attempt ended without an answer");
    return { type: "failed", failure: attempt.failure ?? unexplained() };
  };
  const judged = async (
    answer: ChatAnswer,
    close: (verdict: Failure | undefined) => Attempt,
    frames?: readonly WireFrame[],
  ): Promise<Tried> => {
    const verdict = judge(answer, rule, rung, true);
    const attempt = close(verdict.ok ? verdict.refused : verdict.failure);
    attempts.push(attempt);
    if (verdict.ok) return { type: "whole", verdict, attempt, frames: verdict.changed ? undefined : frames };
    const mended = await modelRepair(contender, request, answer, verdict, call, attempts);
    return mended ?? { type: "failed", failure: verdict.failure };
  };

  if (!stream) {
    const answered = await answerAttempt(plan, call);
    return isAttempt(answered) ? failed(answered) : await judged(answered.answer, answered.close);
  }
  const begun = await beginStream(plan, call, rule);
  if (isAttempt(begun)) return failed(begun);
  // A coached JSON answer may be inside a code fence that must be removed, so it is read whole.
  const live = policy.stream === "live" && rule === policy.output && !answersNeedChange(rung, rule, quirks);
  if (!begun.ended && live) return { type: "live", begun, rung };
  const collected = await collectStream(begun);
  if (isAttempt(collected)) return failed(collected);
  return await judged(collected.answer, (verdict) => begun.source.close(verdict), collected.frames);
}

/**
 * The paid rung: the same candidate repairs its own answer, once. Returns undefined where it does not apply or did not
 * help.
 */
async function modelRepair(
  contender: Contender,
  request: ChatRequest,
  answer: ChatAnswer,
  { failure: { class: failureClass, reason }, ...broken }: Extract<AnswerVerdict, { ok: false }>,
  call: CallState,
  attempts: Attempt[],
): Promise<Tried | undefined> {
  const rule = call.input.policy.output;
  const mendable = failureClass === "content_invalid" && (reason === "unparseable" || reason === "schema_violation");
  if (!mendable || !rule?.ladder.includes("model_repair") || answer.choices.length !== 1) return undefined;
  if (call.deadline <= call.ports.clock.now()) return undefined;
  const asking = { rung: "model_repair", request: repairRequest(request, rule, broken), dropped: [] } as const;
  const plan = { ...planFor(contender, call, attempts.length, asking.request), ...asking, probeId: undefined };
  const answered = await answerAttempt(plan, call);
  if (isAttempt(answered)) {
    attempts.push(answered);
    return undefined;
  }
  const verdict = judge(answered.answer, rule, "model_repair", true);
  const attempt = answered.close(verdict.ok ? undefined : verdict.failure);
  attempts.push(attempt);
  if (!verdict.ok) return undefined;
  return { type: "whole", verdict: { ...verdict, rung: "model_repair" }, attempt, frames: undefined };
}

function planFor(
  contender: Contender,
  { input }: CallState,
  index: number,
  request: ChatRequest,
): Pick<AttemptPlan, "contender" | "exchange" | "index"> {
  const { provider, candidate, apiKey } = contender;
  const other = input.dialectOf?.(provider.dialect);
  const target = {
    provider: candidate.provider,
    model: candidate.model,
    // The path of a provider row is the path for chat.
    quirks: other ? { ...provider.quirks, path: undefined } : provider.quirks,
    maxOutput: contender.model?.maxOutput,
    facts: contender.model?.facts,
    clientTools: clientToolsFor(provider.dialect, request, provider).tools,
  };
  return {
    contender,
    exchange: { provider, dialect: other ?? upstreamDialect(provider.dialect), target, apiKey },
    index,
  };
}
