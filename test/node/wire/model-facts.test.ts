import { describe, expect, it } from "vitest";
import { BUILTIN_PROVIDERS } from "../../../src/provider/builtin.ts";
import { encodedFor, sentTo, targetOf } from "../../support/wire/encoded-request.ts";

const chat = (more: object) => ({ model: "r", messages: [{ role: "user", content: "hi" }], ...more });
const messages = (more: object) => ({ ...chat({ max_tokens: 8_000 }), ...more });
const thinkingOf = (body: { thinking?: unknown; output_config?: unknown }) => [body.thinking, body.output_config];

describe("the facts of every model family", () => {
  const families = BUILTIN_PROVIDERS.flatMap((row) =>
    (row.families ?? []).map((family) => [row.name, family] as const),
  );

  it.each(families)("%s $match name their source and the day it was read", (_provider, family) => {
    expect(family.source).toMatch(/^[a-z.-]+\.[a-z]+\//);
    expect(family.asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect([...(family.facts?.efforts ?? [])]).toEqual([...new Set(family.facts?.efforts)]);
  });

  it.each([
    ["anthropic/claude-opus-4-6", { thinking: "adaptive", sampling: "one", maxOutput: 128_000 }],
    ["anthropic/claude-opus-4-7", { thinking: "adaptive", sampling: "none", maxOutput: 128_000 }],
    ["anthropic/claude-opus-4-8", { thinking: "adaptive", sampling: "none", maxOutput: 128_000 }],
    ["anthropic/claude-haiku-4-5-20251001", { thinking: "budget", sampling: "one", maxOutput: 64_000 }],
    ["anthropic/claude-opus-4-20250514", { thinking: "budget", sampling: "any", maxOutput: 32_000 }],
    ["anthropic/claude-3-5-haiku-latest", { thinking: "none", sampling: "any", maxOutput: 8_192 }],
    ["anthropic/claude-sonnet-5", { thinkingOff: "disabled", sampling: "none" }],
    ["anthropic/claude-haiku-5-5", { thinkingOff: "disabled", sampling: "none" }],
    ["anthropic/claude-opus-5-5", { thinkingOff: "never", forcedTools: false }],
    ["anthropic/claude-mythos-preview", { thinkingOff: "never" }],
    ["anthropic/claude-sonnet-9", { thinking: "adaptive", sampling: "none", maxOutputAssumed: true }],
    ["messages/anthropic/claude-opus-4.7", { thinking: "adaptive", sampling: "none" }],
    ["messages/us.anthropic.claude-opus-4-7-v1:0", { thinking: "adaptive", sampling: "none" }],
    ["openai/gpt-5-nano", { efforts: ["minimal", "low", "medium", "high"], sampling: "none" }],
    ["openai/gpt-5.1", { efforts: ["none", "low", "medium", "high"], sampling: "without_thinking" }],
    ["openai/gpt-5.6-terra", { efforts: ["none", "low", "medium", "high", "xhigh", "max"] }],
    ["openai/gpt-4.1", { thinking: "none", sampling: "any", maxOutput: 32_768 }],
    ["openai/ft:gpt-4o-2024-08-06:acme::x", { thinking: "none", maxOutput: 16_384 }],
    ["openai/gpt-9", { efforts: ["low", "medium", "high"], maxOutputAssumed: true }],
    ["gemini/gemini-2.5-pro", { thinking: "budget", thinkingBudget: [128, 32_768] }],
    ["gemini/gemini-3-pro-preview", { thinking: "level", efforts: ["low", "high"], signsCalls: true }],
    ["gemini/gemini-9-ultra", { thinking: "level", efforts: ["low", "high"] }],
  ])("of %s", (candidate, facts) => {
    const [provider = "", ...model] = candidate.split("/");
    const { facts: known, maxOutput } = targetOf(provider, model.join("/"));
    expect({ ...known, maxOutput }).toMatchObject(facts);
  });
});

describe("effort onto a Claude model", () => {
  it.each([
    ["claude-opus-4-7", "high", { type: "adaptive" }, { effort: "high" }, []],
    ["claude-opus-4-7", "xhigh", { type: "adaptive" }, { effort: "xhigh" }, []],
    ["claude-opus-4-6", "xhigh", { type: "adaptive" }, { effort: "high" }, ["reasoning_effort"]],
    ["claude-opus-4-7", "minimal", { type: "adaptive" }, { effort: "low" }, ["reasoning_effort"]],
    ["claude-opus-4-7", "none", undefined, undefined, []],
    ["claude-sonnet-5", "none", { type: "disabled" }, undefined, []],
    ["claude-sonnet-5-5", "none", { type: "between_tools" }, undefined, []],
    ["claude-opus-5-5", "none", undefined, { effort: "low" }, ["reasoning_effort"]],
    ["claude-new-9", "max", { type: "adaptive" }, { effort: "high" }, ["reasoning_effort"]],
    ["claude-sonnet-4-5", "low", { type: "enabled", budget_tokens: 2_048 }, undefined, []],
    ["claude-3-5-haiku-latest", "low", undefined, undefined, ["reasoning_effort"]],
  ])("%s with %s", (model, reasoning_effort, thinking, config, dropped) => {
    const sent = sentTo("openai-chat", chat({ reasoning_effort }), `anthropic/${model}`);
    expect(thinkingOf(sent.body)).toEqual([thinking, config]);
    expect(sent.fields).toEqual(dropped);
  });

  it.each([
    [
      "claude-opus-4-7",
      { thinking: { type: "enabled", budget_tokens: 4_000 } },
      { type: "adaptive" },
      { effort: "medium" },
    ],
    ["claude-opus-4-7", { thinking: { type: "adaptive" } }, { type: "adaptive" }, undefined],
    ["claude-opus-4-7", { output_config: { effort: "max" } }, undefined, { effort: "max" }],
    ["claude-haiku-4-5", { thinking: { type: "adaptive" } }, { type: "enabled", budget_tokens: 6_000 }, undefined],
    ["claude-haiku-4-5", { output_config: { effort: "low" } }, { type: "enabled", budget_tokens: 2_048 }, undefined],
    ["claude-sonnet-5-5", { thinking: { type: "disabled" } }, { type: "between_tools" }, undefined],
    ["claude-haiku-4-5", { thinking: { type: "between_tools" } }, undefined, undefined],
  ])("%s, written by a client of the same dialect as %j", (model, own, thinking, config) => {
    expect(thinkingOf(sentTo("anthropic-messages", messages(own), `anthropic/${model}`).body)).toEqual([
      thinking,
      config,
    ]);
  });

  it.each(["low", "medium", "high", "xhigh", "max"])(
    "%s leaves room for an answer, whoever sets the limit",
    (effort) => {
      const reasoning_effort = effort;
      for (const body of [chat({ reasoning_effort }), chat({ reasoning_effort, max_tokens: 9_000 })]) {
        const sent = sentTo("openai-chat", body, "messages/some-model").body;
        expect(sent.max_tokens - (sent.thinking?.budget_tokens ?? 0)).toBeGreaterThanOrEqual(1_024);
        expect(sent.thinking.budget_tokens).toBeGreaterThanOrEqual(1_024);
      }
    },
  );

  it("is left out and named where a limit of the caller's is too small for both", () => {
    const sent = sentTo("openai-chat", chat({ reasoning_effort: "low", max_tokens: 1_500 }), "messages/some-model");
    expect([sent.body.thinking, sent.fields]).toEqual([undefined, ["reasoning_effort"]]);
  });
});

describe("sampling parameters", () => {
  const all = { temperature: 0.3, top_p: 0.9, top_k: 5 };

  it.each([
    ["anthropic/claude-opus-4-7", {}, ["temperature", "top_k", "top_p"]],
    ["anthropic/claude-new-9", {}, ["temperature", "top_k", "top_p"]],
    ["anthropic/claude-sonnet-4-5", { temperature: 0.3, top_k: 5 }, ["top_p"]],
    ["anthropic/claude-3-5-haiku-latest", all, []],
    ["openai/gpt-5-nano", {}, ["temperature", "top_k", "top_p"]],
    ["openai/gpt-4.1", { temperature: 0.3, top_p: 0.9 }, ["top_k"]],
    ["responses/gpt-5-nano", {}, ["temperature", "top_k", "top_p"]],
    ["openrouter/anthropic/claude-opus-4.6", all, []],
    ["chat/some-model", { temperature: 0.3, top_p: 0.9 }, ["top_k"]],
  ])("%s gets those it takes, and the rest is named", (candidate, sent, dropped) => {
    for (const [client, body] of [
      ["openai-chat", chat(all)],
      ["anthropic-messages", messages(all)],
    ] as const) {
      const encoded = sentTo(client, body, candidate);
      const { temperature, top_p, top_k } = encoded.body;
      expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(sent);
      expect(encoded.fields).toEqual(dropped);
    }
  });

  it("are sent to a model that is told not to think, where it can be told", () => {
    const body = chat({ temperature: 0.3, reasoning_effort: "none" });
    expect(sentTo("openai-chat", body, "openai/gpt-5.1").body.temperature).toBe(0.3);
    expect(sentTo("openai-chat", body, "openai/gpt-5-nano").body).toMatchObject({ reasoning_effort: "minimal" });
    expect(sentTo("openai-chat", body, "openai/gpt-5-nano").fields).toEqual(["reasoning_effort", "temperature"]);
  });
});

describe("the output limit", () => {
  it.each([
    ["openai/gpt-4.1", "max_completion_tokens"],
    ["groq/openai/gpt-oss-120b", "max_completion_tokens"],
    ["chat/some-model", "max_tokens"],
    ["mistral/mistral-small-latest", "max_tokens"],
    ["responses/gpt-5", "max_output_tokens"],
  ])("of %s is called %s, under whichever name the client sends it", (candidate, field) => {
    for (const given of [{ max_tokens: 99 }, { max_completion_tokens: 99 }]) {
      const { body } = sentTo("openai-chat", chat(given), candidate);
      expect(Object.entries(body).filter(([, value]) => value === 99)).toEqual([[field, 99]]);
    }
  });

  it.each([
    ["anthropic/claude-3-5-haiku-latest", "max_tokens", 8_192, ["max_tokens"]],
    ["openai/gpt-4o", "max_completion_tokens", 16_384, ["max_tokens"]],
    ["anthropic/claude-new-9", "max_tokens", 200_000, []],
    ["chat/some-model", "max_tokens", 200_000, []],
  ])("of %s is lowered to what the model can put out, and named", (candidate, field, sent, dropped) => {
    const encoded = sentTo("openai-chat", chat({ max_tokens: 200_000 }), candidate);
    expect([encoded.body[field], encoded.fields]).toEqual([sent, dropped]);
  });
});

describe("a tool that is forced", () => {
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];

  it("is refused by name where the model refuses it, and sent elsewhere", () => {
    const body = chat({ tools, tool_choice: "required" });
    expect(encodedFor("openai-chat", body, "anthropic/claude-sonnet-5-5")).toMatchObject({
      ok: false,
      param: "tool_choice",
    });
    expect(sentTo("openai-chat", body, "anthropic/claude-opus-4-7").body.tool_choice).toEqual({ type: "any" });
  });
});
