/** Neutral answer → a response object. */
import type { Usage } from "../../money/usage.ts";
import type { AnswerChoice, AssistantPart, ChatAnswer, FinishReason } from "../chat.ts";
import type { ServedContext } from "../dialect.ts";
import { encodeUsage } from "./usage.ts";

export type OutputItem = Record<string, unknown>;

/** The first choice only: the dialect has no word for several, and its requests cannot ask for them. */
export function encodeAnswer(answer: ChatAnswer, served: ServedContext): Record<string, unknown> {
  if (answer.native?.dialect === "openai-responses")
    return { ...answer.native.body, id: served.id, model: served.model };
  const choice = answer.choices[0];
  return responseObject(served, choice ? outputItems(choice, served.id) : [], choice?.finish, answer.usage);
}

export function responseObject(
  served: ServedContext,
  output: readonly OutputItem[],
  finish: FinishReason | undefined,
  usage: Usage | undefined,
): Record<string, unknown> {
  const cut = finish?.unified === "length" || finish?.unified === "content-filter";
  return {
    id: served.id,
    object: "response",
    created_at: served.created,
    status: cut ? "incomplete" : "completed",
    error: null,
    incomplete_details: cut ? { reason: finish.unified === "length" ? "max_output_tokens" : "content_filter" } : null,
    model: served.model,
    output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    metadata: {},
    usage: encodeUsage(usage),
  };
}

/** All text of a choice is one message item; reasoning and calls are items of their own. */
function outputItems(choice: AnswerChoice, id: string): OutputItem[] {
  const items: OutputItem[] = [];
  for (const part of choice.content) {
    const item = outputItem(part, `${id}_${items.length}`);
    const last = items.at(-1);
    if (item?.["type"] === "message" && last?.["type"] === "message")
      last["content"] = [...contentOf(last), ...contentOf(item)];
    else if (item) items.push(item);
  }
  return items;
}

function contentOf(item: OutputItem): unknown[] {
  return Array.isArray(item["content"]) ? item["content"] : [];
}

function outputItem(part: AssistantPart, suffix: string): OutputItem | undefined {
  switch (part.type) {
    case "text":
      return messageItem(`msg_${suffix}`, [textContent(part.text)]);
    case "refusal":
      return messageItem(`msg_${suffix}`, [{ type: "refusal", refusal: part.text }]);
    case "reasoning":
      return reasoningItem(`rs_${suffix}`, part.text, part.encrypted);
    case "tool-call":
      return callItem(`fc_${suffix}`, part.id, part.name, part.arguments);
    case "native":
      return undefined;
  }
}

export function textContent(text: string): OutputItem {
  return { type: "output_text", text, annotations: [] };
}

export function messageItem(id: string, content: readonly OutputItem[]): OutputItem {
  return { type: "message", id, role: "assistant", status: "completed", content };
}

export function reasoningItem(id: string, text: string, encrypted: string | undefined): OutputItem {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return { type: "reasoning", id, summary, ...(encrypted === undefined ? {} : { encrypted_content: encrypted }) };
}

export function callItem(id: string, callId: string, name: string, args: string): OutputItem {
  return { type: "function_call", id, call_id: callId, name, arguments: args, status: "completed" };
}
