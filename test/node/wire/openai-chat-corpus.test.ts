/**
 * Every recorded chat completion through the dialect, over a real socket. What an answer must hold is read from the raw
 * payloads here, by other and simpler code, except where the recording shows a fault: those cases are written down.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classify } from "../../../src/failure/classify.ts";
import type { Failure, FailureClass, FailureReason } from "../../../src/failure/failure.ts";
import { answerText, type ChatAnswer, type ToolCallPart } from "../../../src/wire/chat.ts";
import type { WireTarget } from "../../../src/wire/dialect.ts";
import { decodeError } from "../../../src/wire/openai-chat/error.ts";
import { streamDecoder } from "../../../src/wire/openai-chat/events.ts";
import { decodeAnswer } from "../../../src/wire/openai-chat/response.ts";
import { type Cut, type ReplayUpstream, startReplayUpstream } from "../../support/upstreams/replay-upstream.ts";
import { bytesOf } from "../../support/wire/byte-stream.ts";
import { skipWithoutCorpus } from "../../support/wire/corpus.ts";
import { type DecodedStream, decodeStream } from "../../support/wire/decoded-stream.ts";
import { observedErrors, type WireExchange, wireExchanges } from "../../support/wire/wire-exchanges.ts";

interface Reading {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: string | null;
  usage: Json | undefined;
}
// biome-ignore lint/suspicious/noExplicitAny: raw payloads are read without types, to stay independent of the decoders
type Json = any;

const exchanges = wireExchanges("chat.completions");
const target: WireTarget = { provider: "openai", model: "recorded", quirks: {} };

/** Provider of an exchange, as the provider table names it: the failure table depends on it. */
function providerOf({ key }: WireExchange): string {
  const name = key.replace(/^[^/]+\//, "").split("-")[0] ?? "";
  return name === "oai" ? "openai" : name;
}

/** Failures of the recorded errors, by key. */
const FAILURES: Record<string, readonly [FailureClass, FailureReason?]> = {
  "openai/azure-auth-error": ["auth"],
  "openai/oai-404": ["bad_request", "model_not_found"],
  "openai/oai-client-error": ["bad_request", "model_not_found"],
  "openai/oai-model-not-found": ["bad_request", "model_not_found"],
  "openai/oai-reasoning-legacy-param-error": ["bad_request", "unsupported_parameter"],
  "openai/oai-system-role-refused": ["bad_request", "unsupported_parameter"],
  "openai/oai-web-search-unsupported": ["bad_request", "unsupported_parameter"],
  "openai-compatible/deepseek-auth-error": ["auth"],
  "openai-compatible/deepseek-context-length": ["bad_request", "context_length"],
  "openai-compatible/groq-404": ["bad_request", "model_not_found"],
  "openai-compatible/groq-tool-use-failed#0": ["content_invalid", "schema_violation"],
  "openai-compatible/mistral-auth-error": ["auth"],
  "openai-compatible/ollama-cloud-context-length": ["bad_request", "context_length"],
  "openai-compatible/openrouter-429": ["capacity_shed"],
  "openai-compatible/openrouter-429#0": ["capacity_shed"],
  "openai-compatible/openrouter-429#1": ["capacity_shed"],
  "openai-compatible/openrouter-429#2": ["capacity_shed"],
  "openai-compatible/openrouter-free-stream-httprr#1": ["capacity_shed"],
  "openai-compatible/perplexity-auth-error": ["auth"],
  "openai-compatible/perplexity-context-length": ["bad_request", "context_length"],
};

/** Two recordings whose stream ends in a call and never says so. */
const REPAIRED: Record<string, Partial<Reading>> = {
  "openai-compatible/openrouter-kimi-tools-variant-a#0": { finish: "tool_calls" },
  "openai-compatible/openrouter-kimi-tools-variant-b#0": { finish: "tool_calls" },
};

function readAnswer(body: Json): Reading {
  // Azure leaves the message out of an answer that its filter withheld.
  const { message = {}, finish_reason } = body.choices[0];
  const parts = Array.isArray(message.content) ? message.content : [{ type: "text", text: message.content ?? "" }];
  return {
    text: parts.map((part: Json) => (part.type === "text" ? part.text : "")).join(""),
    reasoning:
      message.reasoning_content ??
      message.reasoning ??
      parts.flatMap((part: Json) => (part.thinking ?? []).map((inner: Json) => inner.text)).join(""),
    calls: (message.tool_calls ?? []).map((call: Json) => ({ id: call.id, ...call.function })),
    finish: finish_reason,
    usage: body.usage,
  };
}

function readStream(text: string): Reading {
  const reading: Reading = { text: "", reasoning: "", calls: [], finish: null, usage: undefined };
  for (const line of text.split(/\r?\n/)) {
    if (!line.trimStart().startsWith("data:") || line.includes("[DONE]")) continue;
    const chunk: Json = JSON.parse(line.trimStart().slice(5));
    reading.usage = chunk.usage ?? chunk.x_groq?.usage ?? reading.usage;
    for (const { index, delta, finish_reason } of chunk.choices ?? []) {
      if (index > 0) continue;
      reading.finish = finish_reason ?? reading.finish;
      reading.text += delta?.content ?? "";
      reading.reasoning +=
        delta?.reasoning_content ??
        delta?.reasoning ??
        (delta?.reasoning_details ?? []).map((detail: Json) => detail.text ?? detail.summary ?? "").join("");
      for (const [position, piece] of (delta?.tool_calls ?? []).entries()) {
        const at = piece.index ?? position;
        const call = reading.calls[at] ?? { id: "", name: "", arguments: "" };
        reading.calls[at] = call;
        call.id ||= piece.id ?? "";
        call.name ||= piece.function?.name ?? "";
        call.arguments += piece.function?.arguments ?? "";
      }
    }
  }
  return reading;
}

const FINISH: Record<string, string> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

function expectAnswer(answer: ChatAnswer, reading: Reading): void {
  const [choice] = answer.choices;
  if (!choice) throw new Error("the answer holds no choice");
  const calls = choice.content.filter((part): part is ToolCallPart => part.type === "tool-call");
  const thoughts = choice.content.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  expect(answerText(choice)).toBe(reading.text);
  expect(thoughts.join("")).toBe(reading.reasoning);
  expect(calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }))).toEqual(reading.calls);
  expect(choice.finish.unified).toBe(reading.finish === null ? "other" : FINISH[reading.finish]);
  expectUsage(answer, reading.usage);
}

