/** OpenAI's models by family, for its own API and Azure's. */
import type { ReasoningEffort } from "../wire/chat.ts";
import type { ModelFacts } from "../wire/model-facts.ts";
import type { ModelCapabilities, ModelFamily } from "./provider.ts";

const MODELS = "developers.openai.com/api/docs/models";
const EFFORT = "developers.openai.com/api/docs/guides/reasoning";
const AS_OF = "2026-11-20";

const PLAIN: ModelFacts = { thinking: "none", sampling: "any" };
const thinks = (...efforts: readonly ReasoningEffort[]): ModelFacts => ({
  thinking: "effort",
  efforts,
  sampling: efforts.includes("none") ? "without_thinking" : "none",
});

const family = (
  match: string,
  [maxOutput, contextWindow]: readonly [number, number],
  facts: ModelFacts,
  capabilities?: ModelCapabilities,
): ModelFamily => ({
  match,
  maxOutput,
  contextWindow,
  capabilities: facts.thinking === "none" ? capabilities : { reasoning: true, ...capabilities },
  facts,
  source: facts.thinking === "none" ? MODELS : EFFORT,
  asOf: AS_OF,
});

const GPT_5 = [128_000, 400_000] as const;
const LONG = [128_000, 1_050_000] as const;

export const GPT: readonly ModelFamily[] = [
  family("^gpt-3\\.5", [4_096, 16_385], PLAIN, { native_strict: false, vision: false }),
  family("^gpt-4-turbo", [4_096, 128_000], PLAIN, { native_strict: false }),
  family("^gpt-4(-\\d{4})?$", [8_192, 8_192], PLAIN, { native_strict: false, json_object: false, vision: false }),
  family("^gpt-4o", [16_384, 128_000], PLAIN),
  family("^gpt-4\\.1", [32_768, 1_047_576], PLAIN),
  family(
    "^o1-(mini|preview)",
    [65_536, 128_000],
    { thinking: "effort", efforts: [], sampling: "none" },
    { native_strict: false, tools: false, vision: false },
  ),
  family("^o\\d", [100_000, 200_000], thinks("low", "medium", "high")),
  family("^gpt-[5-9].*-chat", [16_384, 128_000], PLAIN),
  family("^gpt-5-pro", [272_000, 400_000], thinks("high")),
  family("^gpt-5-codex", GPT_5, thinks("low", "medium", "high")),
  family("^gpt-5(-|$)", GPT_5, thinks("minimal", "low", "medium", "high")),
  family("^gpt-5\\.1-codex-max", GPT_5, thinks("low", "medium", "high", "xhigh")),
  family("^gpt-5\\.1-codex", GPT_5, thinks("low", "medium", "high")),
  family("^gpt-5\\.1", GPT_5, thinks("none", "low", "medium", "high")),
  family("^gpt-5\\.\\d+.*-codex", GPT_5, thinks("low", "medium", "high", "xhigh")),
  family("^gpt-5\\.\\d+-pro", GPT_5, thinks("medium", "high", "xhigh")),
  family("^gpt-5\\.[23]", GPT_5, thinks("none", "low", "medium", "high", "xhigh")),
  family("^gpt-5\\.[45]-(mini|nano)", GPT_5, thinks("none", "low", "medium", "high", "xhigh")),
  family("^gpt-5\\.[45]", LONG, thinks("none", "low", "medium", "high", "xhigh")),
  family("^gpt-(5\\.\\d|6)", GPT_5, thinks("none", "low", "medium", "high", "xhigh", "max")),
  // For unknown models: the words that every reasoning model accepts, and no sampling.
  {
    ...family("^gpt-([7-9]|\\d\\d)", GPT_5, thinks("low", "medium", "high")),
    assumed: true,
  },
];
