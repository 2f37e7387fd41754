/**
 * Every recorded exchange of Anthropic, Gemini and the Responses API through its dialect, over a real socket, streams
 * whole and byte by byte; and one table over all recordings of all providers. Expectations are computed from the raw
 * payloads by other code (`raw-answers.ts`); outcomes that are no plain answer are written down here.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { classify } from "../../../src/failure/classify.ts";
import type { Failure, FailureClass, FailureReason } from "../../../src/failure/failure.ts";
import type { ChatAnswer, DialectName, ToolCallPart } from "../../../src/wire/chat.ts";
import { answerText } from "../../../src/wire/chat.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { type Cut, type ReplayUpstream, startReplayUpstream } from "../../support/upstreams/replay-upstream.ts";
import { skipWithoutCorpus } from "../../support/wire/corpus.ts";
import { type DecodedStream, decodeStream } from "../../support/wire/decoded-stream.ts";
import {
  flattened,
  payloads,
  type Reading,
  readAnthropic,
  readAnthropicStream,
  readGemini,
  readResponse,
  readResponseStream,
} from "../../support/wire/raw-answers.ts";
import { type WireApi, type WireExchange, wireExchanges } from "../../support/wire/wire-exchanges.ts";

const DIALECTS: Partial<Record<WireApi, DialectName>> = {
  messages: "anthropic-messages",
  generateContent: "gemini",
  responses: "openai-responses",
  "chat.completions": "openai-chat",
};

type Outcome = readonly [FailureClass, FailureReason?];
const INCOMPLETE: Outcome = ["network", "reset"];
const MALFORMED: Outcome = ["network", "malformed_response"];

/** Error answers, and 200 answers that hold none. */
const FAILURES: Record<string, Outcome> = {
  "anthropic/ant-404-gzip": ["bad_request", "model_not_found"],
  "anthropic/ant-auth-error": ["auth"],
  "anthropic/ant-effort-unsupported": ["bad_request", "unsupported_parameter"],
  "anthropic/ant-model-not-found": ["bad_request", "model_not_found"],
  "gemini/gem-404": ["bad_request", "model_not_found"],
  // Its violation names tokens per minute: room comes back.
  "gemini/gem-context-length": ["capacity_shed"],
  "gemini/gem-lcgo-error": ["auth"],
  // The candidate is empty and nothing says that it is whole.
  "gemini/gem-streaming-failure-empty-content": INCOMPLETE,
  "gemini/gem-streaming-failure-malformed-content": INCOMPLETE,
  // An error body without SSE framing says what it is.
  "gemini/gem-streaming-failure-http-error": ["auth"],
  // An event of another shape: a stream of no candidates.
  "gemini/gem-streaming-failure-invalid-json": INCOMPLETE,
  "gemini/gem-streaming-failure-prompt-blocked-safety": ["content_filter"],
  // A word that no one knows is no end an answer may be taken for whole at.
  "gemini/gem-streaming-failure-unknown-finish-enum": ["content_invalid", "unparseable"],
  // Named a success by its source; its last event is missing.
  "gemini/gem-streaming-success-quotes-escaped": INCOMPLETE,
  "gemini/gem-unary-failure-api-key-gai": ["auth"],
  "gemini/gem-unary-failure-iam-permission-denied": ["auth"],
  "gemini/gem-unary-failure-invalid-response": MALFORMED,
  "gemini/gem-unary-failure-only-prompt-feedback-gai": ["content_filter"],
  "gemini/gem-unary-failure-prompt-blocked-safety-with-message": ["content_filter"],
  "gemini/gem-unary-failure-quota-exceeded": ["capacity_shed"],
  "gemini/gem-unary-failure-unsupported-user-location": ["auth"],
  // Text without a finish reason: the same bytes as a stream would be a cut one.
  "gemini/gem-unary-success-missing-safety-ratings": INCOMPLETE,
  // The answer of countTokens, not of generateContent.
  "gemini/gem-unary-success-detailed-token-response": MALFORMED,
  "openai-compatible/deepseek-resp-400": ["bad_request"],
  "openai-compatible/xai-auth-error": ["auth"],
  "openai/oai-auth-error": ["auth"],
  "openai/oai-context-length": ["bad_request", "context_length"],
  "openai/oai-resp-api-error": ["bad_request", "model_not_found"],
  "openai/oai-resp-error": ["quota_exhausted"],
  "openai/oai-resp-error-stream": ["quota_exhausted"],
  "openai/oai-resp-http-error": ["bad_request"],
  // Two of its payloads lack their closing brace.
  "openai/oai-resp-parallel-wrapper": MALFORMED,
  "openai/oai-resp-temperature-error": ["bad_request", "unsupported_parameter"],
  "openai/oai-resp-thinking-modified-history#1": ["bad_request"],
  "openai/oai-responses-midstream-unknown-error": ["server_error"],
};

