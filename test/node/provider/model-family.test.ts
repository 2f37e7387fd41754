import { describe, expect, it } from "vitest";
import { modelFamilies } from "../../../src/provider/model-family.ts";

describe("the family of a model", () => {
  for (const [model, families] of [
    ["claude-haiku-4-5", ["claude"]],
    ["anthropic/claude-3.5-sonnet", ["claude"]],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", ["claude"]],
    ["gpt-5.4-mini", ["gpt"]],
    ["o3-mini", ["gpt"]],
    ["openai/gpt-oss-120b", ["gpt"]],
    ["gemini-3.1-flash-lite", ["gemini"]],
    ["google/gemma-3-27b-it", ["gemini"]],
    ["meta-llama/Llama-3.3-70B-Instruct", ["llama"]],
    ["deepseek-r1-distill-llama-70b", ["llama", "deepseek"]],
    ["mistral-large-latest", ["mistral"]],
    ["open-mixtral-8x22b", ["mistral"]],
    ["Qwen/QwQ-32B", ["qwen"]],
    ["grok-4-fast", ["grok"]],
    ["yi-large", ["yi"]],
    ["atlas-large", ["atlas"]],
    ["acme/atlas-small", ["atlas"]],
    ["nimbus-mini", ["nimbus"]],
    ["7b", ["b"]],
    ["123", ["123"]],
  ] as const) {
    it(`${model} is ${families.join(" and ")}`, () => expect(modelFamilies(model)).toEqual(families));
  }

  it("does not find one inside another word", () => {
    expect(modelFamilies("foo3-large")).toEqual(["foo"]);
    expect(modelFamilies("supernova2")).toEqual(["supernova"]);
  });
});
