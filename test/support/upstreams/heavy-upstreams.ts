/** Starts what the edge tests need, and beside it an upstream that answers with the recorded exchanges. */
import type { TestProject } from "vitest/node";
import { AnswerAssembler } from "../../../src/call/assemble.ts";
import { judge } from "../../../src/call/output.ts";
import { classify } from "../../../src/failure/classify.ts";
import type { Failure } from "../../../src/failure/failure.ts";
import { answerText, type ChatAnswer, type DialectName } from "../../../src/wire/chat.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { isEventStream, sseEventsIn } from "../../../src/wire/sse.ts";
import { failureIn } from "../../../src/wire/stream-event.ts";
import type { RecordedCall } from "../wire/recorded-call.ts";
import { type WireApi, type WireExchange, wireExchanges } from "../wire/wire-exchanges.ts";
import startEdge from "./edge-upstreams.ts";
import { startReplayUpstream } from "./replay-upstream.ts";

const DIALECTS: Partial<Record<WireApi, DialectName>> = {
  "chat.completions": "openai-chat",
  responses: "openai-responses",
  messages: "anthropic-messages",
  generateContent: "gemini",
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const exchanges = wireExchanges().filter(({ api }) => DIALECTS[api] !== undefined);
  const [closeEdge, upstream] = await Promise.all([startEdge(project), startReplayUpstream(exchanges)]);
  const calls = exchanges.map((exchange) => recorded(exchange, upstream.baseUrl(exchange)));
  project.provide("recordedCalls", calls);
  return async () => {
    await Promise.all([closeEdge(), upstream.close()]);
  };
}

function recorded(exchange: WireExchange, baseUrl: string): RecordedCall {
  const dialect = DIALECTS[exchange.api] ?? "openai-chat";
  const { answer, failure } = outcomeOf(exchange, dialect);
  const verdict = answer && judge(answer, undefined, "none", true);
  const refused = verdict?.ok ? verdict.refused : undefined;
  const [choice] = answer?.choices ?? [];
  return {
    key: exchange.key,
    dialect,
    stream: exchange.response.stream,
    baseUrl,
    text: choice ? answerText(choice) : "",
    calls: (choice?.content ?? []).flatMap((part) =>
      part.type === "tool-call" ? [{ name: part.name, arguments: part.arguments }] : [],
    ),
    input: answer?.usage?.input.total,
    output: answer?.usage?.output.total,
    reportedUsd: answer?.usage?.reportedUsd,
    unpriced: answer?.usage?.passes !== undefined || answer?.usage?.providerTools !== undefined,
    failureClass: (failure ?? refused ?? (verdict?.ok === false ? verdict.failure : undefined))?.class,
    refused: refused !== undefined,
  };
}

function outcomeOf(
  { response: { status, headers, text } }: WireExchange,
  name: DialectName,
): { readonly answer?: ChatAnswer; readonly failure?: Failure } {
  const dialect = upstreamDialect(name);
  const target = { provider: "p", model: "m", quirks: {} };
  if (status >= 300) return { failure: classify(dialect.decodeError(status, new Headers(headers), text, target, 0)) };
  if (!isEventStream(text)) {
    const decoded = dialect.decodeAnswer(parsed(text), target);
    return decoded.ok ? { answer: decoded.value } : { failure: decoded.error };
  }
  const decoder = dialect.streamDecoder(target);
  const assembler = new AnswerAssembler();
  for (const frame of [...sseEventsIn(text).map((event) => decoder.decode(event)), decoder.finish()]) {
    const failure = failureIn(frame);
    if (failure) return { failure, answer: assembler.answer() };
    for (const event of frame.events) assembler.add(event);
  }
  return { answer: assembler.answer() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
