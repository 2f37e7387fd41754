/** Body of our own `POST /v1/messages` → neutral request. */
import { type Failure, failure, type Result } from "../../failure/failure.ts";
import { arrayAt, booleanAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type {
  AssistantPart,
  CacheBreakpoint,
  ChatMessage,
  ChatRequest,
  MediaSource,
  ResponseFormat,
  TextPart,
  ToolChoice,
  ToolDefinition,
  UserPart,
} from "../chat.ts";

import { withReturnedThinking } from "../returned-thinking.ts";
import { unmappedFields } from "./ingress-unmapped.ts";

/** Names features that change what the body may hold. */
const BETA = "anthropic-beta";

/** The gateway keeps no conversations. Anthropic's client goes on without a thread when it reads this code. */
const THREADS = failure("bad_request", "thread refers to a conversation that is not kept here; send it whole", {
  reason: "unsupported_parameter",
  code: "thread_unsupported_request",
  param: "thread",
  unsupported: ["thread"],
});

/** Names an earlier answer by our own id, which means nothing to a provider. */
const OWN_IDS = "diagnostics";

export function decodeRequest(
  body: JsonRecord,
  headers?: Headers,
): Result<{ readonly model: string; readonly request: ChatRequest }> {
  const model = stringAt(body, "model");
  if (model === undefined || model === "")
    return bad("model", "model must be a string: a route, provider/model, or auto");
  if (body["thread"] != null) return { ok: false, error: THREADS };
  const maxOutputTokens = numberAt(body, "max_tokens");
  if (maxOutputTokens === undefined || !Number.isInteger(maxOutputTokens) || maxOutputTokens < 1) {
    return bad("max_tokens", "max_tokens must be a whole number of at least 1");
  }
  const given = arrayAt(body, "messages");
  if (given === undefined) return bad("messages", "messages must be an array");
  const messages: ChatMessage[] = [];
  const system = systemParts(body["system"]);
  if (!system.ok) return system;
  if (system.value.length > 0) messages.push({ role: "system", content: system.value });
  const toolNames = new Map<string, string>();
  for (const [index, message] of given.entries()) {
    const decoded = decodeMessage(message, `messages.${index}`, toolNames);
    if (!decoded.ok) return decoded;
    append(messages, decoded.value);
  }
  const tools = arrayAt(body, "tools")?.map(decodeTool);
  const choice = recordAt(body, "tool_choice");
  const betas = headers?.get(BETA) ?? undefined;
  return {
    ok: true,
    value: {
      model,
      request: {
        messages,
        tools,
        toolChoice: choice && decodeToolChoice(choice),
        parallelToolCalls: booleanAt(choice, "disable_parallel_tool_use") === true ? false : undefined,
        responseFormat: outputFormat(body),
        maxOutputTokens,
        temperature: numberAt(body, "temperature"),
        topP: numberAt(body, "top_p"),
        topK: numberAt(body, "top_k"),
        stop: arrayAt(body, "stop_sequences")?.filter((stop) => typeof stop === "string"),
        reasoning: reasoning(body),
        serviceTier: body["service_tier"] === "standard_only" ? "default" : stringAt(body, "service_tier"),
        user: stringAt(recordAt(body, "metadata"), "user_id"),
        stream: body["stream"] === true,
        includeUsage: true,
        native: {
          dialect: "anthropic-messages",
          body: ownFields(body),
          headers: betas === undefined ? undefined : { [BETA]: betas },
        },
        unmapped: unmappedFields(ownFields(body), betas),
        leftOut: body[OWN_IDS] == null ? undefined : [{ field: OWN_IDS, why: "it names an answer by our own id" }],
      },
    },
  };
}

function ownFields({ [OWN_IDS]: _ids, ...body }: JsonRecord): JsonRecord {
  return body;
}

/**
 * Results may come over several user turns with text between; elsewhere each must stand right behind the calls, so they
 * move up to them.
 */
function append(messages: ChatMessage[], turn: readonly ChatMessage[]): void {
  const results = turn.filter(({ role }) => role === "tool");
  const asked = messages.findLastIndex(({ role }) => role === "assistant");
  const behind = asked === -1 ? -1 : messages.findIndex(({ role }, index) => index > asked && role !== "tool");
  messages.splice(behind === -1 ? messages.length : behind, 0, ...results);
  messages.push(...turn.filter(({ role }) => role !== "tool"));
}

function systemParts(system: unknown): Result<TextPart[]> {
  if (system === undefined || system === null) return { ok: true, value: [] };
  if (typeof system === "string") return { ok: true, value: system === "" ? [] : [{ type: "text", text: system }] };
  if (!Array.isArray(system)) return bad("system", "system must be a string or an array of text blocks");
  const parts: TextPart[] = [];
  for (const [index, block] of system.entries()) {
    const text = stringAt(block, "text");
    if (text === undefined) return bad(`system.${index}`, "a system block must be a text block");
    parts.push({ type: "text", text, cache: cacheOf(block) });
  }
  return { ok: true, value: parts };
}

/** A user turn may contain results of tool calls: each becomes a separate message before the rest of the turn. */
function decodeMessage(message: unknown, path: string, toolNames: Map<string, string>): Result<ChatMessage[]> {
  const role = stringAt(message, "role");
  const content = isRecord(message) ? message["content"] : undefined;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks) || !blocks.every(isRecord))
    return bad(`${path}.content`, "content must be a string or an array of blocks");
  if (role === "assistant") {
    for (const block of blocks) {
      if (block["type"] === "tool_use") toolNames.set(stringAt(block, "id") ?? "", stringAt(block, "name") ?? "");
    }
    return { ok: true, value: [{ role, content: withReturnedThinking(blocks.map(assistantPart)) }] };
  }
  if (role === "system") {
    const parts = systemParts(content);
    return parts.ok ? { ok: true, value: [{ role, content: parts.value }] } : parts;
  }
  if (role !== "user") return bad(`${path}.role`, 'role must be "user", "assistant" or "system"');
  const results = blocks
    .filter((block) => block["type"] === "tool_result")
    .map((block) => toolMessage(block, toolNames));
  const rest = blocks.filter((block) => block["type"] !== "tool_result").map(userPart);
  return { ok: true, value: rest.length > 0 || results.length === 0 ? [...results, { role, content: rest }] : results };
}

