/** From the engine's result to an HTTP answer, whatever dialect the client speaks. */
import type { CallResult } from "../../src/call/call.ts";
import { type Attempt, type Inference, wasSent } from "../../src/call/inference.ts";
import type { Failure } from "../../src/failure/failure.ts";
import { httpError } from "../../src/failure/http.ts";
import { nanoToUsdText } from "../../src/money/nano-usd.ts";
import type { ChatRequest } from "../../src/wire/chat.ts";
import type { ErrorDetails, IngressDialect, ServedContext } from "../../src/wire/dialect.ts";
import { HttpFault } from "../http/fault.ts";
import type { KeepAnswer } from "./keep-answer.ts";
import { StreamNotes, sseBody } from "./sse-body.ts";
import { type UnreadBodyOptions, unreadBody } from "./unread-body.ts";

type Answered = Extract<CallResult, { type: "answer" }>;
type Streamed = Extract<CallResult, { type: "stream" }>;
type Failed = Extract<CallResult, { type: "failure" }>;

/** `x-modelrig-*` headers of a finished call. */
export function answerHeaders(inference: Inference, lost: readonly string[] = []): Record<string, string> {
  const { served, rung, cost } = inference;
  return {
    "x-modelrig-inference-id": inference.id,
    ...(served && { "x-modelrig-served": `${served.provider}/${served.model}` }),
    ...(rung && { "x-modelrig-rung": rung }),
    "x-modelrig-attempts": String(inference.attempts.filter(wasSent).length),
    ...(cost !== undefined && { "x-modelrig-cost-usd": nanoToUsdText(cost) }),
    ...droppedHeader([...(inference.attempts.at(-1)?.dropped ?? []).map(({ field }) => field), ...lost]),
    ...(served && inference.failure && { "x-modelrig-failure-class": inference.failure.class }),
    ...(inference.simulated && { "x-modelrig-simulated": "true" }),
  };
}

export function servedContext(
  inferenceId: string,
  model: string,
  { startedAt, includeUsage, asked, now, keep }: Omit<AnswerOptions, "keepAliveMs">,
  lost: (field: string) => void,
): ServedContext {
  const created = Math.floor(startedAt / 1000);
  const kept = keep && { previous: keep.previous };
  return { id: inferenceId, model, created, includeUsage, asked, kept, now: () => Math.floor(now() / 1000), lost };
}

/** How an answer is told to this client. */
interface AnswerOptions {
  readonly includeUsage: boolean;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly now: () => number;
  /** The client's request, where it was in the dialect of the answer. */
  readonly asked?: ChatRequest | undefined;
  readonly keep?: KeepAnswer | undefined;
}

/** The call's id in the header that the dialect's own clients read, where they read one. */
function idHeaders({ idHeader }: Pick<IngressDialect, "idHeader">, id: string): Record<string, string> {
  return idHeader === undefined ? {} : { [idHeader]: id };
}

export function failureResponse(result: Failed, ingress: Pick<IngressDialect, "encodeError" | "idHeader">): Response {
  const { failure, inference } = result;
  const { status, headers } = httpError(failure);
  return Response.json(ingress.encodeError(failure, errorDetails(inference)), {
    status,
    headers: { ...answerHeaders(inference), ...idHeaders(ingress, inference.id), ...headers },
  });
}

export function errorDetails(inference: Inference): ErrorDetails {
  return { inferenceId: inference.id, attempts: inference.attempts.filter(wasSent).map(attemptSummary) };
}

/** A failure where no call was made that could be told of. */
export function failureFault(reason: Failure): HttpFault {
  const { status, code, headers } = httpError(reason);
  return new HttpFault(status, { ...reason, code: reason.code ?? code }, headers);
}

export async function answerResponse(
  result: Answered,
  ingress: IngressDialect,
  options: AnswerOptions,
): Promise<Response> {
  const { answer, inference } = result;
  const model = inference.served?.model ?? answer.model ?? "";
  const lost: string[] = [];
  const body = ingress.encodeAnswer(
    answer,
    servedContext(inference.id, model, options, (field) => lost.push(field)),
  );
  const told = options.keep ? { ...body, store: await options.keep.store(body) } : body;
  return Response.json(told, { headers: { ...answerHeaders(inference, lost), ...idHeaders(ingress, inference.id) } });
}

export interface StreamOptions extends AnswerOptions {
  readonly keepAliveMs: number;
}

export const EVENT_STREAM = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
};

/** The cost of a live stream is known only after its end, so no header names it. */
export function streamResponse(
  result: Streamed,
  ingress: IngressDialect,
  options: StreamOptions & Pick<UnreadBodyOptions, "background"> & { readonly simulated: boolean },
): Response {
  const { head, frames, unread, done } = result;
  const { background, keepAliveMs, keep } = options;
  const notes = new StreamNotes();
  const encoder = ingress.streamEncoder(servedContext(head.inferenceId, head.served.model, options, notes.add));
  const details = async () => errorDetails(await done);
  const body = unread
    ? unreadBody(unread, { encoder, errorDetails: details, background })
    : sseBody(frames, encoder, { errorDetails: details, keepAliveMs, notes, keep });
  return new Response(body, {
    headers: {
      ...EVENT_STREAM,
      "x-modelrig-inference-id": head.inferenceId,
      ...idHeaders(ingress, head.inferenceId),
      "x-modelrig-served": `${head.served.provider}/${head.served.model}`,
      ...(head.rung && { "x-modelrig-rung": head.rung }),
      "x-modelrig-attempts": String(head.attempts),
      ...(head.cost !== undefined && { "x-modelrig-cost-usd": nanoToUsdText(head.cost) }),
      ...(head.failure && { "x-modelrig-failure-class": head.failure.class }),
      ...droppedHeader(head.dropped.map(({ field }) => field)),
      ...(options.simulated && { "x-modelrig-simulated": "true" }),
    },
  });
}

/** What an error answer says of each attempt: enough to see why, nothing of the content. */
function attemptSummary(attempt: Attempt): Record<string, unknown> {
  const { provider, model, rung, status, latencyMs, failure } = attempt;
  return {
    provider,
    model,
    rung,
    status,
    latency_ms: Math.round(latencyMs),
    failure_class: failure?.class,
    reason: failure?.reason,
    message: failure?.message,
  };
}

/** Longest value of the header, so that a body full of unknown fields cannot make headers no client reads. */
const MAX_DROPPED = 1_000;

/** Names may be the client's own, any text at all: what is no plain word is percent-encoded. */
function droppedHeader(dropped: readonly string[]): Record<string, string> {
  if (dropped.length === 0) return {};
  const names = [...new Set(dropped.map(headerWord))];
  let value = "";
  for (const [index, name] of names.entries()) {
    const longer = index === 0 ? name : `${value}, ${name}`;
    if (longer.length > MAX_DROPPED) return { "x-modelrig-dropped": `${value}${index === 0 ? "" : ", "}...` };
    value = longer;
  }
  return { "x-modelrig-dropped": value };
}

function headerWord(field: string): string {
  return field.toWellFormed().replace(/[^\w.[\]$-]/gu, (character) => encodeURIComponent(character));
}
