import { isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { AssistantPart, MediaPart } from "../chat.ts";

/**
 * Reads the content of an answer's part, in order. A part that is no call may have a signature besides its content,
 * which must be returned on the next turn. `callId` names a function call without an id.
 */
export function assistantParts(part: JsonRecord, callId: () => string): AssistantPart[] {
  const signature = stringAt(part, "thoughtSignature") || undefined;
  const call = recordAt(part, "functionCall");
  if (call) {
    const args = JSON.stringify(isRecord(call["args"]) ? call["args"] : {});
    const id = stringAt(call, "id") || callId();
    return [{ type: "tool-call", id, name: stringAt(call, "name") ?? "", arguments: args, signature }];
  }
  const text = stringAt(part, "text");
  if (part["thought"] === true) {
    return text || signature ? [{ type: "reasoning", text: text ?? "", signature, from: "gemini" }] : [];
  }
  const signed: AssistantPart[] =
    signature === undefined ? [] : [{ type: "reasoning", text: "", signature, from: "gemini" }];
  const content = text === undefined ? opaquePart(part) : text === "" ? undefined : ({ type: "text", text } as const);
  return content ? [...signed, content] : signed;
}

/** Media, or content that no other dialect supports: executable code, its results, files by reference. */
function opaquePart(part: JsonRecord): AssistantPart | undefined {
  const said = Object.keys(part).some((key) => key !== "thoughtSignature" && key !== "thought");
  return mediaPart(part) ?? (said ? { type: "native", dialect: "gemini", value: part } : undefined);
}

function mediaPart(part: JsonRecord): MediaPart | undefined {
  const inline = recordAt(part, "inlineData");
  const mediaType = stringAt(inline, "mimeType") ?? "";
  const data = stringAt(inline, "data");
  const kind = /^(image|audio)\//.exec(mediaType)?.[1];
  if (!data || (kind !== "image" && kind !== "audio")) return undefined;
  return { type: "media", kind, data, mediaType };
}
