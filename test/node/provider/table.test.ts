import { describe, expect, it } from "vitest";
import { BUILTIN_PROVIDERS } from "../../../src/provider/builtin.ts";
import { providerPrices, providerTable } from "../../../src/provider/table.ts";

const table = providerTable({ providers: [] });
const at = new Date("2026-11-01T00:00:00Z");

describe("the built-in providers", () => {
  it("are the ones that are promised", () => {
    expect(BUILTIN_PROVIDERS.map(({ name }) => name)).toEqual([
      "openai",
      "anthropic",
      "gemini",
      "azure",
      "mistral",
      "groq",
      "xai",
      "deepseek",
      "fireworks",
      "deepinfra",
      "together",
      "zai",
      "openrouter",
      "neuralwatt",
      "ollama",
      "sim",
    ]);
  });

  it.each(BUILTIN_PROVIDERS.map((row) => [row.name, row] as const))("%s is well-formed", (_name, row) => {
    expect(row.baseUrl).not.toMatch(/\/$|\?/);
    expect(row.apiKeyEnv ?? "X_API_KEY").toMatch(/^[A-Z]+_API_KEY$/);
    for (const family of row.families ?? []) expect(() => new RegExp(family.match)).not.toThrow();
  });

  it("send keys in headers, never in the URL", () => {
    expect(table.find("gemini")?.quirks.authHeader).toEqual({ name: "x-goog-api-key", value: "{key}" });
    expect(table.find("anthropic")?.quirks).toMatchObject({
      authHeader: { name: "x-api-key", value: "{key}" },
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect(table.find("ollama")?.apiKeyEnv).toBeUndefined();
  });

  it("Mistral is not sent stream_options or store", () => {
    expect(table.find("mistral")?.quirks).toMatchObject({ noStreamOptions: true, rename: { seed: "random_seed" } });
    expect(table.find("mistral")?.quirks.omit).toContain("store");
  });
});

describe("a model's facts", () => {
  it.each([
    ["anthropic", "claude-haiku-4-5", { native_strict: true }, 64_000],
    ["anthropic", "claude-opus-4-1-20250805", { native_strict: true }, 32_000],
    ["anthropic", "claude-opus-4-20250514", { native_strict: false }, 32_000],
    ["anthropic", "claude-3-5-haiku-latest", { native_strict: false }, 8_192],
    ["openai", "gpt-5.4-mini", { native_strict: true, reasoning: true }, 128_000],
    ["openai", "gpt-4-turbo", { native_strict: false, json_object: true }, 4_096],
    ["groq", "openai/gpt-oss-120b", { native_strict: true }, 65_536],
    ["deepseek", "deepseek-chat", { native_strict: false, json_object: true }, 8_192],
  ])("%s/%s", (provider, model, capabilities, maxOutput) => {
    expect(table.model(provider, model)).toMatchObject({ capabilities, maxOutput });
  });

  it("are unknown for an unknown provider, and capabilities stay unknown where nothing is known", () => {
    expect(table.model("nobody", "x")).toBeUndefined();
    expect(table.model("groq", "some-model")?.capabilities.native_strict).toBeUndefined();
    expect(table.model("openai", "constructor")).toMatchObject({ id: "constructor", maxOutput: undefined });
  });

  it("take the context window from price data where it tells", () => {
    expect(table.model("openai", "gpt-5.4")?.contextWindow).toBe(1_050_000);
  });

  it("pick out OpenAI's reasoning models", () => {
    const pattern = new RegExp(table.find("openai")?.quirks.reasoningModels ?? "^$");
    expect(["o1", "o4-mini", "gpt-5", "gpt-5.4-mini"].filter((model) => pattern.test(model))).toHaveLength(4);
    expect(["gpt-4o", "gpt-5-chat-latest", "gpt-4.1"].filter((model) => pattern.test(model))).toEqual([]);
  });
});

describe("prices", () => {
  const prices = providerPrices(table);

  it("are found under our own provider names", () => {
    for (const [provider, model] of [
      ["gemini", "gemini-3.1-flash-lite"],
      ["xai", "grok-4"],
      ["openai", "gpt-5.4-mini"],
    ] as const) {
      expect(prices.find(provider, model, at)?.input.base).toBeGreaterThan(0);
    }
  });

  it("of simulated models are the simulation's, and no other", () => {
    expect(prices.find("sim", "atlas-small", at)).toMatchObject({ input: { base: 0.4 }, version: "sim" });
    expect(prices.find("sim", "openai/gpt-5", at)).toBeUndefined();
    expect(prices.find("sim", "gpt-5", at)).toBeUndefined();
  });
});
