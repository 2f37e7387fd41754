/** Effort words, thinking budgets and the sampling they exclude, fitted to what a model takes. */
import { compilePattern } from "../../json/pattern/pattern.ts";
import type { ReasoningEffort } from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";

const EFFORTS: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The wanted effort, or the nearest that the model takes (the lesser of two), named as changed; undefined where it takes
 * none. A model of which nothing is known gets the wanted one.
 */
export function fittingEffort(
  wanted: ReasoningEffort,
  { model, facts }: Pick<WireTarget, "model" | "facts">,
  dropped: DroppedField[],
): ReasoningEffort | undefined {
  const efforts = facts?.thinking === "none" ? [] : facts?.efforts;
  if (efforts === undefined || efforts.includes(wanted)) return wanted;
  const fitting = nearest(wanted, efforts);
  if (fitting !== undefined)
    dropped.push({ field: "reasoning_effort", why: `sent as ${fitting}: ${model} has no ${wanted}` });
  else if (wanted !== "none") dropped.push({ field: "reasoning_effort", why: `${model} takes no effort` });
  return fitting;
}

function nearest(wanted: ReasoningEffort, efforts: readonly ReasoningEffort[]): ReasoningEffort | undefined {
  const distance = (effort: ReasoningEffort): number => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(wanted));
  return [...efforts].sort((a, b) => distance(a) - distance(b) || EFFORTS.indexOf(a) - EFFORTS.indexOf(b))[0];
}

/** Returns the effort closest to a budget of thinking tokens, for models that take only effort words. */
export function effortForBudget(tokens: number): ReasoningEffort {
  return tokens <= 2_048 ? "low" : tokens <= 12_288 ? "medium" : "high";
}

/** One for each pattern of the provider table. */
const reasoningPatterns = new Map<string, ReturnType<typeof compilePattern>>();

export function isReasoningModel({ model, quirks }: WireTarget): boolean {
  if (quirks.reasoningModels === undefined) return false;
  let pattern = reasoningPatterns.get(quirks.reasoningModels);
  if (pattern === undefined) {
    pattern = compilePattern(quirks.reasoningModels);
    reasoningPatterns.set(quirks.reasoningModels, pattern);
  }
  return pattern.ok && pattern.value.test(model);
}

/** True where the model, thinking as much as asked, refuses sampling parameters. */
export function refusesSampling(effort: unknown, target: WireTarget): boolean {
  switch (target.facts?.sampling) {
    case "none":
      return true;
    case "without_thinking":
      return effort !== "none";
    case undefined:
      return isReasoningModel(target) && effort !== "none";
    default:
      return false;
  }
}
