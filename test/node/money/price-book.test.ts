import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CATALOG_VERSION, contextWindowOf, findModel, pricesAt } from "../../../src/money/catalog.ts";
import { cost } from "../../../src/money/cost.ts";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import type { Price } from "../../../src/money/price.ts";
import { createPriceBook } from "../../../src/money/price-book.ts";
import { toPrice } from "../../../src/money/to-price.ts";
import type { Usage } from "../../../src/money/usage.ts";
import { corpusAvailable, readJson, skipWithoutCorpus } from "../../support/wire/corpus.ts";

const NOW = new Date("2026-11-29T12:00:00Z");
const book = createPriceBook();
const usage = (input: number, output: number): Usage => ({
  input: { total: input },
  output: { total: output },
  estimated: false,
  raw: null,
});

describe("the price book", () => {
  it("names the installed price data as its version", () => {
    const url = new URL("../../../node_modules/@pydantic/genai-prices/package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(url, "utf8")) as { version: string };
    expect(CATALOG_VERSION).toBe(`genai-prices@${version}`);
    expect(book.version).toBe(CATALOG_VERSION);
  });

  it.each([
    ["openai", "gpt-5.4-mini"],
    ["gemini", "gemini-3.1-flash-lite"],
    ["anthropic", "claude-haiku-4-5"],
    ["anthropic", "claude-haiku-4-5-20251001"],
    ["azure", "gpt-5"],
    ["mistral", "mistral-small-latest"],
    ["groq", "openai/gpt-oss-120b"],
    ["xai", "grok-4.5"],
    ["deepseek", "deepseek-chat"],
    ["fireworks", "accounts/fireworks/models/kimi-k3"],
    ["together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"],
    ["zai", "glm-5.2"],
    ["openrouter", "openai/gpt-5"],
    ["openrouter", "moonshotai/kimi-k2.7-code-20260612"],
  ])("prices %s %s", (provider, model) => {
    const price = book.find(provider, model, NOW);
    expect(price?.input.base).toBeGreaterThan(0);
    expect(price?.output.base).toBeGreaterThan(0);
    expect(price?.version).toBe(CATALOG_VERSION);
  });

  it("G072: a vendor prefix is understood at a router and at the vendor itself; elsewhere the price is unknown", () => {
    const list = book.find("openai", "gpt-5", NOW);
    expect(list).toBeDefined();
    expect(book.find("openai", "openai/gpt-5", NOW)).toEqual(list);
    expect(book.find("my-gateway", "openai/gpt-5", NOW)).toBeUndefined();
    expect(book.find("openrouter", "openai/gpt-5", NOW)?.input).toEqual(list?.input);
  });

  it("G072, G073: an unknown model has no price, not a price of zero", () => {
    expect(book.find("openai", "gpt-unheard-of", NOW)).toBeUndefined();
    expect(book.find("openrouter", "openai/gpt-unheard-of", NOW)).toBeUndefined();
    expect(book.find("ollama", "llama3", NOW)).toBeUndefined();
    expect(cost(undefined, usage(1000, 10), "standard")).toBeUndefined();
  });

  it("does not take a provider for another because its name holds the other's", () => {
    expect(book.find("my-openai-proxy", "gpt-5", NOW)).toBeUndefined();
    expect(book.find("not-google", "gemini-2.5-flash", NOW)).toBeUndefined();
  });

  it("does not price a model of one vendor by another's prefix at a provider that lists its own", () => {
    expect(book.find("groq", "anthropic/claude-haiku-4-5", NOW)).toBeUndefined();
  });

  it("knows that OpenRouter's free variants are free, and that a model without rates elsewhere is unpriced", () => {
    expect(book.find("openrouter", "agentica-org/deepcoder-14b-preview:free", NOW)?.input.base).toBe(0);
    expect(book.find("google", "gemma-3", NOW)).toBeUndefined();
  });

  it("prices by the minute of the day where the provider does", () => {
    const at = (time: string) =>
      book.find("deepseek", "deepseek-v4-flash", new Date(`2026-11-29T${time}Z`))?.input.base;
    expect([at("00:59:59"), at("01:00:00"), at("03:59:59"), at("04:00:00"), at("01:30:00")]).toEqual([
      0.22, 0.44, 0.44, 0.22, 0.44,
    ]);
    const chat = (time: string) => book.find("deepseek", "deepseek-chat", new Date(`2026-11-29T${time}Z`))?.input.base;
    expect([chat("16:29:59"), chat("16:30:00"), chat("00:29:00"), chat("00:30:00")]).toEqual([
      0.27, 0.135, 0.135, 0.27,
    ]);
  });

  it("prices by date where the price changed", () => {
    const at = (date: string) => book.find("openai", "o3", new Date(`${date}T00:00:00Z`))?.input.base;
    expect([at("2025-06-09"), at("2025-06-10")]).toEqual([10, 2]);
  });

  it("takes a declared price before the data's, and a declared name in the data", () => {
    const own: Price = { input: { base: 7, tiers: [] }, output: { base: 9, tiers: [] }, version: "modelrig.yaml" };
    const declared = createPriceBook({
      declared: (provider, model) => (provider === "openai" && model === "gpt-5" ? own : undefined),
      priceProvider: (provider) => (provider === "openai-eu" ? "openai" : undefined),
    });
    expect(declared.find("openai", "gpt-5", NOW)).toBe(own);
    expect(declared.find("openai-eu", "gpt-5-mini", NOW)).toEqual(book.find("openai", "gpt-5-mini", NOW));
    expect(declared.find("openai-us", "gpt-5-mini", NOW)).toBeUndefined();
  });

  it("prices embeddings by their input alone", () => {
    const price = book.find("openai", "text-embedding-3-small", NOW);
    const counted: Usage = { input: { total: 1_000_000 }, output: {}, estimated: false, raw: null };
    expect(cost(price, counted, "standard")?.total).toBe(usdToNano("0.02"));
  });

  it("prices searches that the data leaves out, and flex, priority and batch", () => {
    expect(book.find("gemini", "gemini-2.5-flash", NOW)?.perSearch).toBe(0.035);
    expect(book.find("gemini", "gemini-3-flash-preview", NOW)?.perSearch).toBe(0.014);
    expect(book.find("openai", "gpt-5.4", NOW)?.tierMultiplier).toEqual({ flex: 0.5, batch: 0.5, priority: 2 });
    expect(book.find("anthropic", "claude-haiku-4-5", NOW)?.tierMultiplier).toEqual({ batch: 0.5 });
  });

  it("remembers what it found, and forgets names rather than grow", () => {
    const found = book.find("openai", "gpt-5.4-mini", NOW);
    expect(book.find("openai", "gpt-5.4-mini", NOW)).toBe(found);
    for (let i = 0; i < 10_000; i += 1) expect(book.find("openai", `unknown-${i}`, NOW)).toBeUndefined();
  });

  it("tells context windows", () => {
    expect(contextWindowOf("anthropic", "claude-haiku-4-5")).toBe(200_000);
    expect(contextWindowOf("openrouter", "openai/gpt-5")).toBe(400_000);
    expect(contextWindowOf("ollama", "llama3")).toBeUndefined();
  });
});

interface DataProvider {
  readonly id: string;
  readonly models: readonly { readonly id: string }[];
}

skipWithoutCorpus("every model of the price data", "about 1,700");
describe.skipIf(!corpusAvailable)("every model of the price data", () => {
  const providers = corpusAvailable ? readJson<readonly DataProvider[]>("prices", "genai-prices-data-v2.json") : [];

  it("is read without an error, and changes price on whole minutes only", () => {
    let priced = 0;
    for (const { id, models } of providers) {
      for (const { id: model } of models) {
        const found = findModel(id, model);
        if (!found) continue;
        const text = JSON.stringify(found.model.prices);
        for (const [, time] of text.matchAll(/"(?:start|end)_time":"([^"]+)"/g))
          expect(time).toMatch(/^\d\d:\d\d:00Z$/);
        if (toPrice(pricesAt(found, NOW), "data")) priced += 1;
      }
    }
    expect(priced).toBeGreaterThan(1_000);
  });
});

interface LiteLlmRow {
  readonly litellm_provider?: string;
  readonly input_cost_per_token?: number;
  readonly [key: string]: unknown;
}

skipWithoutCorpus("tier multipliers against a second price table", "about 60");
describe.skipIf(!corpusAvailable)("tier multipliers against a second price table", () => {
  const table = corpusAvailable
    ? readJson<Readonly<Record<string, LiteLlmRow>>>("prices", "litellm-model_prices_and_context_window.json")
    : {};
  // The table gives this one model fifty times its standard rate.
  const WRONG_THERE = new Set(["gpt-5-nano"]);

  it("never bill a tier below what the other table asks, nor above it by more than the family's spread", () => {
    let compared = 0;
    for (const [name, row] of Object.entries(table)) {
      const provider = { openai: "openai", gemini: "gemini" }[row.litellm_provider ?? ""];
      const model = name.replace("gemini/", "");
      const price = provider && !WRONG_THERE.has(model) ? book.find(provider, model, NOW) : undefined;
      if (!price || !row.input_cost_per_token) continue;
      for (const tier of ["flex", "priority"] as const) {
        const theirs = row[`input_cost_per_token_${tier}`];
        if (typeof theirs !== "number" || theirs === row.input_cost_per_token) continue;
        const ratio = (price.tierMultiplier?.[tier] ?? 1) / (theirs / row.input_cost_per_token);
        expect(ratio, `${model} ${tier}`).toBeGreaterThan(0.999);
        expect(ratio, `${model} ${tier}`).toBeLessThan(1.12);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(30);
  });
});
