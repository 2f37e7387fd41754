/**
 * Changes messages and system text to what the API accepts, whoever wrote them: no blank text, no blank end of an
 * assistant turn to be continued, and only permitted letters in ids of tool calls.
 */
import { isRecord, stringAt } from "../../json/record.ts";
import { carriedThinking } from "../carried-thinking.ts";
import { callIdsUnder } from "../fit/call-ids.ts";

type Body = Record<string, unknown>;

/** `^[a-zA-Z0-9_-]+$`; Bedrock takes at most 64 characters. */
const CALL_IDS = { alphabet: "word", most: 64 } as const;

/** Changes `body` in place; arrays and blocks are copied. */
export function mendPrompt(body: Body): void {
  const system = withoutBlanks(body["system"]);
  if (system === undefined || (Array.isArray(system) && system.length === 0)) delete body["system"];
  else body["system"] = system;
  if (Array.isArray(body["messages"])) body["messages"] = mendedMessages(body["messages"]);
}

function mendedMessages(messages: readonly unknown[]): unknown[] {
  const idOf = callIdsUnder(CALL_IDS);
  const mended = messages.map((message) => {
    if (!isRecord(message)) return message;
    const content = withoutBlanks(message["content"]);
    return { ...message, content: Array.isArray(content) ? content.map((block) => withCallId(block, idOf)) : content };
  });
  const said = mended.filter((message) => !isRecord(message) || !isEmpty(message["content"]));
  // A conversation of only blanks is left for the client to correct.
  if (said.length === 0) return [...messages];
  const last = said.at(-1);
  if (isRecord(last) && last["role"] === "assistant")
    said[said.length - 1] = { ...last, content: trimmedEnd(last["content"]) };
  return said;
}

function withoutBlanks(content: unknown): unknown {
  if (typeof content === "string") return content.trim() === "" ? undefined : content;
  if (!Array.isArray(content)) return content;
  const kept: unknown[] = [];
  for (const block of content) {
    // Thinking of another provider that the client of this dialect kept for us.
    if (carriedThinking(stringAt(block, "signature") ?? stringAt(block, "data")) !== undefined) continue;
    if (!isBlank(block)) {
      kept.push(stringAt(block, "type") === "tool_result" && isRecord(block) ? withResult(block) : block);
      continue;
    }
    const before = kept.at(-1);
    if (isRecord(block) && isRecord(before) && block["cache_control"] !== undefined)
      kept[kept.length - 1] = { ...before, cache_control: block["cache_control"] };
  }
  return kept;
}

function withResult(block: Readonly<Body>): Body {
  const content = withoutBlanks(block["content"]);
  return { ...block, ...("content" in block ? { content: content ?? [] } : {}) };
}

function isBlank(block: unknown): boolean {
  return stringAt(block, "type") === "text" && (stringAt(block, "text") ?? "").trim() === "";
}

function isEmpty(content: unknown): boolean {
  return content === undefined || (Array.isArray(content) && content.length === 0);
}

function trimmedEnd(content: unknown): unknown {
  if (typeof content === "string") return content.trimEnd();
  if (!Array.isArray(content)) return content;
  const last: unknown = content.at(-1);
  if (!isRecord(last) || last["type"] !== "text") return content;
  return [...content.slice(0, -1), { ...last, text: stringAt(last, "text")?.trimEnd() }];
}

function withCallId(block: unknown, idOf: (id: string) => string): unknown {
  if (!isRecord(block)) return block;
  const field = block["type"] === "tool_use" ? "id" : block["type"] === "tool_result" ? "tool_use_id" : undefined;
  const id = field === undefined ? undefined : block[field];
  return field === undefined || typeof id !== "string" ? block : { ...block, [field]: idOf(id) };
}