/** A stream whose recording left most of its text deltas out: what was sent counts, not what the last event repeats. */
const SHORTENED: Record<string, Partial<Reading>> = {
  "openai/oai-resp-phase": { text: "Got itHere are a few **AI" },
};

const FINISH: Record<string, string> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  refusal: "content-filter",
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  completed: "stop",
  max_output_tokens: "length",
  incomplete: "length",
};

function finishOf({ finish, calls }: Reading, api: WireApi): string {
  const unified = FINISH[finish ?? ""] ?? "other";
  // Only Anthropic has a word of its own for turns that end in calls.
  return api !== "messages" && unified === "stop" && calls.length > 0 ? "tool-calls" : unified;
}

function readWhole(api: WireApi, text: string): Reading {
  const body = JSON.parse(text);
  if (api === "messages") return readAnthropic(body);
  return api === "responses" ? readResponse(body) : readGemini([body]);
}

function readStream(api: WireApi, text: string): Reading {
  if (api === "messages") return readAnthropicStream(text);
  return api === "responses" ? readResponseStream(text) : readGemini(payloads(text));
}

function expectAnswer(answer: ChatAnswer, reading: Reading, api: WireApi): void {
  const [choice] = answer.choices;
  const content = choice?.content ?? [];
  const calls = content.filter((part): part is ToolCallPart => part.type === "tool-call");
  const thoughts = content.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  expect(choice ? answerText(choice) : "").toBe(reading.text);
  expect(thoughts.join("")).toBe(reading.reasoning);
  expect(calls.map(({ name }) => name)).toEqual(reading.calls.map(({ name }) => name));
  for (const [position, call] of calls.entries()) {
    const read = reading.calls[position];
    if (read?.id !== undefined) expect(call.id).toBe(read.id);
    expect(call.id).not.toBe("");
    expect(argumentsLike(call.arguments, read?.arguments)).toEqual(read?.arguments);
  }
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  expect(choice?.finish).toEqual({ unified: finishOf(reading, api), raw: reading.finish });
  const { usage } = answer;
  expect(usage?.input.total).toBe(reading.input);
  expect(usage?.output.total).toBe(reading.output);
  expect(usage?.input.cacheRead).toBe(reading.cacheRead);
  expect(usage?.output.reasoning).toBe(reading.reasoningTokens);
  expect(usage?.inconsistent).toBeUndefined();
}

/** Arguments in the form they were read in: free text, flattened by path, or a value. */
function argumentsLike(text: string, read: unknown): unknown {
  if (typeof read === "string") return text;
  const value: unknown = JSON.parse(text);
  const flat = typeof read === "object" && read !== null && Object.keys(read).some((key) => key.startsWith("$."));
  return flat ? flattened(value) : value;
}

/** Calls of upstreams that name neither their calls nor their answers have another id each time. */
const withoutDrawnIds = (told: unknown): unknown =>
  JSON.parse(JSON.stringify(told).replace(/call_[0-9a-f]{32}_/g, "call_"));

