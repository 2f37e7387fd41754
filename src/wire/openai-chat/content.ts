/** Reads the content of an answer's message, or of a delta, except tool calls. */
import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { AssistantPart, DialectName, MediaPart, ReasoningPart } from "../chat.ts";

/** Reasoning first, then text and refusal, empty ones left out. `message` is a `message` or a `delta`. */
export function contentParts(message: JsonRecord): AssistantPart[] {
  const parts: AssistantPart[] = reasoningParts(message);
  const content = message["content"];
  if (typeof content === "string") {
    if (content !== "") parts.push({ type: "text", text: content });
  } else if (Array.isArray(content)) {
    for (const part of content) if (isRecord(part)) parts.push(...arrayPart(part));
  }
  const refusal = stringAt(message, "refusal");
  if (refusal) parts.push({ type: "refusal", text: refusal });
  parts.push(...images(message));
  return parts;
}

/** Pictures as OpenRouter and LiteLLM send them. */
function images(message: JsonRecord): MediaPart[] {
  return (arrayAt(message, "images") ?? []).flatMap((image): MediaPart[] => {
    const url = stringAt(recordAt(image, "image_url"), "url") ?? "";
    const [, mediaType, data] = /^data:([^;,]+);base64,\s*(.+)$/s.exec(url) ?? [];
    return mediaType && data ? [{ type: "media", kind: "image", mediaType, data }] : [];
  });
}

/** Spoken audio of a whole message; its pieces in a stream are readable only together. */
export function audioPart(message: JsonRecord): MediaPart | undefined {
  const audio = recordAt(message, "audio");
  const data = stringAt(audio, "data");
  if (!data) return undefined;
  return { type: "media", kind: "audio", mediaType: "audio/*", data, transcript: stringAt(audio, "transcript") };
}

/** Mistral sends text and thinking as parts of `content`. */
function arrayPart(part: JsonRecord): AssistantPart[] {
  switch (part["type"]) {
    case "text": {
      const text = stringAt(part, "text");
      return text ? [{ type: "text", text }] : [];
    }
    case "refusal": {
      const text = stringAt(part, "refusal");
      return text ? [{ type: "refusal", text }] : [];
    }
    case "thinking": {
      const text = stringAt(part, "thinking") ?? joinedText(arrayAt(part, "thinking"));
      const signature = stringAt(part, "signature");
      return text || signature ? [{ type: "reasoning", text, signature }] : [];
    }
    default:
      return [{ type: "native", dialect: "openai-chat", value: part }];
  }
}

function joinedText(parts: readonly unknown[] | undefined): string {
  return parts?.map((part) => stringAt(part, "text") ?? "").join("") ?? "";
}

/**
 * `reasoning_content` (DeepSeek, xAI, Z.ai, Moonshot), `reasoning` (Groq, Cerebras, OpenRouter), and `reasoning_details`,
 * which repeats the text of `reasoning` and adds signatures and encrypted thinking.
 */
export function reasoningParts(message: JsonRecord): ReasoningPart[] {
  const details = arrayAt(message, "reasoning_details")?.filter(isRecord).map(reasoningDetail) ?? [];
  const parts = details.filter((part) => part.text !== "" || part.signature || part.encrypted);
  const text = stringAt(message, "reasoning_content") || stringAt(message, "reasoning");
  if (!text || parts.some((part) => part.text !== "")) return parts;
  // In streams the text and its signature come apart.
  const [first, ...rest] = parts;
  if (first?.signature !== undefined) return [{ ...first, text }, ...rest];
  return [{ type: "reasoning", text }, ...parts];
}

function reasoningDetail(detail: JsonRecord): ReasoningPart {
  const text = stringAt(detail, "text") ?? stringAt(detail, "summary") ?? "";
  return {
    type: "reasoning",
    text,
    signature: stringAt(detail, "signature") || undefined,
    encrypted: stringAt(detail, "data") || undefined,
    id: stringAt(detail, "id"),
    from: DIALECTS.find((dialect) => THINKING_FORMATS[dialect] === stringAt(detail, "format")),
  };
}

/** The provider that signed or encrypted the thinking, in OpenRouter's words. */
export const THINKING_FORMATS: Readonly<Record<DialectName, string>> = {
  "anthropic-messages": "anthropic-claude-v1",
  "openai-responses": "openai-responses-v1",
  gemini: "google-gemini-v1",
  "openai-chat": "unknown",
};
const DIALECTS: readonly DialectName[] = ["anthropic-messages", "openai-responses", "gemini"];

/** Reads one tool call, or one fragment of it. */
interface CalledTool {
  /** A custom tool takes free text instead of JSON. */
  readonly custom: boolean;
  /** The call's `custom` or `function` member. */
  readonly record: JsonRecord | undefined;
  readonly name: string;
  /** There is a name, or some arguments. */
  readonly said: boolean;
}

/**
 * Reads `function` or `custom`, whichever is filled: some upstreams always send both, one of them empty. Where both are
 * filled, `type` decides.
 */
export function calledTool(call: JsonRecord): CalledTool {
  const kinds = call["type"] === "custom" ? (["custom", "function"] as const) : (["function", "custom"] as const);
  const said = kinds.find((each) => saysSomething(recordAt(call, each)));
  const kind = said ?? kinds.find((each) => recordAt(call, each)) ?? "function";
  const record = recordAt(call, kind);
  return { custom: kind === "custom", record, name: stringAt(record, "name") ?? "", said: said !== undefined };
}

function saysSomething(called: JsonRecord | undefined): boolean {
  return ["name", "arguments", "input"].some((key) => {
    const value = called?.[key];
    return value !== undefined && value !== null && value !== "";
  });
}

/** Gemini's thought signature, which its OpenAI endpoint puts beside a tool call and expects back. */
export function thoughtSignature(call: JsonRecord): string | undefined {
  return stringAt(recordAt(recordAt(call, "extra_content"), "google"), "thought_signature");
}

/** Arguments as JSON text. A call without any means no arguments, for which clients expect an empty object. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value.trim() === "" ? "{}" : value;
  return value === undefined || value === null ? "{}" : JSON.stringify(value);
}
