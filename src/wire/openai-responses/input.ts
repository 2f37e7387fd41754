/** Neutral messages → input items. */
import { type Failure, failure, type Result } from "../../failure/failure.ts";
import type { AssistantPart, ChatMessage, MediaSource, UserPart } from "../chat.ts";
import type { DroppedField } from "../dialect.ts";

type Item = Record<string, unknown>;

export function encodeInput(messages: readonly ChatMessage[], dropped: DroppedField[]): Result<Item[]> {
  const items: Item[] = [];
  for (const message of messages) {
    const encoded = itemsOf(message, dropped);
    if (!encoded.ok) return encoded;
    items.push(...encoded.value);
  }
  return { ok: true, value: items };
}

function itemsOf(message: ChatMessage, dropped: DroppedField[]): Result<Item[]> {
  switch (message.role) {
    case "system":
    case "developer":
      return {
        ok: true,
        value: [{ role: message.role, content: message.content.map(({ text }) => ({ type: "input_text", text })) }],
      };
    case "user": {
      const content = inputParts(message.content, dropped);
      return content.ok ? { ok: true, value: [{ role: "user", content: content.value }] } : content;
    }
    case "tool": {
      const text = message.content.every((part) => part.type === "text");
      const content = text ? undefined : inputParts(message.content, dropped);
      if (content && !content.ok) return content;
      const output = content
        ? content.value
        : message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { ok: true, value: [{ type: "function_call_output", call_id: message.toolCallId, output }] };
    }
    case "assistant":
      return { ok: true, value: assistantItems(message.content, dropped) };
  }
}

function inputParts(parts: readonly UserPart[], dropped: DroppedField[]): Result<Item[]> {
  const content: Item[] = [];
  for (const part of parts) {
    switch (part.type) {
      case "text":
        content.push({ type: "input_text", text: part.text });
        break;
      case "image":
        content.push({ type: "input_image", image_url: urlOf(part.source), detail: part.detail ?? "auto" });
        break;
      case "file":
        content.push(fileItem(part));
        break;
      case "audio":
        return {
          ok: false,
          error: unsupported("messages.content.input_audio", "the Responses API takes no audio input"),
        };
      case "native":
        if (part.dialect === "openai-responses") content.push({ ...(part.value as Item) });
        else dropped.push({ field: "messages.content", why: `a part only ${part.dialect} understands` });
        break;
    }
  }
  return { ok: true, value: content };
}

function fileItem(part: Extract<UserPart, { type: "file" }>): Item {
  const name = part.filename === undefined ? {} : { filename: part.filename };
  if (part.fileId !== undefined) return { type: "input_file", file_id: part.fileId };
  if (part.source.url !== undefined) return { type: "input_file", file_url: part.source.url };
  return { type: "input_file", file_data: urlOf(part.source), ...name };
}

function urlOf(source: MediaSource): string {
  return source.url ?? `data:${source.mediaType ?? "application/octet-stream"};base64,${source.data ?? ""}`;
}

/** Text, reasoning and calls of one turn are items of their own, in the order they were written. */
function assistantItems(parts: readonly AssistantPart[], dropped: DroppedField[]): Item[] {
  const items: Item[] = [];
  for (const part of parts) {
    switch (part.type) {
      case "text":
        if (part.text !== "")
          items.push({ type: "message", role: "assistant", content: [{ type: "output_text", text: part.text }] });
        break;
      case "refusal":
        items.push({ type: "message", role: "assistant", content: [{ type: "refusal", refusal: part.text }] });
        break;
      case "reasoning":
        if (part.encrypted === undefined || (part.from !== undefined && part.from !== "openai-responses"))
          dropped.push({ field: "messages.reasoning", why: "the Responses API takes back only encrypted reasoning" });
        else
          items.push({
            type: "reasoning",
            ...(part.id ? { id: part.id } : {}),
            summary: summary(part.text),
            encrypted_content: part.encrypted,
          });
        break;
      case "tool-call":
        items.push({ type: "function_call", call_id: part.id, name: part.name, arguments: part.arguments });
        break;
      case "media":
        dropped.push({ field: "messages.content", why: `the Responses API takes no ${part.kind} back from an answer` });
        break;
      case "native":
        if (part.dialect === "openai-responses") items.push({ ...(part.value as Item) });
        else dropped.push({ field: "messages.content", why: `a part only ${part.dialect} understands` });
        break;
    }
  }
  return items;
}

function summary(text: string): Item[] {
  return text === "" ? [] : [{ type: "summary_text", text }];
}

function unsupported(param: string, message: string): Failure {
  return failure("bad_request", message, { reason: "unsupported_parameter", param });
}
