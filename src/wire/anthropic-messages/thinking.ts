/** How much a Claude model is to think, in the form that the model takes. */
import { arrayAt, isRecord, recordAt, stringAt } from "../../json/record.ts";
import type { ChatRequest, ReasoningEffort, ReasoningOptions } from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";
import { effortForBudget, fittingEffort } from "../fit/effort.ts";

type Body = Record<string, unknown>;

/** Thinking tokens per effort word; the API's own floor is 1 024. */
const BUDGETS: Record<Exclude<ReasoningEffort, "none">, number> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};
const LEAST_BUDGET = 1_024;
/** The share of `max_tokens` that thinking leaves to the answer, and its least size in tokens. */
const ANSWER_SHARE = 0.25;
const LEAST_ANSWER = 1_024;

/**
 * Returns the tokens to request where no limit is set, so that thinking leaves room for the answer; undefined without
 * thinking.
 */
export function limitWithThinking(request: ChatRequest, answer: number, { facts }: WireTarget): number | undefined {
  if (facts?.thinking === "adaptive" || facts?.thinking === "none") return undefined;
  const wanted = wantedBudget(request.reasoning);
  return wanted === undefined ? undefined : wanted + answer;
}

/**
 * Adds thinking to a body where the caller asks for it, in the model's own form; a client's own form that the model
 * accepts is kept. The budget is part of `max_tokens`, so it never raises the cost limit, and it leaves a share to the
 * answer. Thinking excludes sampling parameters and forced tools: the caller's tool choice takes precedence over
 * thinking, and thinking over sampling. Whatever is dropped is reported.
 */
export function thinking(body: Body, request: ChatRequest, target: WireTarget, dropped: DroppedField[]): void {
  const wanted = request.reasoning;
  if (wanted?.summary !== undefined)
    dropped.push({ field: "reasoning.summary", why: "the Messages API summarises thinking by itself" });
  if (wanted === undefined || takesAsWritten(body, target)) return;
  delete body["thinking"];
  if (target.facts?.thinking === "none") {
    setEffort(body, undefined);
    if (wanted.effort !== "none") dropped.push({ field: "reasoning_effort", why: `${target.model} does not think` });
  } else if (target.facts?.thinking === "adaptive") adaptive(body, wanted, target, dropped);
  else budget(body, wanted, dropped);
}

/** A client of this dialect set thinking itself, in a form that the model accepts. */
function takesAsWritten(body: Body, { facts }: WireTarget): boolean {
  const type = recordAt(body, "thinking")?.["type"];
  const effort = recordAt(body, "output_config")?.["effort"];
  if (type === undefined && effort === undefined) return false;
  if (facts?.thinking === undefined) return true;
  const efforts: readonly unknown[] = facts.efforts ?? [];
  if (effort !== undefined && effort !== null && !efforts.includes(effort)) return false;
  if (type === undefined) return true;
  if (type === "disabled" || type === "between_tools")
    return facts.thinkingOff === type || (facts.thinkingOff === "omit" && type === "disabled");
  return type === (facts.thinking === "adaptive" ? "adaptive" : facts.thinking === "budget" ? "enabled" : undefined);
}

function adaptive(body: Body, wanted: ReasoningOptions, target: WireTarget, dropped: DroppedField[]): void {
  const off = target.facts?.thinkingOff;
  if (wanted.effort === "none" && off !== "never") {
    setEffort(body, undefined);
    if (off === "disabled" || off === "between_tools") body["thinking"] = { type: off };
    return;
  }
  if (wanted.budgetTokens !== undefined)
    dropped.push({ field: "reasoning.budget_tokens", why: `${target.model} takes an effort instead of a budget` });
  const effort = wanted.effort ?? effortForBudget(wanted.budgetTokens ?? BUDGETS.medium);
  setEffort(body, fittingEffort(effort, target, dropped));
  if (off === "never" && wanted.effort === "none") return;
  body["thinking"] = { type: "adaptive" };
}

function budget(body: Body, wanted: ReasoningOptions, dropped: DroppedField[]): void {
  setEffort(body, undefined);
  const asked = wantedBudget(wanted);
  if (asked === undefined) return;
  const left = (why: string) => dropped.push({ field: "reasoning_effort", why });
  const tokens = Math.min(asked, roomFor(body["max_tokens"]) ?? asked);
  if (tokens < LEAST_BUDGET) {
    left(`max_tokens leaves no room for the ${LEAST_BUDGET} thinking tokens Anthropic asks for and an answer`);
  } else if (isForced(body["tool_choice"])) {
    left("Anthropic does not think when a tool is forced");
  } else if (endsInUnthoughtCalls(body["messages"])) {
    left("Anthropic goes on thinking only where its signed thinking came back");
  } else {
    body["thinking"] = { type: "enabled", budget_tokens: tokens };
  }
}

/** Returns the thinking tokens that fit a limit together with an answer. */
function roomFor(maxTokens: unknown): number | undefined {
  if (typeof maxTokens !== "number") return undefined;
  return maxTokens - Math.max(LEAST_ANSWER, Math.ceil(maxTokens * ANSWER_SHARE));
}

function wantedBudget(reasoning: ReasoningOptions | undefined): number | undefined {
  if (reasoning?.budgetTokens !== undefined) return reasoning.budgetTokens;
  const effort = reasoning?.effort;
  return effort === undefined || effort === "none" ? undefined : BUDGETS[effort];
}

function setEffort(body: Body, effort: ReasoningEffort | undefined): void {
  const { effort: _own, ...config } = recordAt(body, "output_config") ?? {};
  const wanted = effort === undefined ? config : { ...config, effort };
  if (Object.keys(wanted).length > 0) body["output_config"] = wanted;
  else delete body["output_config"];
}

/** True for results of calls that the model made without thinking, or whose thinking the client did not return. */
function endsInUnthoughtCalls(messages: unknown): boolean {
  const turns = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const [asked, answered] = turns.slice(-2);
  const answers = arrayAt(answered, "content")?.some((block) => stringAt(block, "type") === "tool_result");
  const first = stringAt(arrayAt(asked, "content")?.[0], "type");
  return answers === true && first !== "thinking" && first !== "redacted_thinking";
}

export function isForced(choice: unknown): boolean {
  return isRecord(choice) && (choice["type"] === "any" || choice["type"] === "tool");
}
