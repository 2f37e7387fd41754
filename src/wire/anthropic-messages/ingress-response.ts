/** Neutral answer → an Anthropic message. */
import { parseExact } from "../../json/exact-numbers.ts";
import type { AssistantPart, ChatAnswer } from "../chat.ts";
import type { ServedContext } from "../dialect.ts";
import { stopReason } from "./finish.ts";
import { encodeUsage } from "./ingress-usage.ts";

/** The first choice only: the dialect has no word for several, and its requests cannot ask for them. */
export function encodeAnswer(answer: ChatAnswer, served: ServedContext): Record<string, unknown> {
  if (answer.native?.dialect === "anthropic-messages")
    return { ...answer.native.body, id: served.id, model: served.model };
  const choice = answer.choices[0];
  const content = (choice?.content ?? []).flatMap(contentBlock);
  return {
    id: served.id,
    type: "message",
    role: "assistant",
    model: served.model,
    content,
    stop_reason: choice ? stopReason(choice.finish) : "end_turn",
    stop_sequence: null,
    usage: encodeUsage(answer.usage),
  };
}

function contentBlock(part: AssistantPart): Record<string, unknown>[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "reasoning":
      if (part.encrypted !== undefined && part.text === "")
        return [{ type: "redacted_thinking", data: part.encrypted }];
      return [{ type: "thinking", thinking: part.text, signature: part.signature ?? "" }];
    case "tool-call":
      return [{ type: "tool_use", id: part.id, name: part.name, input: toolInput(part.arguments) }];
    case "native":
      return [];
  }
}

/** Clients of this dialect get arguments parsed. Text that is not JSON reaches them whole, under a name of its own. */
function toolInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return parseExact(text);
  } catch {
    return { malformed_arguments: text };
  }
}
