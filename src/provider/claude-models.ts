/** Claude models by family, for Anthropic's API and every other provider that serves them over the Messages API. */
import type { ModelFacts } from "../wire/model-facts.ts";
import type { ModelFamily } from "./provider.ts";

const OVERVIEW = "platform.claude.com/docs/en/models/overview";
const ADAPTIVE = "docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html";
const AS_OF = "2026-11-20";

const BUDGET: ModelFacts = { thinking: "budget", thinkingOff: "omit" };
/** From Opus 4.1 on `temperature` and `top_p` exclude each other. */
const ONE_OF_TWO = { sampling: "one" } as const;
const FROM_4_7 = {
  thinking: "adaptive",
  efforts: ["low", "medium", "high", "xhigh", "max"],
  sampling: "none",
} as const satisfies ModelFacts;
/** Forcing a tool and thinking exclude each other, and these models always think. */
const ALWAYS_THINKS = { ...FROM_4_7, thinkingOff: "never", forcedTools: false } as const satisfies ModelFacts;

const family = (
  match: string,
  maxOutput: number,
  contextWindow: number,
  native: boolean,
  facts: ModelFacts,
  source = OVERVIEW,
): ModelFamily => ({
  match,
  maxOutput,
  contextWindow,
  capabilities: { native_strict: native, reasoning: facts.thinking !== "none" },
  facts,
  source,
  asOf: AS_OF,
});

/**
 * Anthropic requires `max_tokens`, so every family states its maximum. Structured output came with Opus 4.1 and the 4.5
 * models.
 */
export const CLAUDE: readonly ModelFamily[] = [
  {
    ...family("^claude-(?:2|v1|instant)", 4_096, 100_000, false, { thinking: "none", sampling: "any" }),
    capabilities: { native_strict: false, vision: false, tools: false },
  },
  family("^claude-3-(?:opus|sonnet|haiku)", 4_096, 200_000, false, { thinking: "none", sampling: "any" }),
  family("^claude-3[-.]5", 8_192, 200_000, false, { thinking: "none", sampling: "any" }),
  family("^claude-3[-.]7", 64_000, 200_000, false, { ...BUDGET, sampling: "any" }),
  family("^claude-opus-4[-.]1", 32_000, 200_000, true, { ...BUDGET, ...ONE_OF_TWO }),
  family("^claude-opus-4(?:-0|[-@]2\\d{7}|$)", 32_000, 200_000, false, { ...BUDGET, sampling: "any" }),
  family("^claude-sonnet-4(?:-0|[-@]2\\d{7}|$)", 64_000, 200_000, false, { ...BUDGET, sampling: "any" }),
  family("^claude-(?:opus|sonnet|haiku)-4[-.]5", 64_000, 200_000, true, { ...BUDGET, ...ONE_OF_TWO }),
  family("^claude-opus-4[-.]6", 128_000, 1_000_000, true, {
    ...ONE_OF_TWO,
    thinking: "adaptive",
    efforts: ["low", "medium", "high", "max"],
    thinkingOff: "omit",
  }),
  family("^claude-sonnet-4[-.]6", 64_000, 1_000_000, true, {
    ...ONE_OF_TWO,
    thinking: "adaptive",
    efforts: ["low", "medium", "high", "max"],
    thinkingOff: "omit",
  }),
  family("^claude-opus-4[-.][78]", 128_000, 1_000_000, true, { ...FROM_4_7, thinkingOff: "omit" }, ADAPTIVE),
  family("^claude-sonnet-5[-.]5", 128_000, 1_000_000, true, {
    ...FROM_4_7,
    thinkingOff: "between_tools",
    forcedTools: false,
  }),
  family("^claude-opus-5[-.]5", 128_000, 1_000_000, true, ALWAYS_THINKS),
  family("^claude-(?:fable|mythos)-", 128_000, 1_000_000, true, ALWAYS_THINKS, ADAPTIVE),
  family("^claude-(?:opus|sonnet)-5(?:$|[-@]2\\d{7})|^claude-haiku-5[-.]5", 128_000, 1_000_000, true, {
    ...FROM_4_7,
    thinkingOff: "disabled",
  }),
  // For unknown models: every one since Opus 4.7 refuses sampling parameters and budgets, and accepts these words.
  {
    ...family("^claude-", 128_000, 200_000, true, {
      thinking: "adaptive",
      efforts: ["low", "medium", "high"],
      thinkingOff: "never",
      sampling: "none",
    }),
    assumed: true,
  },
];
