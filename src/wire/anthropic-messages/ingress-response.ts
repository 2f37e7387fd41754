/** Neutral answer → an Anthropic message. */
import { parseExact } from "../../json/exact-numbers.ts";
import { thinkingFor } from "../carried-thinking.ts";
import type { AssistantPart, ChatAnswer, ReasoningPart, ToolCallPart } from "../chat.ts";
import type { ServedContext } from "../dialect.ts";
import { nativeName } from "../part-events.ts";
import { stopDetails, stopReason } from "./finish.ts";
import { encodeUsage } from "./ingress-usage.ts";

type Block = Record<string, unknown>;

/** Only the first choice: the dialect cannot express several, and its requests cannot ask for them. */
export function encodeAnswer(answer: ChatAnswer, served: ServedContext): Record<string, unknown> {
  if (answer.native?.dialect === "anthropic-messages")
    return { ...answer.native.body, id: served.id, model: served.model };
  const choice = answer.choices[0];
  const content = joined((choice?.content ?? []).flatMap((part) => contentBlocks(part, served)));
  return {
    ...emptyMessage(served),
    content,
    ...(choice ? { stop_reason: stopReason(choice.finish), stop_details: stopDetails(choice.finish) } : {}),
    usage: encodeUsage(answer.usage, answer.servedTier),
  };
}

/** The members that every message has, before any content. */
export function emptyMessage({ id, model }: ServedContext): Record<string, unknown> {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  };
}

/** Text that belongs together is one block: clients parse a block's text. Thinking that has no signature yet goes on. */
function joined(blocks: readonly Block[]): Block[] {
  const whole: Block[] = [];
  for (const block of blocks) {
    const last = whole.at(-1);
    if (block["type"] === "text" && last?.["type"] === "text") last["text"] = `${last["text"]}${block["text"]}`;
    else if (block["type"] === "thinking" && last?.["type"] === "thinking" && last["signature"] === "") {
      last["thinking"] = `${last["thinking"]}${block["thinking"]}`;
      last["signature"] = block["signature"];
    } else whole.push(block);
  }
  return whole;
}

function contentBlocks(part: AssistantPart, served: ServedContext): Block[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [textBlock(part.text)];
    case "reasoning":
      return [thinkingBlock(part)];
    case "tool-call": {
      const call = { ...toolUseBlock(part), input: toolInput(part.arguments) };
      const signed = callSignature(part);
      return signed ? [thinkingBlock(signed), call] : [call];
    }
    case "media":
      served.lost?.(`content.${part.kind}`);
      return part.transcript ? [textBlock(part.transcript)] : [];
    case "native":
      served.lost?.(`content.${nativeName(part)}`);
      return [];
  }
}

export function textBlock(text: string): Block {
  return { type: "text", text, citations: null };
}

/** A call without its input. */
export function toolUseBlock({ id, name }: Pick<ToolCallPart, "id" | "name">): Block {
  return { type: "tool_use", id, name, input: {}, caller: { type: "direct" } };
}

/** Another provider's signed thinking is sent whole inside the signature, which clients return unread. */
export function thinkingBlock(part: Omit<ReasoningPart, "type">): Block {
  const { text, signature, encrypted } = thinkingFor("anthropic-messages", part);
  if (encrypted !== undefined && text === "") return { type: "redacted_thinking", data: encrypted };
  return { type: "thinking", thinking: text, signature: signature ?? "" };
}

/** A call's own signature has no place in a `tool_use` block: it goes before it, as thinking. */
export function callSignature(
  call: Pick<ToolCallPart, "id" | "signature">,
): (Omit<ReasoningPart, "type"> & { readonly text: "" }) | undefined {
  const { id, signature } = call;
  return signature === undefined ? undefined : { text: "", signature, from: "gemini", callId: id };
}

/** Clients of this dialect get parsed arguments. Text that is not JSON is passed whole under a key of its own. */
function toolInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return parseExact(text);
  } catch {
    return { malformed_arguments: text };
  }
}
