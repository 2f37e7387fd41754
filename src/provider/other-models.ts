/** Models of the other built-in providers by family. */
import type { ModelFacts } from "../wire/model-facts.ts";
import type { ModelFamily } from "./provider.ts";

const GEMINI_MODELS = "ai.google.dev/gemini-api/docs/models";
const GEMINI_THINKING = "ai.google.dev/gemini-api/docs/thinking";
const AS_OF = "2026-11-20";

const gemini = (match: string, facts: ModelFacts): ModelFamily => ({
  match,
  maxOutput: 65_536,
  contextWindow: 1_048_576,
  capabilities: { reasoning: true },
  facts: { sampling: "any", ...facts },
  source: GEMINI_THINKING,
  asOf: AS_OF,
});

/** From Gemini 3 on, a level replaces the budget, and calls are signed. */
const LEVELS = { thinking: "level", thinkingOff: "never", signsCalls: true } as const satisfies ModelFacts;

export const GEMINI: readonly ModelFamily[] = [
  {
    match: "^gemini-(1\\.5|2\\.0|pro|flash-1)",
    maxOutput: 8_192,
    contextWindow: 1_048_576,
    facts: { thinking: "none", sampling: "any" },
    source: GEMINI_MODELS,
    asOf: AS_OF,
  },
  gemini("^gemini-2\\.5-flash-lite", { thinking: "budget", thinkingBudget: [0, 24_576] }),
  gemini("^gemini-2\\.5-flash", { thinking: "budget", thinkingBudget: [0, 24_576] }),
  gemini("^gemini-2\\.5-pro", { thinking: "budget", thinkingBudget: [128, 32_768] }),
  gemini("^gemini-3-pro", { ...LEVELS, efforts: ["low", "high"] }),
  gemini("^gemini-3\\.\\d+-pro", { ...LEVELS, efforts: ["low", "medium", "high"] }),
  gemini("^gemini-(?:[3-9]|\\d{2,}).*-flash", { ...LEVELS, efforts: ["minimal", "low", "medium", "high"] }),
  // For unknown models: the two levels that every one since Gemini 3 accepts.
  { ...gemini("^gemini-(?:[3-9]|\\d{2,})", { ...LEVELS, efforts: ["low", "high"] }), assumed: true },
  { ...gemini("^gemini-", { thinking: "budget", thinkingBudget: [128, 24_576] }), assumed: true },
  {
    match: "^gemma",
    capabilities: { native_strict: false, tools: false },
    facts: { thinking: "none", sampling: "any" },
    source: GEMINI_MODELS,
    asOf: AS_OF,
  },
];

export const DEEPSEEK: readonly ModelFamily[] = [
  {
    match: "reasoner",
    maxOutput: 64_000,
    contextWindow: 128_000,
    capabilities: { reasoning: true, trace_visible: true },
    source: "api-docs.deepseek.com/quick_start/pricing",
    asOf: AS_OF,
  },
  {
    match: "^deepseek-chat",
    maxOutput: 8_192,
    contextWindow: 128_000,
    source: "api-docs.deepseek.com/quick_start/pricing",
    asOf: AS_OF,
  },
];

/** A subset of Groq's models enforces strict schemas; the others do so by best effort and count as not enforcing. */
export const GROQ: readonly ModelFamily[] = [
  {
    match: "gpt-oss",
    maxOutput: 65_536,
    contextWindow: 131_072,
    capabilities: { native_strict: true, reasoning: true },
    facts: { thinking: "effort", efforts: ["low", "medium", "high"] },
    source: "console.groq.com/docs/reasoning",
    asOf: AS_OF,
  },
];