/** Cached tokens are part of the prompt, reasoning part of the output, and both add up to the total the provider states. */
function expectUsage({ usage }: ChatAnswer, raw: Json): void {
  if (!raw) {
    expect(usage).toBeUndefined();
    return;
  }
  const reasoning = raw.completion_tokens_details?.reasoning_tokens;
  const cached = raw.prompt_tokens_details?.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.num_cached_tokens;
  expect(usage?.input.total).toBe(raw.prompt_tokens);
  expect(usage?.input.cacheRead).toBe(cached);
  expect(usage?.output.reasoning).toBe(reasoning);
  expect(usage?.output.total).toBe(raw.total_tokens - raw.prompt_tokens);
  expect(usage?.inconsistent).toBeUndefined();
  expect(usage?.raw).toEqual(raw);
}

describe.skipIf(skipWithoutCorpus("recorded chat completions", 97))("recorded chat completions", () => {
  let upstream: ReplayUpstream;
  const table: string[] = [];
  beforeAll(async () => {
    upstream = await startReplayUpstream(exchanges);
  });
  afterAll(async () => {
    await upstream.close();
    console.log(`${table.length} recorded chat completions:\n${table.sort().join("\n")}`);
  });

  const ask = (exchange: WireExchange, cut?: Cut) =>
    fetch(upstream.baseUrl(exchange, cut), { method: "POST", body: "{}" });
  const targetOf = (exchange: WireExchange): WireTarget => ({ ...target, provider: providerOf(exchange) });
  const tell = (exchange: WireExchange, what: string) => table.push(`  ${exchange.key.padEnd(62)} ${what}`);

  const failing = exchanges.filter(({ response }) => response.status >= 400);
  const whole = exchanges.filter(({ response }) => response.status < 400 && !response.stream);
  const streamed = exchanges.filter(({ response }) => response.status < 400 && response.stream);

  it.each(whole.map((exchange) => [exchange.key, exchange] as const))("answer %s", async (_key, exchange) => {
    const body: Json = await (await ask(exchange)).json();
    const decoded = decodeAnswer(body, targetOf(exchange));
    if (!decoded.ok) throw new Error(decoded.error.message);
    const answer = decoded.value;
    expectAnswer(answer, readAnswer(body));
    expect(answer.choices).toHaveLength(body.choices.length);
    expect(answer.model).toBe(body.model);
    tell(exchange, summary(answer));
  });

  it.each(streamed.map((exchange) => [exchange.key, exchange] as const))("stream %s", async (key, exchange) => {
    const decoded = await stream(exchange, "whole");
    expect(decoded.failure).toBeUndefined();
    expect(decoded.ended).toBe(true);
    expectAnswer(decoded.answer, { ...readStream(exchange.response.text), ...REPAIRED[key] });
    tell(exchange, summary(decoded.answer));
    const inBytes = await stream(exchange, "bytes");
    expect(inBytes.events).toEqual(decoded.events);
    expect(inBytes.frames).toEqual(decoded.frames);
  });

  it.each(failing.map((exchange) => [exchange.key, exchange] as const))("error %s", async (key, exchange) => {
    const response = await ask(exchange);
    const error = decodeError(response.status, response.headers, await response.text(), targetOf(exchange), Date.now());
    const failure = classify(error);
    expect([failure.class, failure.reason]).toEqual([FAILURES[key]?.[0], FAILURES[key]?.[1]]);
    expect(failure.message).not.toBe("");
    expect(failure.status).toBe(exchange.response.status);
    tell(exchange, failureSummary(failure));
  });

  async function stream(exchange: WireExchange, cut: Cut): Promise<DecodedStream> {
    const response = await ask(exchange, cut);
    if (!response.body) throw new Error("the replay has no body");
    return decodeStream(response.body, streamDecoder(targetOf(exchange)));
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

describe.skipIf(skipWithoutCorpus("streams seen in public reports", 3))("streams seen in public reports", () => {
  const seen = observedErrors().filter(({ where, provider }) => where === "sse" && provider !== "anthropic");
  const expected: Record<string, FailureClass> = {
    "obs-openai-midstream-error": "server_error",
    "obs-openrouter-200-empty-error": "server_error",
    // An empty finish reason is none: the stream was cut.
    "obs-sglang-empty-finish": "network",
  };
  it.each(seen.map((error) => [error.id, error] as const))(
    "%s fails and never ends well",
    async (id, { provider, body }) => {
      const decoded = await decodeStream(bytesOf(String(body)), streamDecoder({ ...target, provider }));
      expect(decoded.failure?.class).toBe(expected[id]);
      expect(decoded.ended).toBe(false);
    },
  );
});
