/** What is known of a built-in provider's models by the pattern of their id. The first match counts. */
import type { ModelFamily } from "./provider.ts";

/** Anthropic demands `max_tokens`, so every family carries its ceiling. Structured output came with 4.1 Opus and 4.5. */
export const CLAUDE: readonly ModelFamily[] = [
  {
    match: "^claude-(2|v1|instant)",
    maxOutput: 4_096,
    contextWindow: 100_000,
    capabilities: { native_strict: false, vision: false, tools: false },
  },
  {
    match: "^claude-3-(opus|sonnet|haiku)",
    maxOutput: 4_096,
    contextWindow: 200_000,
    capabilities: { native_strict: false },
  },
  { match: "^claude-3-5", maxOutput: 8_192, contextWindow: 200_000, capabilities: { native_strict: false } },
  {
    match: "^claude-3-7",
    maxOutput: 64_000,
    contextWindow: 200_000,
    capabilities: { native_strict: false, reasoning: true },
  },
  {
    match: "^claude-opus-4-1",
    maxOutput: 32_000,
    contextWindow: 200_000,
    capabilities: { native_strict: true, reasoning: true },
  },
  {
    match: "^claude-opus-4(-0|-2\\d{7}|$)",
    maxOutput: 32_000,
    contextWindow: 200_000,
    capabilities: { native_strict: false, reasoning: true },
  },
  {
    match: "^claude-sonnet-4(-0|-2\\d{7}|$)",
    maxOutput: 64_000,
    contextWindow: 200_000,
    capabilities: { native_strict: false, reasoning: true },
  },
  {
    match: "^claude-",
    maxOutput: 64_000,
    contextWindow: 200_000,
    capabilities: { native_strict: true, reasoning: true },
  },
];

export const GPT: readonly ModelFamily[] = [
  {
    match: "^gpt-3\\.5",
    maxOutput: 4_096,
    contextWindow: 16_385,
    capabilities: { native_strict: false, vision: false },
  },
  { match: "^gpt-4-turbo", maxOutput: 4_096, contextWindow: 128_000, capabilities: { native_strict: false } },
  {
    match: "^gpt-4(-\\d{4})?$",
    maxOutput: 8_192,
    contextWindow: 8_192,
    capabilities: { native_strict: false, json_object: false, vision: false },
  },
  { match: "^gpt-4o", maxOutput: 16_384, contextWindow: 128_000 },
  { match: "^gpt-4\\.1", maxOutput: 32_768, contextWindow: 1_047_576 },
  {
    match: "^o1-(mini|preview)",
    maxOutput: 65_536,
    contextWindow: 128_000,
    capabilities: { native_strict: false, reasoning: true, tools: false, vision: false },
  },
  { match: "^o\\d", maxOutput: 100_000, contextWindow: 200_000, capabilities: { reasoning: true } },
  { match: "^gpt-5.*-chat", maxOutput: 16_384, contextWindow: 128_000 },
  { match: "^gpt-5", maxOutput: 128_000, contextWindow: 400_000, capabilities: { reasoning: true } },
];

export const GEMINI: readonly ModelFamily[] = [
  { match: "^gemini-(1\\.5|2\\.0|pro|flash-1)", maxOutput: 8_192, contextWindow: 1_048_576 },
  { match: "^gemini-", maxOutput: 65_536, contextWindow: 1_048_576, capabilities: { reasoning: true } },
  { match: "^gemma", capabilities: { native_strict: false, tools: false } },
];

export const DEEPSEEK: readonly ModelFamily[] = [
  {
    match: "reasoner",
    maxOutput: 64_000,
    contextWindow: 128_000,
    capabilities: { reasoning: true, trace_visible: true },
  },
  { match: "^deepseek-chat", maxOutput: 8_192, contextWindow: 128_000 },
];

/** Strict schemas on a subset of Groq's models; the others are best-effort and count as not enforcing. */
export const GROQ: readonly ModelFamily[] = [
  {
    match: "gpt-oss",
    maxOutput: 65_536,
    contextWindow: 131_072,
    capabilities: { native_strict: true, reasoning: true },
  },
];
