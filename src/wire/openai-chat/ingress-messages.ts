/** A client's `messages` → neutral messages, each with its own form remembered. */
import { isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { AssistantPart, CacheBreakpoint, ChatMessage, ToolCallPart } from "../chat.ts";
import { withOrigin } from "../origin.ts";
import { withReturnedThinking } from "../returned-thinking.ts";
import { contentParts, reasoningParts, thoughtSignature } from "./content.ts";
import {
  filledString,
  given,
  InvalidField,
  optionalString,
  requiredArray,
  requiredRecord,
  requiredString,
  type UnmappedFields,
} from "./ingress-fields.ts";
import { answerPart, cacheOf, textParts, userParts } from "./ingress-parts.ts";

const SYSTEM_FIELDS: ReadonlySet<string> = new Set(["role", "content", "cache_control"]);
const USER_FIELDS: ReadonlySet<string> = new Set(["role", "content", "name", "cache_control"]);
const TOOL_FIELDS: ReadonlySet<string> = new Set(["role", "content", "tool_call_id", "name", "cache_control"]);
const ASSISTANT_FIELDS: ReadonlySet<string> = new Set([
  ...["role", "content", "name", "refusal", "tool_calls", "function_call", "cache_control"],
  ...["reasoning_content", "reasoning", "reasoning_details"],
]);

export function decodeMessages(value: unknown, unmapped: UnmappedFields): ChatMessage[] {
  const messages = requiredArray(value, "messages");
  if (messages.length === 0) throw new InvalidField("messages", "messages must hold at least one message");
  const names: CallNames = { byId: new Map(), legacy: undefined };
  return messages.map((message, index) => {
    const path = `messages[${index}]`;
    const wire = requiredRecord(message, path);
    const decoded = decodeMessage(wire, path, index, names, unmapped);
    return withOrigin(withBreakpoint(decoded, cacheOf(wire, path).cache), "openai-chat", wire);
  });
}

/** A breakpoint on the message itself stands behind its last part. */
function withBreakpoint(message: ChatMessage, cache: CacheBreakpoint | undefined): ChatMessage {
  if (cache === undefined) return message;
  if (message.role === "tool") return { ...message, cache };
  const at = message.content.findLastIndex((part) => part.type !== "reasoning" && part.type !== "native");
  const content = message.content.map((part, index) => (index === at ? { ...part, cache } : part));
  return { ...message, content } as ChatMessage;
}

/** Names of the calls so far: tool messages rarely say which function they answer. */
interface CallNames {
  readonly byId: Map<string, string>;
  /** The last call in the form before `tools`, which has no id. */
  legacy: ToolCallPart | undefined;
}

function decodeMessage(
  message: JsonRecord,
  path: string,
  index: number,
  names: CallNames,
  unmapped: UnmappedFields,
): ChatMessage {
  const role = requiredString(message["role"], `${path}.role`);
  switch (role) {
    case "system":
    case "developer":
      unmapped.note(message, SYSTEM_FIELDS, path);
      return { role, content: textParts(message["content"], `${path}.content`, unmapped) };
    case "user":
      unmapped.note(message, USER_FIELDS, path);
      return {
        role,
        content: userParts(message["content"], `${path}.content`, unmapped),
        name: optionalString(message, "name", `${path}.name`),
      };
    case "assistant":
      unmapped.note(message, ASSISTANT_FIELDS, path);
      return {
        role,
        content: withReturnedThinking(assistantParts(message, path, index, names, unmapped)),
        name: optionalString(message, "name", `${path}.name`),
      };
    case "tool":
    case "function":
      unmapped.note(message, TOOL_FIELDS, path);
      return toolMessage(message, role, path, names, unmapped);
    default:
      throw new InvalidField(`${path}.role`, `${path}.role must be system, developer, user, assistant or tool`);
  }
}

function toolMessage(
  message: JsonRecord,
  role: "tool" | "function",
  path: string,
  names: CallNames,
  unmapped: UnmappedFields,
): ChatMessage {
  const name = optionalString(message, "name", `${path}.name`);
  const content = given(message, "content") ?? "";
  const parts = userParts(content, `${path}.content`, unmapped);
  if (role === "function") {
    const called = names.legacy;
    if (called === undefined) throw new InvalidField(path, `${path} answers a function call that is not in messages`);
    return { role: "tool", toolCallId: called.id, toolName: name ?? called.name, content: parts };
  }
  const toolCallId = filledString(message["tool_call_id"], `${path}.tool_call_id`);
  return { role: "tool", toolCallId, toolName: name ?? names.byId.get(toolCallId), content: parts };
}

function assistantParts(
  message: JsonRecord,
  path: string,
  index: number,
  names: CallNames,
  unmapped: UnmappedFields,
): AssistantPart[] {
  const parts: AssistantPart[] = reasoningParts(message);
  const content = given(message, "content");
  if (typeof content === "string") {
    if (content !== "") parts.push({ type: "text", text: content });
  } else if (content !== undefined) {
    parts.push(...answerParts(content, `${path}.content`, unmapped));
  }
  const refusal = optionalString(message, "refusal", `${path}.refusal`);
  if (refusal !== undefined) parts.push({ type: "refusal", text: refusal });
  for (const call of toolCalls(message, path, index, names)) {
    names.byId.set(call.id, call.name);
    parts.push(call);
  }
  return parts;
}

function answerParts(content: unknown, path: string, unmapped: UnmappedFields): AssistantPart[] {
  return requiredArray(content, path).flatMap((value, position) => {
    const part = requiredRecord(value, `${path}[${position}]`);
    const known = answerPart(part, `${path}[${position}]`, unmapped);
    return known ? [known] : contentParts({ content: [part] });
  });
}

function toolCalls(message: JsonRecord, path: string, index: number, names: CallNames): ToolCallPart[] {
  const legacy = given(message, "function_call");
  if (legacy !== undefined) {
    const call = requiredRecord(legacy, `${path}.function_call`);
    names.legacy = calledFunction(call, `${path}.function_call`, `call_function_${index}`, undefined);
    return [names.legacy];
  }
  const calls = given(message, "tool_calls");
  if (calls === undefined) return [];
  return requiredArray(calls, `${path}.tool_calls`).map((value, position) => {
    const at = `${path}.tool_calls[${position}]`;
    const call = requiredRecord(value, at);
    const id = filledString(call["id"], `${at}.id`);
    const custom = recordAt(call, "custom");
    if (custom) {
      const input = requiredString(custom["input"], `${at}.custom.input`);
      const name = filledString(custom["name"], `${at}.custom.name`);
      return { type: "tool-call", id, name, arguments: input, custom: true };
    }
    return calledFunction(
      requiredRecord(call["function"], `${at}.function`),
      `${at}.function`,
      id,
      thoughtSignature(call),
    );
  });
}

function calledFunction(called: JsonRecord, path: string, id: string, signature: string | undefined): ToolCallPart {
  const name = filledString(called["name"], `${path}.name`);
  const given = called["arguments"];
  const text = isRecord(given) ? JSON.stringify(given) : (stringAt(called, "arguments") ?? "{}");
  return { type: "tool-call", id, name, arguments: text === "" ? "{}" : text, signature };
}
