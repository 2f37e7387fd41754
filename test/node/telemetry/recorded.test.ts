import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Price, PriceBook } from "../../../src/money/price.ts";
import { createPriceBook } from "../../../src/money/price-book.ts";
import { readMessage } from "../../../src/telemetry/read-message.ts";
import { type RecordedCall, recordedCall, recordedInference } from "../../../src/telemetry/recorded.ts";

const rate = (base: number) => ({ base, tiers: [] });
/** One micro-dollar per input token, a tenth cached, four out. */
const PRICE: Price = {
  input: rate(1),
  cacheRead: rate(0.1),
  output: rate(4),
  tierMultiplier: { flex: 0.5 },
  version: "test",
};
const book = (price: Price | undefined): PriceBook => ({ version: "test", find: () => price });
const NOW = 1_764_000_000_000;

function recorded(call: Partial<RecordedCall>, price: Price | "none" = PRICE) {
  const newId = (prefix: string) => `${prefix}_new`;
  const context = { org: "org_1", keyId: "key_1", now: NOW, prices: book(price === "none" ? undefined : price), newId };
  return recordedInference(recordedCall.parse({ provider: "openai", model: "gpt-5", ...call }), context);
}

describe("a reported call", () => {
  it("is one inference with one attempt in the lane recorded, priced by the book", () => {
    const record = recorded({
      usage: { tokensIn: 1_000, tokensCached: 400, tokensOut: 50, reasoningTokens: 20 },
      ...{ latencyMs: 1_200, run: "run_1", stepKey: "draft", tags: { client: "acme" }, finishReason: "stop" },
    });
    expect(record).toMatchObject({
      ...{ lane: "recorded", org: "org_1", keyId: "key_1", provider: "openai", model: "gpt-5", rung: "none" },
      ...{ run: "run_1", step: "draft", tags: { client: "acme" }, startedAt: NOW - 1_200, latencyMs: 1_200 },
      ...{ failure: null, finish: "stop", conformant: null, costEstimated: false },
      // 600 fresh + 400 at a tenth + 50 at four, in thousandths of a micro-dollar.
      costNano: 600_000 + 40_000 + 200_000,
    });
    expect(record.attempts).toHaveLength(1);
    expect(record.attempts[0]).toMatchObject({
      ...{ tier: "standard", priceVersion: "test", costNano: record.costNano, usageInconsistent: false },
      tokens: { input: 1_000, uncached: 600, cacheRead: 400, cacheWrite: null, output: 50, reasoning: 20 },
    });
  });

  it("is priced at the tier that served it, by the provider's own word", () => {
    const usage = { tokensIn: 1_000, tokensOut: 0 };
    expect(recorded({ usage, servedTier: "SERVICE_TIER_FLEX" }).costNano).toBe(500_000);
    expect(recorded({ usage, servedTier: "default" }).costNano).toBe(1_000_000);
  });

  it("has an unknown cost where the price or a count is unknown, never zero", () => {
    expect(recorded({ usage: { tokensIn: 10, tokensOut: 10 } }, "none").costNano).toBeNull();
    expect(recorded({ usage: { tokensIn: 10 } }).costNano).toBeNull();
    expect(recorded({}).costNano).toBeNull();
  });

  it("costs what the provider says it billed, where the caller knows", () => {
    expect(recorded({ usage: { tokensIn: 1, tokensOut: 1 }, costUsd: 0.25 }).costNano).toBe(250_000_000);
  });

  it.each([
    [
      "more cached than there was input",
      { tokensIn: 100, tokensCached: 400, tokensOut: 10 },
      100_000 + 40_000 + 40_000,
    ],
    ["more reasoning than there was output", { tokensIn: 100, tokensOut: 10, reasoningTokens: 90 }, 100_000 + 400_000],
  ])("with %s is kept as it came, flagged, and billed by the larger reading", (_kind, usage, nano) => {
    const record = recorded({ usage });
    expect(record.attempts[0]).toMatchObject({ usageInconsistent: true, tokens: { input: usage.tokensIn } });
    expect(record.costNano).toBe(nano);
  });

  it("that failed was served by nobody and names its class", () => {
    const record = recorded({ failureClass: "capacity_shed" });
    expect(record).toMatchObject({ provider: null, model: null, failure: { class: "capacity_shed" } });
    expect(record.attempts[0]).toMatchObject({ provider: "openai", failure: { class: "capacity_shed" } });
  });

  it.each([
    ["stop", "stop"],
    ["end_turn", "stop"],
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["tool-calls", "tool-calls"],
    ["tool_use", "tool-calls"],
    ["RECITATION", "content-filter"],
    ["never heard of", "other"],
    ["constructor", "other"],
  ])("that finished with %s finished with %s", (word, unified) => {
    expect(recorded({ finishReason: word }).finish).toBe(unified);
  });

  it("reported twice under its caller's own id is the same record", () => {
    const call = { id: "call-7", usage: { tokensIn: 1, tokensOut: 1 }, startedAt: NOW };
    expect(recorded(call)).toEqual(recorded(call));
    expect(recorded(call).id).toBe("call-7");
  });

  it("of a real model is found in the price data under our name of the provider", () => {
    const context = { org: "o", now: NOW, prices: createPriceBook(), newId: () => "x" };
    const usage = { tokensIn: 1_000, tokensOut: 1_000 };
    const record = recordedInference({ provider: "gemini", model: "gemini-2.5-flash", usage }, context);
    expect(record.costNano).toBeGreaterThan(0);
    expect(record.attempts[0]?.priceVersion).toContain("genai-prices");
  });
});

describe("any reported call that passes its schema", () => {
  it("makes a record that the queue and ingest read back unchanged", () => {
    const count = fc.option(fc.nat(1_000_000_000), { nil: undefined });
    const call = fc.record({
      usage: fc.record({
        tokensIn: count,
        tokensOut: count,
        tokensCached: count,
        cacheWriteTokens: count,
        reasoningTokens: count,
      }),
      latencyMs: fc.double({ min: 0, max: 604_800_000, noNaN: true }),
      tags: fc.dictionary(
        fc.stringMatching(/^[a-z]{1,8}$/),
        fc.string({ maxLength: 200, unit: "binary" }).filter((text) => !text.includes("\0")),
      ),
      finishReason: fc.string({ minLength: 1, maxLength: 200 }),
      servedTier: fc.string({ minLength: 1, maxLength: 200 }),
    });
    fc.assert(
      fc.property(call, (one) => {
        const record = recorded(one);
        const message = { schema: "modelrig.telemetry/1", inference: record };
        expect(readMessage(message)).toEqual({ records: [record], unreadable: [] });
      }),
    );
  });

  it.each([
    ["a negative count", { usage: { tokensIn: -1 } }],
    ["a count that is no number", { usage: { tokensIn: Number.NaN } }],
    ["half a token", { usage: { tokensIn: 0.5 } }],
    ["a tag that would be lost", { tags: JSON.parse('{"__proto__":"x"}') }],
    ["a model that is no id", { model: "two words" }],
    ["a failure class of its own", { failureClass: "oops" }],
    ["a key that is misspelt", { usageTokens: 3 }],
  ])("refuses %s", (_kind, call) => {
    expect(recordedCall.safeParse({ provider: "p", model: "m", ...call }).success).toBe(false);
  });
});
