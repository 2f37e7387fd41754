import type { ReasoningEffort, ReasoningOptions } from "../chat.ts";
import type { DroppedField } from "../dialect.ts";

/** Models that take a level instead of a budget of thinking tokens. */
const LEVEL_MODELS = /^gemini-(?:[3-9]|\d{2,})/;

const LEVELS: Record<ReasoningEffort, string> = {
  none: "minimal",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

const BUDGETS: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

export function thinkingConfig(
  reasoning: ReasoningOptions | undefined,
  model: string,
  dropped: DroppedField[],
): Record<string, unknown> | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens, summary } = reasoning;
  const thoughts = summary === undefined ? {} : { includeThoughts: true };
  if (budgetTokens !== undefined) return { thinkingBudget: budgetTokens, ...thoughts };
  if (effort === undefined) return Object.keys(thoughts).length > 0 ? thoughts : undefined;
  if (effort === "xhigh" || effort === "max")
    dropped.push({ field: "reasoning_effort", why: `sent as high, the most ${model} takes` });
  return LEVEL_MODELS.test(model)
    ? { thinkingLevel: LEVELS[effort], ...thoughts }
    : { thinkingBudget: BUDGETS[effort], ...thoughts };
}
