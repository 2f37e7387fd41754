import { arrayAt, isRecord, stringAt } from "../../json/record.ts";
import type { ChatRequest, ReasoningEffort } from "../chat.ts";
import type { DroppedField } from "../dialect.ts";

/** Fields by which a client of this dialect asks for thinking itself. */
const OWN_FIELDS = ["thinking", "output_config"];

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

/**
 * Adds extended thinking to a body where the caller asks for reasoning. The budget is part of `max_tokens`, so it never
 * raises what the call can cost. Thinking excludes sampling parameters and forced tools: the tool choice of the caller
 * wins over thinking, thinking wins over sampling; whatever gives way is reported.
 */
export function thinking(body: Record<string, unknown>, request: ChatRequest, dropped: DroppedField[]): void {
  const own = request.native?.dialect === "anthropic-messages" ? request.native.body : {};
  if (OWN_FIELDS.some((field) => field in own)) return;
  const wanted = request.reasoning?.budgetTokens ?? budgetOf(request.reasoning?.effort);
  if (wanted === undefined) return;
  const maxTokens = body["max_tokens"];
  const budget = Math.min(wanted, typeof maxTokens === "number" ? maxTokens - 1 : wanted);
  if (budget < LEAST_BUDGET) {
    dropped.push({
      field: "reasoning_effort",
      why: `max_tokens leaves no room for the ${LEAST_BUDGET} thinking tokens Anthropic asks for`,
    });
    return;
  }
  if (isForced(body["tool_choice"])) {
    dropped.push({ field: "reasoning_effort", why: "Anthropic does not think when a tool is forced" });
    return;
  }
  if (endsInUnthoughtCalls(body["messages"])) {
    dropped.push({
      field: "reasoning_effort",
      why: "Anthropic goes on thinking only where its signed thinking came back",
    });
    return;
  }
  body["thinking"] = { type: "enabled", budget_tokens: budget };
  for (const field of ["temperature", "top_p", "top_k"]) {
    if (!(field in body)) continue;
    delete body[field];
    dropped.push({ field, why: "Anthropic refuses it together with thinking" });
  }
}

function budgetOf(effort: ReasoningEffort | undefined): number | undefined {
  return effort === undefined || effort === "none" ? undefined : BUDGETS[effort];
}

/** Results of calls that the model made without thinking, or whose thinking the client did not hand back. */
function endsInUnthoughtCalls(messages: unknown): boolean {
  const turns = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const [asked, answered] = turns.slice(-2);
  const answers = arrayAt(answered, "content")?.some((block) => stringAt(block, "type") === "tool_result");
  const first = stringAt(arrayAt(asked, "content")?.[0], "type");
  return answers === true && first !== "thinking" && first !== "redacted_thinking";
}

function isForced(choice: unknown): boolean {
  return (
    typeof choice === "object" &&
    choice !== null &&
    "type" in choice &&
    (choice.type === "any" || choice.type === "tool")
  );
}
