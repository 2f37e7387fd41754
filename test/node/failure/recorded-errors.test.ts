import { afterAll, describe, expect, it } from "vitest";
import type { Failure } from "../../../src/failure/failure.ts";
import { corpusAvailable, corpusFiles, readJsonl, readText, skipWithoutCorpus } from "../../support/wire/corpus.ts";
import { judged } from "../../support/wire/decode-fixture.ts";

/** Class (and reason) each recorded error should have, from what the provider means by it. */
const EXPECTED: Readonly<Record<string, string>> = {
  "anthropic/ant-404-gzip": "bad_request model_not_found",
  "anthropic/ant-auth-error": "auth",
  "anthropic/ant-effort-unsupported": "bad_request unsupported_parameter",
  "anthropic/ant-model-not-found": "bad_request model_not_found",
  "gemini/gem-404": "bad_request model_not_found",
  // An oversized prompt that met the tokens-per-minute limit first: it says when to come back.
  "gemini/gem-context-length": "capacity_shed",
  "gemini/gem-lcgo-error": "auth",
  "gemini/gem-streaming-failure-http-error": "auth",
  "gemini/gem-unary-failure-api-key-gai": "auth",
  "gemini/gem-unary-failure-iam-permission-denied": "auth",
  "gemini/gem-unary-failure-quota-exceeded": "capacity_shed",
  "gemini/gem-unary-failure-unsupported-user-location": "auth",
  "openai/azure-auth-error": "auth",
  "openai/oai-404": "bad_request model_not_found",
  "openai/oai-auth-error": "auth",
  "openai/oai-client-error": "bad_request model_not_found",
  "openai/oai-context-length": "bad_request context_length",
  "openai/oai-model-not-found": "bad_request model_not_found",
  "openai/oai-reasoning-legacy-param-error": "bad_request unsupported_parameter",
  "openai/oai-resp-api-error": "bad_request model_not_found",
  "openai/oai-resp-error": "quota_exhausted",
  "openai/oai-resp-error-stream": "quota_exhausted",
  "openai/oai-resp-http-error": "bad_request",
  "openai/oai-resp-temperature-error": "bad_request unsupported_parameter",
  "openai/oai-resp-thinking-modified-history": "bad_request",
  "openai/oai-responses-midstream-unknown-error": "server_error",
  "openai/oai-system-role-refused": "bad_request unsupported_parameter",
  "openai/oai-web-search-unsupported": "bad_request unsupported_parameter",
  "openai-compatible/cohere-context-length": "bad_request context_length",
  "openai-compatible/deepseek-auth-error": "auth",
  "openai-compatible/deepseek-context-length": "bad_request context_length",
  "openai-compatible/deepseek-resp-400": "bad_request",
  "openai-compatible/groq-404": "bad_request model_not_found",
  "openai-compatible/groq-tool-use-failed": "content_invalid schema_violation",
  "openai-compatible/mistral-auth-error": "auth",
  "openai-compatible/ollama-cloud-context-length": "bad_request context_length",
  "openai-compatible/openrouter-429": "capacity_shed",
  "openai-compatible/openrouter-free-stream-httprr": "capacity_shed",
  "openai-compatible/perplexity-auth-error": "auth",
  "openai-compatible/perplexity-context-length": "bad_request context_length",
  "openai-compatible/xai-auth-error": "auth",
  "obs-ant-529": "capacity_shed",
  "obs-ant-midstream-overloaded": "capacity_shed",
  // The status says server error; the text says overload. Both are retried alike, and the status decides.
  "obs-ant-500-overloaded": "server_error",
  "obs-ant-400-image": "bad_request",
  "obs-ant-400-empty-text": "bad_request",
  "obs-ant-400-toolresult": "bad_request",
  "obs-openrouter-402": "quota_exhausted",
  "obs-deepseek-402": "quota_exhausted",
  "obs-openai-500": "server_error",
  "obs-openai-midstream-error": "server_error",
  "obs-gemini-503": "capacity_shed",
  "obs-gemini-compat-400-array": "bad_request",
  "obs-gemini-400-schema": "bad_request schema_too_complex",
  "obs-mistral-422": "bad_request unsupported_parameter",
  "obs-mistral-422-fields": "bad_request unsupported_parameter",
  "obs-openrouter-200-empty-error": "server_error",
  "obs-openrouter-resp-failed": "server_error",
  "obs-openai-429-azure-neg-headers": "capacity_shed",
  "obs-openai-429-quota": "quota_exhausted",
};