function toolMessage(block: JsonRecord, toolNames: Map<string, string>): ChatMessage {
  const toolCallId = stringAt(block, "tool_use_id") ?? "";
  const content = block["content"];
  const parts =
    typeof content === "string"
      ? [{ type: "text" as const, text: content }]
      : (arrayAt(block, "content") ?? []).filter(isRecord).map(userPart);
  return {
    role: "tool",
    toolCallId,
    toolName: toolNames.get(toolCallId),
    content: parts,
    isError: booleanAt(block, "is_error"),
    cache: cacheOf(block),
  };
}

function userPart(block: JsonRecord): UserPart {
  const cache = cacheOf(block);
  switch (block["type"]) {
    case "text":
      return { type: "text", text: stringAt(block, "text") ?? "", cache };
    case "image": {
      const source = mediaSource(recordAt(block, "source"));
      return source ? { type: "image", source, cache } : native(block);
    }
    case "document": {
      const source = mediaSource(recordAt(block, "source"));
      return source ? { type: "file", source, filename: stringAt(block, "title"), cache } : native(block);
    }
    default:
      return native(block);
  }
}

function assistantPart(block: JsonRecord): AssistantPart {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: stringAt(block, "text") ?? "", cache: cacheOf(block) };
    case "thinking":
      return {
        type: "reasoning",
        text: stringAt(block, "thinking") ?? "",
        signature: stringAt(block, "signature"),
        from: "anthropic-messages",
      };
    case "redacted_thinking":
      return { type: "reasoning", text: "", encrypted: stringAt(block, "data"), from: "anthropic-messages" };
    case "tool_use":
      return {
        type: "tool-call",
        id: stringAt(block, "id") ?? "",
        name: stringAt(block, "name") ?? "",
        arguments: JSON.stringify(block["input"] ?? {}),
        cache: cacheOf(block),
      };
    default:
      return native(block);
  }
}

function native(value: JsonRecord): Extract<UserPart, { type: "native" }> {
  return { type: "native", dialect: "anthropic-messages", value };
}

function mediaSource(source: JsonRecord | undefined): MediaSource | undefined {
  if (source?.["type"] === "base64")
    return { data: stringAt(source, "data"), mediaType: stringAt(source, "media_type") };
  if (source?.["type"] === "url") return { url: stringAt(source, "url") };
  return undefined;
}

function cacheOf(block: unknown): CacheBreakpoint | undefined {
  const control = recordAt(block, "cache_control");
  if (control?.["type"] !== "ephemeral") return undefined;
  return { ttl: control["ttl"] === "1h" ? "1h" : "5m" };
}

/** Tools that Anthropic runs itself have a versioned `type`; only an Anthropic upstream can take them. */
function decodeTool(tool: unknown): ToolDefinition {
  const type = stringAt(tool, "type");
  const name = stringAt(tool, "name");
  if (name === undefined || (type !== undefined && type !== "custom"))
    return { type: "native", dialect: "anthropic-messages", value: tool };
  return {
    type: "function",
    name,
    description: stringAt(tool, "description"),
    parameters: recordAt(tool, "input_schema"),
    strict: booleanAt(tool, "strict"),
    cache: cacheOf(tool),
  };
}

function decodeToolChoice(choice: JsonRecord): ToolChoice | undefined {
  switch (choice["type"]) {
    case "auto":
    case "none":
      return choice["type"];
    case "any":
      return "required";
    case "tool":
      return { name: stringAt(choice, "name") ?? "" };
    default:
      return undefined;
  }
}

function outputFormat(body: JsonRecord): ResponseFormat | undefined {
  const format = recordAt(recordAt(body, "output_config"), "format") ?? recordAt(body, "output_format");
  const schema = recordAt(format, "schema");
  return format?.["type"] === "json_schema" && schema
    ? { type: "json_schema", name: "output", schema, strict: true }
    : undefined;
}

function reasoning(body: JsonRecord): ChatRequest["reasoning"] {
  const thinking = recordAt(body, "thinking");
  if (thinking?.["type"] === "enabled") return { budgetTokens: numberAt(thinking, "budget_tokens") };
  if (thinking?.["type"] === "disabled" || thinking?.["type"] === "between_tools") return { effort: "none" };
  const effort = stringAt(recordAt(body, "output_config"), "effort");
  return effort === "low" || effort === "medium" || effort === "high" || effort === "xhigh" || effort === "max"
    ? { effort }
    : thinking?.["type"] === "adaptive"
      ? { effort: "medium" }
      : undefined;
}

function bad(param: string, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: failure("bad_request", message, { param }) };
}
