/** How much a Gemini model is to think: a level or a budget of tokens, by the model. */
import type { ReasoningEffort, ReasoningOptions } from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";
import { effortForBudget, fittingEffort } from "../fit/effort.ts";

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
  target: WireTarget,
  dropped: DroppedField[],
): Record<string, unknown> | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens, summary } = reasoning;
  if (target.facts?.thinking === "none") {
    if (effort !== "none") dropped.push({ field: "reasoning_effort", why: `${target.model} does not think` });
    return undefined;
  }
  const thoughts = summary === undefined ? {} : { includeThoughts: true };
  const amount =
    target.facts?.thinking === "level" ? level(reasoning, target, dropped) : budget(reasoning, target, dropped);
  const config = { ...amount, ...thoughts };
  return effort === undefined && budgetTokens === undefined && summary === undefined ? undefined : config;
}

function level({ effort, budgetTokens }: ReasoningOptions, target: WireTarget, dropped: DroppedField[]) {
  if (effort === undefined && budgetTokens === undefined) return {};
  if (budgetTokens !== undefined)
    dropped.push({ field: "reasoning.budget_tokens", why: `${target.model} takes a level instead of a budget` });
  const fitting = fittingEffort(effort ?? effortForBudget(budgetTokens ?? 0), target, dropped);
  return fitting === undefined ? {} : { thinkingLevel: fitting };
}

function budget({ effort, budgetTokens }: ReasoningOptions, target: WireTarget, dropped: DroppedField[]) {
  const asked = budgetTokens ?? (effort && BUDGETS[effort]);
  if (asked === undefined) return {};
  if (budgetTokens === undefined && (effort === "xhigh" || effort === "max"))
    dropped.push({ field: "reasoning_effort", why: `sent as high, the most ${target.model} takes` });
  const [least, most] = target.facts?.thinkingBudget ?? [0, Number.POSITIVE_INFINITY];
  const fitting = Math.min(most, Math.max(least, asked));
  if (fitting !== asked) {
    const field = budgetTokens === undefined ? "reasoning_effort" : "reasoning.budget_tokens";
    dropped.push({ field, why: `sent as ${fitting} thinking tokens, what ${target.model} takes` });
  }
  return { thinkingBudget: fitting };
}
