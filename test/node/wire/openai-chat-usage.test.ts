import { describe, expect, it } from "vitest";
import { normaliseUsage, wireUsage } from "../../../src/wire/openai-chat/usage.ts";

describe("usage of OpenAI-compatible providers", () => {
  const cases: readonly [name: string, raw: object, quirks: object, expected: object][] = [
    [
      "OpenAI: cached tokens are part of the prompt, reasoning part of the completion (G066, G068)",
      {
        prompt_tokens: 1000,
        completion_tokens: 50,
        total_tokens: 1050,
        prompt_tokens_details: { cached_tokens: 900, audio_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5 },
      },
      {},
      {
        input: { total: 1000, uncached: 100, cacheRead: 900, audio: 10 },
        output: { total: 50, text: 25, reasoning: 20, audio: 5 },
      },
    ],
    [
      "DeepSeek: cache hits have a field of their own",
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
      },
      {},
      { input: { total: 100, uncached: 36, cacheRead: 64 }, output: { total: 5 } },
    ],
    [
      "Mistral: first spelling",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, num_cached_tokens: 4 },
      {},
      { input: { total: 10, cacheRead: 4 } },
    ],
    [
      "Mistral: second spelling",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_token_details: { cached_tokens: 4 } },
      {},
      { input: { cacheRead: 4 } },
    ],
    [
      "Mistral: third spelling",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } },
      {},
      { input: { cacheRead: 4 } },
    ],
    [
      "Moonshot: cached tokens at the top",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cached_tokens: 4 },
      {},
      { input: { cacheRead: 4 } },
    ],
    [
      "xAI: the completion leaves reasoning out, as the total shows",
      {
        prompt_tokens: 307,
        completion_tokens: 26,
        total_tokens: 560,
        prompt_tokens_details: { cached_tokens: 306 },
        completion_tokens_details: { reasoning_tokens: 227 },
        cost_in_usd_ticks: 1497500,
      },
      {},
      {
        input: { total: 307, uncached: 1, cacheRead: 306 },
        output: { total: 253, text: 26, reasoning: 227 },
        reportedUsd: 0.00014975,
      },
    ],
    [
      "xAI without a total: the quirk decides",
      { prompt_tokens: 10, completion_tokens: 26, completion_tokens_details: { reasoning_tokens: 20 } },
      { outputExcludesReasoning: true },
      { output: { total: 46 } },
    ],
    [
      "DeepInfra: more reasoning than completion means that it was left out",
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        completion_tokens_details: { reasoning_tokens: 20 },
        estimated_cost: 0.002,
      },
      {},
      { output: { total: 25, reasoning: 20 }, reportedUsd: 0.002, inconsistent: true },
    ],
    [
      "OpenRouter: cache writes, and a charge that is not counted twice (G069)",
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
        cost: 0.000837,
        is_byok: false,
        cost_details: { upstream_inference_cost: 0.000837 },
      },
      {},
      { input: { total: 100, uncached: 50, cacheRead: 20, cacheWrite: 30 }, reportedUsd: 0.000837 },
    ],
    [
      "OpenRouter with the user's own key: its fee and the upstream's charge",
      {
        prompt_tokens: 1,
        completion_tokens: 1,
        total_tokens: 2,
        cost: 0.01,
        is_byok: true,
        cost_details: { upstream_inference_cost: 0.2 },
      },
      {},
      { reportedUsd: 0.21000000000000002 },
    ],
    [
      "Perplexity: searches and a cost object",
      { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, num_search_queries: 3, cost: { total_cost: 0.006 } },
      {},
      { searches: 3, reportedUsd: 0.006 },
    ],
    ["Ollama", { prompt_eval_count: 12, eval_count: 3 }, {}, { input: { total: 12 }, output: { total: 3 } }],
    [
      "Ollama on a cached prompt says nothing of it",
      { eval_count: 3 },
      {},
      { input: { total: undefined }, output: { total: 3 } },
    ],
    [
      "a prompt count that leaves cached tokens out, as the total shows",
      { prompt_tokens: 40, completion_tokens: 10, total_tokens: 1050, prompt_tokens_details: { cached_tokens: 1000 } },
      {},
      { input: { total: 1040, uncached: 40, cacheRead: 1000 } },
    ],
    [
      "thinking that only the total counts (Gemini's OpenAI-compatible endpoint)",
      { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
      {},
      { input: { total: 35 }, output: { total: 74 } },
    ],
    [
      "spoken input that the prompt count leaves out (Mistral)",
      { prompt_tokens: 9, completion_tokens: 248, total_tokens: 632, prompt_tokens_details: { audio_tokens: 375 } },
      {},
      { input: { total: 384, uncached: 384, audio: 375 }, output: { total: 248 } },
    ],
    [
      "spoken and cached input that the prompt count leaves out",
      {
        prompt_tokens: 9,
        completion_tokens: 1,
        total_tokens: 115,
        prompt_tokens_details: { audio_tokens: 5, cached_tokens: 100 },
      },
      {},
      { input: { total: 114, cacheRead: 100, audio: 5 }, output: { total: 1 } },
    ],
    [
      "the same without a total: the quirk decides (G067)",
      { prompt_tokens: 40, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 1000 } },
      { inputExcludesCached: true },
      { input: { total: 1040, uncached: 40, cacheRead: 1000 } },
    ],
  ];

  it.each(cases)("%s", (_name, raw, quirks, expected) => {
    const usage = normaliseUsage(raw, quirks);
    expect(usage).toMatchObject({ inconsistent: undefined, ...expected, estimated: false });
    expect(usage?.raw).toBe(raw);
  });

  it("not reported is unknown, never 0", () => {
    const usage = normaliseUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, {});
    expect(usage?.input.cacheRead).toBeUndefined();
    expect(usage?.output.reasoning).toBeUndefined();
    expect(normaliseUsage(null, {})).toBeUndefined();
    expect(normaliseUsage(undefined, {})).toBeUndefined();
  });

  it.each([
    [
      "more cached than prompt tokens",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 40 } },
    ],
    ["a total below its parts", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 9 }],
  ])("%s is kept and flagged", (_name, raw) => {
    expect(normaliseUsage(raw, {})).toMatchObject({ inconsistent: true, input: { total: 10 }, output: { total: 5 } });
  });

  it("counts that are no whole numbers count as not reported", () => {
    const usage = normaliseUsage({ prompt_tokens: -1, completion_tokens: 2.5, total_tokens: "7" }, {});
    expect(usage).toMatchObject({ input: { total: undefined }, output: { total: undefined } });
  });

  it("goes back out in OpenAI's shape with the provider's further fields", () => {
    const raw = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20, x: 1 },
      cost: 0.1,
    };
    const usage = normaliseUsage(raw, {});
    expect(usage && wireUsage(usage, raw)).toEqual({
      prompt_tokens: 10,
      completion_tokens: 25,
      total_tokens: 35,
      prompt_tokens_details: {},
      completion_tokens_details: { reasoning_tokens: 20, x: 1 },
      cost: 0.1,
    });
  });

  it("says nothing rather than a wrong 0 where a count is unknown", () => {
    const usage = normaliseUsage({ eval_count: 3 }, {});
    expect(usage && wireUsage(usage)).toBeUndefined();
  });
});
