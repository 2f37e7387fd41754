import { describe, expect, it } from "vitest";
import { CLASSIFICATION } from "../../../src/failure/classification-table.ts";
import { classificationRow } from "../../../src/failure/classify.ts";
import { STRUCTURED } from "../../../src/failure/structured-rows.ts";
import { PROVIDER_ERRORS } from "../../fixtures/provider-errors.ts";
import { decoded, judged } from "../../support/wire/decode-fixture.ts";

const error = (message: string, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", code },
});

describe("the class of a provider's error", () => {
  it.each(PROVIDER_ERRORS)("$kind", (fixture) => {
    const failure = judged(fixture);
    expect({ class: failure.class, reason: failure.reason }).toEqual({ class: fixture.class, reason: fixture.reason });
    expect(failure.status).toBe(fixture.status);
    expect(failure.retryAfterMs).toBe(fixture.retryAfterMs);
    expect(failure.message).not.toBe("");
    expect(failure.message).not.toContain("TEXT OF THE CALLER");
  });
});

describe("the table", () => {
  it("has no row that nothing reaches", () => {
    const reached = new Set(PROVIDER_ERRORS.map((fixture) => classificationRow(decoded(fixture))));
    expect(CLASSIFICATION.filter((row) => !reached.has(row)).map(({ kind }) => kind)).toEqual([]);
  });

  it("reads a message only from its beginning and never a number in it", () => {
    for (const { message } of CLASSIFICATION) {
      if (!message) continue;
      expect(message.source.startsWith("^(?:")).toBe(true);
      expect(message.source).not.toMatch(/\d{2,}/);
    }
  });

  it("lets no message decide before every structured row had its turn", () => {
    for (const row of STRUCTURED) if (row.message) expect(row.word).toBeDefined();
  });
});

describe("bugs of other gateways", () => {
  it("LiteLLM 34954: a retry delay that holds 403 does not make a 429 an auth error", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "18.403470473s" }];
    const body = {
      error: { code: 429, message: "Please retry in 18.403470473s.", status: "RESOURCE_EXHAUSTED", details },
    };
    const failure = judged({ provider: "gemini", status: 429, body });
    expect(failure.class).toBe("capacity_shed");
    expect(failure.retryAfterMs).toBe(18_404);
  });

  it("LiteLLM 36705: a token id of 429 echoed in a 400 does not make it a rate limit", () => {
    const failure = judged({
      provider: "openai",
      status: 400,
      body: error("Invalid logit_bias: token 429 is out of range"),
    });
    expect(failure.class).toBe("bad_request");
  });

  it("LiteLLM 27915: a field called rate_limit does not make a 400 a rate limit", () => {
    const failure = judged({
      provider: "openai",
      status: 400,
      body: error("Unknown field: rate_limit_exceeded in metadata"),
    });
    expect(failure.class).toBe("bad_request");
  });

  it("G023: a quota error after response.created is a quota error, in either of its two events", () => {
    const inner = {
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota",
    };
    expect(
      judged({ provider: "openai", status: 200, body: { type: "error", sequence_number: 2, error: inner } }).class,
    ).toBe("quota_exhausted");
    expect(judged({ provider: "openai", status: 200, body: { status: "failed", error: inner } }).class).toBe(
      "quota_exhausted",
    );
  });

  it("G051: a parameter error inside a 200 is the caller's, whichever model it came from", () => {
    for (const message of ["Unsupported parameter: 'max_tokens' is not supported with this model.", "Invalid value"]) {
      expect(judged({ provider: "openai", status: 200, body: error(message) }).class).toBe("bad_request");
    }
  });

  it("G059: a provider's 400 about a tool schema stays a 400", () => {
    const message =
      "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0]'";
    const failure = judged({
      provider: "gemini",
      status: 400,
      body: { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
    });
    expect({ class: failure.class, reason: failure.reason }).toEqual({
      class: "bad_request",
      reason: "unsupported_parameter",
    });
  });

  it("G089: rate-limit headers of -1 and 0 are not believed", () => {
    const headers = {
      "x-ratelimit-remaining-tokens": "-1",
      "x-ratelimit-reset-tokens": "0",
      "x-ratelimit-limit-tokens": "-1",
    };
    expect(judged({ provider: "azure", status: 429, body: null, headers }).retryAfterMs).toBeUndefined();
  });
});

describe("structure", () => {
  it("takes a code for a status only inside a 200: beside a real status it says nothing of it", () => {
    const coded = (status: number) =>
      judged({ provider: "azure", status, body: { error: { message: "no", code: "429" } } });
    expect(coded(200).class).toBe("capacity_shed");
    expect(coded(400).class).toBe("bad_request");
    expect(coded(500).class).toBe("server_error");
  });

  it("names a wait only where waiting is the answer: OpenAI sends its limits with every response", () => {
    const headers = { "x-ratelimit-reset-requests": "30s", "x-ratelimit-remaining-requests": "0" };
    const wait = (status: number) => judged({ provider: "openai", status, body: error("no"), headers }).retryAfterMs;
    expect([wait(400), wait(401), wait(429), wait(503)]).toEqual([undefined, undefined, 30_000, 30_000]);
  });
});

describe("what is kept of an error", () => {
  it("names the provider's code, its parameter, and what an HTML page is titled", () => {
    const refused = judged({
      provider: "mistral",
      status: 422,
      body: { detail: [{ type: "extra_forbidden", loc: ["body", "store"], msg: "no" }] },
    });
    expect(refused).toMatchObject({ param: "store", message: "store: no" });
    const page = judged({ provider: "openai", status: 502, body: "<html><title>502 Bad Gateway</title>" });
    expect(page.message).toBe("openai answered 502 with a web page: 502 Bad Gateway");
    expect(judged({ provider: "openai", status: 500, body: "" }).message).toBe(
      "openai answered 500 with an empty body",
    );
    expect(judged({ provider: "perplexity", status: 401, body: { error: { message: "no", code: 401 } } }).code).toBe(
      "401",
    );
  });

  it("takes the sentence of the provider behind a router, and its code when that comes as JSON", () => {
    const raw = JSON.stringify({ error: { message: "too long", code: "context_length_exceeded" } });
    const failure = judged({
      provider: "openrouter",
      status: 400,
      body: { error: { code: 400, message: "Provider returned error", metadata: { raw } } },
    });
    expect(failure).toMatchObject({ reason: "context_length", message: "too long" });
  });

  it("holds no key in its code or parameter, and neither without end", () => {
    const body = {
      error: { message: "no", code: "sk-proj-abcdefgh12", param: `sk-proj-abcdefgh12 ${"x".repeat(5_000)}` },
    };
    const judgedSo = judged({ provider: "openai", status: 400, body });
    expect(judgedSo.code).toBe("[redacted]");
    expect(judgedSo.param).toMatch(/^\[redacted\] x{100,188}…$/);
  });
});