describe.skipIf(skipWithoutCorpus("recorded exchanges of all dialects", 241))("recorded exchanges", () => {
  const exchanges = wireExchanges();
  let upstream: ReplayUpstream;
  const table = new Map<string, string>();
  beforeAll(async () => {
    upstream = await startReplayUpstream(exchanges);
  });
  afterAll(async () => {
    await upstream.close();
    const samples = new Set(exchanges.map(({ file }) => file)).size;
    const rows = [...table].sort(([a], [b]) => a.localeCompare(b)).map(([key, what]) => `  ${key.padEnd(88)} ${what}`);
    console.log(`${table.size} exchanges of ${samples} recorded samples:\n${rows.join("\n")}`);
  });

  const named = (list: readonly WireExchange[]) => list.map((exchange) => [exchange.key, exchange] as const);
  const ours = exchanges.filter(({ api }) => api !== "chat.completions" && DIALECTS[api] !== undefined);
  const failing = ours.filter(({ key }) => FAILURES[key] !== undefined);
  const served = ours.filter(({ key }) => FAILURES[key] === undefined);

  it.each(named(served.filter(({ response }) => !response.stream)))("answer %s", async (_key, exchange) => {
    const outcome = await answered(exchange);
    if (!("choices" in outcome)) throw new Error(outcome.message);
    expectAnswer(outcome, readWhole(exchange.api, exchange.response.text), exchange.api);
  });

  it.each(named(served.filter(({ response }) => response.stream)))("stream %s", async (key, exchange) => {
    const whole = await streamed(exchange, "whole");
    expect(whole.failure).toBeUndefined();
    expect(whole.ended).toBe(true);
    const reading = { ...readStream(exchange.api, exchange.response.text), ...SHORTENED[key] };
    expectAnswer(whole.answer, reading, exchange.api);
    const inBytes = await streamed(exchange, "bytes");
    expect(withoutDrawnIds(inBytes.events)).toEqual(withoutDrawnIds(whole.events));
    expect(withoutDrawnIds(inBytes.frames)).toEqual(withoutDrawnIds(whole.frames));
  });

  it.each(named(failing))("failure %s", async (key, exchange) => {
    const failure = await failed(exchange, "whole");
    expect([failure?.class, failure?.reason]).toEqual([FAILURES[key]?.[0], FAILURES[key]?.[1]]);
    expect(failure?.message).not.toBe("");
    if (failure?.class !== "content_invalid") expect(failure?.status).toBe(exchange.response.status);
    if (exchange.response.stream) expect(await failed(exchange, "bytes")).toEqual(failure);
  });

  it("leaves nothing out of the table", async () => {
    for (const exchange of exchanges) await tell(exchange);
    expect(table.size).toBe(exchanges.length);
    expect([...table.values()].filter((what) => what === "not a chat exchange")).toHaveLength(1);
    expect([...table.values()].filter((what) => what.startsWith("no dialect"))).toHaveLength(2);
  });

  const ask = (exchange: WireExchange, cut: Cut) =>
    fetch(upstream.baseUrl(exchange, cut), { method: "POST", body: "{}" });

  function dialectOf({ api, key }: WireExchange) {
    const name = DIALECTS[api];
    if (name === undefined) throw new Error(`${key} belongs to no dialect`);
    const provider = { "anthropic-messages": "anthropic", gemini: "gemini" }[name as string] ?? "openai";
    return { dialect: upstreamDialect(name), target: { provider, model: "recorded", quirks: {} } };
  }

  async function answered(exchange: WireExchange): Promise<ChatAnswer | Failure> {
    const { dialect, target } = dialectOf(exchange);
    const response = await ask(exchange, "whole");
    const text = await response.text();
    if (!response.ok) return classify(dialect.decodeError(response.status, response.headers, text, target, Date.now()));
    const decoded = dialect.decodeAnswer(JSON.parse(text), target);
    return decoded.ok ? decoded.value : decoded.error;
  }

  async function streamed(exchange: WireExchange, cut: Cut): Promise<DecodedStream> {
    const { dialect, target } = dialectOf(exchange);
    const { body } = await ask(exchange, cut);
    if (!body) throw new Error("the replay has no body");
    return decodeStream(body, dialect.streamDecoder(target));
  }

  async function failed(exchange: WireExchange, cut: Cut): Promise<Failure | undefined> {
    if (exchange.response.stream && exchange.response.status < 400) return (await streamed(exchange, cut)).failure;
    const outcome = await answered(exchange);
    return "choices" in outcome ? undefined : outcome;
  }

  async function tell(exchange: WireExchange): Promise<void> {
    const { key, api, response } = exchange;
    if (api === "other") return void table.set(key, "not a chat exchange");
    // Cohere's own chat API is not a dialect of ours: no provider row speaks it, so nothing can be sent to it.
    if (DIALECTS[api] === undefined) return void table.set(key, `no dialect: ${api} (${response.status})`);
    if (response.stream && response.status < 400) {
      const { failure, answer } = await streamed(exchange, "whole");
      return void table.set(key, failure ? failureSummary(failure) : summary(answer));
    }
    const outcome = await answered(exchange);
    table.set(key, "choices" in outcome ? summary(outcome) : failureSummary(outcome));
  }
});

function summary({ choices, usage }: ChatAnswer): string {
  const [choice] = choices;
  if (!choice) return "no choice";
  const calls = choice.content.filter((part) => part.type === "tool-call").length;
  const tokens = usage ? `${usage.input.total}+${usage.output.total} tokens` : "no usage";
  return `${choice.finish.unified.padEnd(14)} ${String(answerText(choice).length).padStart(5)} chars, ${calls} calls, ${tokens}`;
}

function failureSummary({ class: failureClass, reason, status }: Failure): string {
  return `${status} → ${failureClass}${reason ? `/${reason}` : ""}`;
}
