/** Neutral messages → Anthropic's alternating turns of content blocks. */
import { type Failure, failure, type Result } from "../../failure/failure.ts";
import { parseExact } from "../../json/exact-numbers.ts";
import { isRecord } from "../../json/record.ts";
import type {
  AssistantPart,
  CacheBreakpoint,
  ChatMessage,
  ChatRequest,
  ImagePart,
  MediaSource,
  ToolCallPart,
  UserPart,
} from "../chat.ts";
import type { DroppedField } from "../dialect.ts";
import { sniffMediaType } from "../media-type.ts";

type Block = Record<string, unknown>;
interface Turn {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

/** System text is top-level here; the engine's own instructions come last. */
export function systemBlocks(request: ChatRequest): Block[] {
  const blocks = request.messages.flatMap((message) =>
    message.role === "system" || message.role === "developer"
      ? message.content
          .filter((part) => part.text !== "")
          .map((part) => ({ type: "text", text: part.text, ...cacheControl(part.cache) }))
      : [],
  );
  return request.instructions === undefined ? blocks : [...blocks, { type: "text", text: request.instructions }];
}

/** Neighbouring messages of one role become one turn, so that all results of a parallel tool call answer it together. */
export function encodeMessages(messages: readonly ChatMessage[], dropped: DroppedField[]): Result<Turn[]> {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "system" || message.role === "developer") continue;
    const content = contentOf(message, dropped);
    if (!content.ok) return content;
    if (content.value.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content.value);
    else turns.push({ role, content: content.value });
  }
  for (const turn of turns) if (turn.role === "user") resultsFirst(turn.content);
  return { ok: true, value: turns };
}

function contentOf(
  message: Exclude<ChatMessage, { role: "system" | "developer" }>,
  dropped: DroppedField[],
): Result<Block[]> {
  if (message.role === "assistant") return collect(message.content, (part) => assistantBlock(part, dropped));
  const parts = collect(message.content, (part) => userBlock(part, dropped));
  if (!parts.ok || message.role === "user") return parts;
  const result = {
    type: "tool_result",
    tool_use_id: message.toolCallId,
    content: parts.value,
    ...(message.isError ? { is_error: true } : {}),
    ...cacheControl(message.cache),
  };
  return { ok: true, value: [result] };
}

/** A tool result must come before any other block of its turn. */
function resultsFirst(content: Block[]): void {
  content.sort((a, b) => Number(b["type"] === "tool_result") - Number(a["type"] === "tool_result"));
}

function collect<Part>(parts: readonly Part[], encode: (part: Part) => Block | Failure | undefined): Result<Block[]> {
  const blocks: Block[] = [];
  for (const part of parts) {
    const block = encode(part);
    if (block === undefined) continue;
    if (isFailure(block)) return { ok: false, error: block };
    blocks.push(block);
  }
  return { ok: true, value: blocks };
}

function isFailure(value: Block | Failure): value is Failure {
  return "class" in value;
}

function userBlock(part: UserPart, dropped: DroppedField[]): Block | Failure | undefined {
  switch (part.type) {
    case "text":
      // Anthropic refuses empty text blocks.
      return part.text === "" ? undefined : { type: "text", text: part.text, ...cacheControl(part.cache) };
    case "image":
      return image(part);
    case "file": {
      if (part.fileId !== undefined)
        return unsupported("messages.content.file_id", "a file id of another provider means nothing to Anthropic");
      const title = part.filename === undefined ? {} : { title: part.filename };
      return { type: "document", source: source(part.source), ...title, ...cacheControl(part.cache) };
    }
    case "audio":
      return unsupported("messages.content.input_audio", "Anthropic models take no audio");
    case "native":
      if (part.dialect === "anthropic-messages") return isRecord(part.value) ? { ...part.value } : undefined;
      dropped.push({ field: "messages.content", why: `a part only ${part.dialect} understands` });
      return undefined;
  }
}

function assistantBlock(part: AssistantPart, dropped: DroppedField[]): Block | Failure | undefined {
  switch (part.type) {
    case "text":
      return part.text === "" ? undefined : { type: "text", text: part.text, ...cacheControl(part.cache) };
    case "refusal":
      return { type: "text", text: part.text };
    case "reasoning":
      if (part.from !== undefined && part.from !== "anthropic-messages") return foreignThinking(dropped);
      if (part.encrypted !== undefined) return { type: "redacted_thinking", data: part.encrypted };
      if (part.signature !== undefined) return { type: "thinking", thinking: part.text, signature: part.signature };
      return foreignThinking(dropped);
    case "tool-call":
      return toolUse(part);
    case "media":
      dropped.push({ field: "messages.content", why: `Anthropic takes no ${part.kind} back from an answer` });
      return undefined;
    case "native":
      if (part.dialect === "anthropic-messages") return isRecord(part.value) ? { ...part.value } : undefined;
      dropped.push({ field: "messages.content", why: `a part only ${part.dialect} understands` });
      return undefined;
  }
}

function foreignThinking(dropped: DroppedField[]): undefined {
  dropped.push({ field: "messages.reasoning", why: "Anthropic takes back only thinking that it signed" });
}

function toolUse(part: ToolCallPart): Block | Failure {
  let input: unknown;
  try {
    input = part.arguments.trim() === "" ? {} : parseExact(part.arguments);
  } catch {
    return unsupported(
      "messages.tool_calls.arguments",
      `the arguments of tool call ${part.id} are not JSON, and Anthropic takes them parsed`,
    );
  }
  return { type: "tool_use", id: part.id, name: part.name, input, ...cacheControl(part.cache) };
}

function image(part: ImagePart): Block {
  return { type: "image", source: source(part.source), ...cacheControl(part.cache) };
}

function source(media: MediaSource): Block {
  if (media.data === undefined) return { type: "url", url: media.url };
  return { type: "base64", media_type: sniffMediaType(media.data) ?? media.mediaType, data: media.data };
}

function cacheControl(cache: CacheBreakpoint | undefined): Block {
  return cache ? { cache_control: { type: "ephemeral", ttl: cache.ttl } } : {};
}

function unsupported(param: string, message: string): Failure {
  return failure("bad_request", message, { reason: "unsupported_parameter", param });
}
