/** An attempt whose answer is read whole. */
import type { Failure, Result } from "../failure/failure.ts";
import type { Exposure } from "../money/exposure.ts";
import type { ChatAnswer } from "../wire/chat.ts";
import { answerIn, jsonBeside } from "./answer-body.ts";
import {
  type AttemptEnd,
  type AttemptPlan,
  type CallState,
  closeAttempt,
  isAttempt,
  type OpenAttempt,
  openAttempt,
} from "./attempt.ts";
import type { Attempt } from "./inference.ts";
import { Watchdog } from "./time/watchdog.ts";
import { readBody, type SendFailure, send, upstreamRequest } from "./upstream.ts";

/** The record is closed only after the answer was judged, so that it contains the verdict. */
interface AnsweredAttempt {
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
  open.sent = true;
  const sent = await send(request, plan.exchange, watchdog, call.ports);
  const firstByteMs = call.ports.clock.now() - open.startedAt;
  if (!sent.ok) return closeAttempt(open, unansweredEnd(sent.error, firstByteMs));
  const read = await readAnswer(open, sent.value);
  const { status } = sent.value;
  if (!read.ok) return closeAttempt(open, { ...read.error, status, firstByteMs });
  const answer = read.value;
  const { usage, servedTier } = answer;
  const finish = answer.choices[0]?.finish;
  const exposure: Exposure = { type: "answered", usage, hasContent: hasContent(answer) };
  return {
    answer,
    close: (failure) => closeAttempt(open, { failure, status, firstByteMs, finish, servedTier, exposure }),
  };
}

/** Reads a whole answer. An unusable answer is billed by the usage in it; without usage its bill is unknown. */
async function readAnswer(
  open: OpenAttempt,
  response: Response,
): Promise<Result<ChatAnswer, { readonly failure: Failure; readonly exposure: Exposure }>> {
  const { dialect, target } = open.plan.exchange;
  const body = await readBody(response, open.watchdog);
  if (!body.ok) return { ok: false, error: { failure: body.error, exposure: { type: "lost" } } };
  const decoded = answerIn(body.value, response.status, open.plan.exchange);
  if (decoded.ok) return decoded;
  const json = jsonBeside(body.value);
  const usage = dialect.usageOf(json, target);
  // The provider had begun to answer before it reported an error inside the stream.
  const refused = decoded.error.class !== "network" && json !== undefined;
  const exposure: Exposure =
    usage === undefined ? { type: refused ? "refused" : "lost" } : { type: "answered", usage, hasContent: !refused };
  return { ok: false, error: { failure: decoded.error, exposure } };
}

function hasContent({ choices }: ChatAnswer): boolean {
  return choices.some(({ content }) =>
    content.some((part) => (part.type === "text" ? part.text !== "" : part.type === "tool-call")),
  );
}

/** Ends an attempt that got no usable response. */
export function unansweredEnd({ failure, answered, exposure }: SendFailure, firstByteMs: number): AttemptEnd {
  return { failure, status: failure.status, firstByteMs: answered ? firstByteMs : undefined, exposure };
}
