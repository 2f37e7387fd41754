import { describe, expect, it } from "vitest";
import { cost, worstCase } from "../../../src/money/cost.ts";
import { billOf } from "../../../src/money/exposure.ts";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import type { Price, Rate } from "../../../src/money/price.ts";
import { serviceTier } from "../../../src/money/tier.ts";
import type { Usage } from "../../../src/money/usage.ts";
import { normaliseUsage } from "../../../src/wire/anthropic-messages/usage.ts";

const flat = (base: number): Rate => ({ base, tiers: [] });
const price: Price = { input: flat(2), output: flat(10), cacheRead: flat(0.5), cacheWrite: flat(2.5), version: "test" };
const usage = (input: Usage["input"], output: Usage["output"] = { total: 0 }, more: Partial<Usage> = {}): Usage => ({
  input,
  output,
  estimated: false,
  raw: null,
  ...more,
});
const total = (own: Price | undefined, used: Usage, tier: "standard" | "flex" | "priority" | "batch" = "standard") =>
  cost(own, used, tier)?.total;

describe("cost", () => {
  it("G066: bills cached tokens once, at the cache rate", () => {
    expect(total(price, usage({ total: 1000, cacheRead: 900 }))).toBe(usdToNano("0.00065"));
  });

  it("G067: a cache read larger than the input is not capped: the input leaves it out", () => {
    expect(total(price, usage({ total: 40, cacheRead: 1000 }))).toBe(usdToNano("0.00058"));
    expect(total(price, usage({ total: 1040, uncached: 40, cacheRead: 1000 }))).toBe(usdToNano("0.00058"));
  });

  it("G068: cached tokens are part of the prompt, not added to it", () => {
    expect(total({ ...price, cacheRead: undefined }, usage({ total: 100, cacheRead: 60 }))).toBe(usdToNano("0.0002"));
  });

  it("G069: a provider's own total counts once, and replaces ours", () => {
    const reported = usage({ total: 100 }, { total: 10 }, { reportedUsd: 0.000837 });
    expect(total(undefined, reported)).toBe(usdToNano("0.000837"));
    expect(total(price, reported)).toBe(usdToNano("0.000837"));
  });

  it("does not believe a reported zero beside a price", () => {
    expect(total(price, usage({ total: 100 }, { total: 10 }, { reportedUsd: 0 }))).toBe(usdToNano("0.0003"));
    expect(total(undefined, usage({ total: 100 }, { total: 10 }, { reportedUsd: 0 }))).toBe(0);
  });

  it("G075: the highest crossed threshold counts, by number, whatever the order it is listed in", () => {
    const stepped = {
      ...price,
      input: {
        base: 1,
        tiers: [
          { start: 128_000, rate: 4 },
          { start: 90_000, rate: 3 },
        ],
      },
    };
    expect(total(stepped, usage({ total: 150_000 }))).toBe(usdToNano("0.6"));
    expect(total(stepped, usage({ total: 128_000 }))).toBe(usdToNano("0.384"));
    expect(total(stepped, usage({ total: 90_000 }))).toBe(usdToNano("0.09"));
  });

  it("a long prompt reprices every token of the request, cache reads counted", () => {
    const long: Price = {
      ...price,
      input: { base: 2, tiers: [{ start: 200_000, rate: 4 }] },
      output: { base: 10, tiers: [{ start: 200_000, rate: 15 }] },
    };
    const used = usage({ total: 200_001, cacheRead: 200_000 }, { total: 1000 });
    expect(total(long, used)).toBe(usdToNano("0.000004") + usdToNano("0.1") + usdToNano("0.015"));
  });

  it("bills five-minute and one-hour cache writes apart; without a rate of its own an hour costs 8/5 of five minutes", () => {
    const used = usage({ total: 300, cacheWrite: 300, cacheWrite1h: 100 });
    expect(total({ ...price, cacheWrite1h: flat(4) }, used)).toBe(usdToNano("0.0009"));
    expect(total(price, used)).toBe(usdToNano("0.0009"));
  });

  it("bills reasoning within the output at its own rate, and reasoning beyond it on top", () => {
    const thinking = { ...price, outputReasoning: flat(20) };
    expect(total(thinking, usage({ total: 0 }, { total: 100, reasoning: 60 }))).toBe(usdToNano("0.0016"));
    expect(total(thinking, usage({ total: 0 }, { total: 100, reasoning: 600 }))).toBe(usdToNano("0.013"));
  });

  it("bills the tier that served: by multiplier, by own rate, else as standard", () => {
    const tiered: Price = { ...price, tierMultiplier: { flex: 0.5 }, tierRates: { priority: { input: flat(5) } } };
    const used = usage({ total: 1000, cacheRead: 500 }, { total: 100 });
    expect(total(tiered, used, "standard")).toBe(usdToNano("0.00225"));
    expect(total(tiered, used, "flex")).toBe(usdToNano("0.001125"));
    expect(total(tiered, used, "priority")).toBe(usdToNano("0.00375"));
    expect(total(tiered, used, "batch")).toBe(usdToNano("0.00225"));
  });

  it("adds what is billed per request and per search to the total only", () => {
    const sold = { ...price, perRequest: 0.005, perSearch: 0.01 };
    const billed = cost(sold, usage({ total: 1000 }, { total: 0 }, { searches: 2 }), "standard");
    expect(billed).toEqual({ total: usdToNano("0.027"), input: usdToNano("0.002"), output: 0 });
  });

  it("is unknown where a needed figure is: a count, a price, a search without a price", () => {
    expect(total(price, usage({}, { total: 1 }))).toBeUndefined();
    expect(total(price, usage({ total: 1 }, {}))).toBeUndefined();
    expect(total(price, usage({ total: 1 }, { total: 1 }, { searches: 1 }))).toBeUndefined();
    expect(total(undefined, usage({ total: 1 }, { total: 1 }))).toBeUndefined();
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("treats a count of %d as not reported", (count) => {
    expect(total(price, usage({ total: count }))).toBeUndefined();
    expect(total(price, usage({ total: 1000, cacheRead: count }))).toBe(usdToNano("0.002"));
  });

  it("does not believe, and does not choke on, a bill of millions for one request", () => {
    expect(total(price, usage({ total: 1e300 }))).toBeUndefined();
    expect(worstCase(price, { inputTokens: Infinity, outputTokens: 1, choices: 1 }, "standard")).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });

  it("rounds once, half up: two halves of a nano-dollar make one", () => {
    const tiny: Price = { input: flat(0.0005), output: flat(0.0005), version: "test" };
    expect(cost(tiny, usage({ total: 1 }, { total: 1 }), "standard")).toEqual({ total: 1, input: 1, output: 1 });
    expect(total(tiny, usage({ total: 1 }, { total: 2 }))).toBe(2);
  });

  it("reads a rate as the decimal it is written as", () => {
    const odd: Price = { input: flat(0.1), output: flat(0.2), version: "test" };
    expect(total(odd, usage({ total: 3_000_000 }, { total: 0 }))).toBe(usdToNano("0.3"));
    expect(total({ ...odd, input: flat(2.8e-7) }, usage({ total: 1_000_000_000 }))).toBe(usdToNano("0.00028"));
  });
});

describe("the worst case", () => {
  it("counts the dearest way to read the prompt, every choice, and the flat fees, rounded up", () => {
    const dear: Price = { ...price, cacheWrite1h: flat(4), perRequest: 0.01, perSearch: 0.02 };
    const bound = { inputTokens: 1000, outputTokens: 100, choices: 3, searches: 2 };
    expect(worstCase(dear, bound, "standard")).toBe(usdToNano("0.004") + usdToNano("0.003") + usdToNano("0.05"));
  });

  it("covers a cheaper tier that is served as standard after all", () => {
    const tiered: Price = { ...price, tierMultiplier: { flex: 0.5, priority: 2 } };
    const bound = { inputTokens: 1000, outputTokens: 0, choices: 1 };
    // Writes for an hour, at 8/5 of 2.5.
    expect(worstCase(tiered, bound, "flex")).toBe(usdToNano("0.004"));
    expect(worstCase(tiered, bound, "priority")).toBe(usdToNano("0.008"));
  });

  it("reaches the long-context rate only for prompts that can", () => {
    const long: Price = { ...price, cacheWrite: undefined, input: { base: 2, tiers: [{ start: 1000, rate: 4 }] } };
    expect(worstCase(long, { inputTokens: 1000, outputTokens: 0, choices: 1 }, "standard")).toBe(usdToNano("0.002"));
    expect(worstCase(long, { inputTokens: 1001, outputTokens: 0, choices: 1 }, "standard")).toBe(usdToNano("0.004004"));
  });
});

describe("tier words", () => {
  it.each([
    [undefined, "standard"],
    ["default", "standard"],
    ["standard", "standard"],
    ["on_demand", "standard"],
    ["ON_DEMAND", "standard"],
    ["auto", "standard"],
    ["scale", "standard"],
    ["constructor", "standard"],
    ["flex", "flex"],
    ["ON_DEMAND_FLEX", "flex"],
    ["SERVICE_TIER_PRIORITY", "priority"],
    ["priority", "priority"],
    ["batch", "batch"],
  ])("%s bills as %s", (word, tier) => expect(serviceTier(word)).toBe(tier));
});

describe("passes of other models inside one request", () => {
  const rates = (input: number, output: number): Price => ({
    input: { base: input, tiers: [] },
    output: { base: output, tiers: [] },
    version: "test",
  });
  const advised = {
    input_tokens: 2390,
    output_tokens: 121,
    iterations: [
      { type: "message", input_tokens: 1128, output_tokens: 110 },
      { type: "advisor_message", model: "opus", input_tokens: 2518, output_tokens: 22 },
      { type: "message", input_tokens: 1262, output_tokens: 11 },
    ],
  };
  const bill = (priceOf: (model: string) => Price | undefined) =>
    billOf({ type: "answered", usage: normaliseUsage(advised), hasContent: true }, rates(2, 10), "standard", priceOf);

  it("are billed at their own rates", () => {
    expect(bill((model) => (model === "opus" ? rates(5, 25) : undefined))).toMatchObject({
      cost: 19_130_000,
      usage: { input: { total: 2390 }, output: { total: 121 } },
    });
  });

  it("make the bill unknown where one has no price", () => {
    expect(bill(() => undefined)).toMatchObject({ type: "unknown" });
  });
});

describe("cache writes for an hour", () => {
  const usage = (cacheWrite1h: number) => ({
    input: { total: 1_000, uncached: 0, cacheWrite: 1_000, cacheWrite1h },
    output: { total: 0 },
    estimated: false,
    raw: {},
  });
  const price: Price = { input: { base: 4, tiers: [] }, output: { base: 0, tiers: [] }, version: "test" };

  it("without a rate of their own cost 8/5 of those for minutes, and are unknown where neither has one", () => {
    const writes = { ...price, cacheWrite: { base: 5, tiers: [] } };
    expect(cost(writes, usage(0), "standard")?.total).toBe(5_000_000);
    expect(cost(writes, usage(1_000), "standard")?.total).toBe(8_000_000);
    expect(cost(price, usage(1_000), "standard")).toBeUndefined();
  });
});