/** Observed answers that carry no error object: what they are is for the answer and stream decoders to see. */
const NO_ERROR_OBJECT = new Set(["obs-portkey-200-network-lost", "obs-sglang-empty-finish"]);

/** Waits that the recordings ask for, in milliseconds, at the time of recording. */
const RECORDED_AT = 1_754_667_650_000;
const WAITS: Readonly<Record<string, number>> = {
  "gemini/gem-context-length": 48_000,
  "openai-compatible/openrouter-free-stream-httprr": 10_000,
};

interface Recorded {
  readonly name: string;
  readonly provider: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

skipWithoutCorpus("recorded errors", Object.keys(EXPECTED).length);
const recorded = corpusAvailable ? [...wireErrors(), ...observedErrors()] : [];

describe.skipIf(!corpusAvailable)("recorded errors", () => {
  const lines: string[] = [];
  afterAll(() => console.log(lines.join("\n")));

  it("all have an expected class, and every expectation a recording", () => {
    expect([...new Set(recorded.map(({ name }) => name))].sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(recorded)("$name: $provider $status", (error) => {
    const failure = judged(error, RECORDED_AT);
    lines.push(line(error, failure));
    expect([failure.class, failure.reason].filter(Boolean).join(" ")).toBe(EXPECTED[error.name]);
    expect(failure.retryAfterMs).toBe(WAITS[error.name]);
    expect(failure.message).not.toBe("");
    expect(failure.message).not.toMatch(/key1234|invalid-key/);
  });
});

function line(error: Recorded, failure: Failure): string {
  const verdict = [failure.class, failure.reason].filter(Boolean).join(" ");
  return `${error.name.padEnd(52)} ${String(error.status).padEnd(4)} ${verdict.padEnd(34)} ${failure.message.slice(0, 60)}`;
}

/** Every exchange answered with an error status, every bare error body, and every error inside a stream. */
function wireErrors(): Recorded[] {
  const found: Recorded[] = [];
  for (const folder of ["anthropic", "gemini", "openai", "openai-compatible"]) {
    for (const file of corpusFiles("wire", folder)) {
      const name = `${folder}/${file.replace(/\.(json|sse|chunks\.txt)$/, "")}`;
      const text = readText("wire", folder, file);
      const provider = folder === "openai-compatible" || file.startsWith("azure") ? (file.split("-")[0] ?? "") : folder;
      if (file.endsWith(".json")) found.push(...fromJson(JSON.parse(text), name, provider));
      else found.push(...fromStream(text, name, provider));
    }
  }
  return found;
}

interface Exchange {
  readonly response: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body?: unknown;
    readonly body_text?: string;
  };
}

function fromJson(
  content: { exchanges?: Exchange[]; error?: { code?: unknown; type?: string } },
  name: string,
  provider: string,
): Recorded[] {
  if (content.exchanges) {
    return content.exchanges
      .filter(({ response }) => response.status >= 400)
      .map(({ response }) => ({ name, provider, ...response, body: response.body ?? response.body_text }));
  }
  if (!content.error) return [];
  const status =
    typeof content.error.code === "number"
      ? content.error.code
      : content.error.type === "insufficient_quota"
        ? 429
        : 400;
  return [{ name, provider, status, body: content }];
}

/** The first error of a stream; a stream request refused outright is a plain JSON body. */
function fromStream(text: string, name: string, provider: string): Recorded[] {
  if (text.trimStart().startsWith("{\n")) return fromJson(JSON.parse(text), name, provider);
  for (const row of text.split(/\r?\n/)) {
    const data = row.replace(/^data: ?/, "");
    if (!data.startsWith("{")) continue;
    const event = parsed(data);
    if (event.type === "error" || (event.error !== undefined && event.error !== null))
      return [{ name, provider, status: 200, body: event }];
  }
  return [];
}

/** Some recordings hold a cut or broken line on purpose: it carries no error object. */
function parsed(data: string): { type?: string; error?: unknown } {
  try {
    return JSON.parse(data) as { type?: string; error?: unknown };
  } catch {
    return {};
  }
}

interface Observed {
  readonly id: string;
  readonly provider: string;
  readonly where: "http" | "sse";
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

function observedErrors(): Recorded[] {
  return readJsonl<Observed>("wire", "errors-observed.jsonl")
    .filter(({ id }) => !NO_ERROR_OBJECT.has(id))
    .map(({ id, where, body, ...rest }) => {
      if (where === "http") return { name: id, ...rest, body };
      const data = /data: ({.*)/.exec(String(body))?.[1] ?? "";
      return { name: id, ...rest, body: JSON.parse(data) };
    });
}
