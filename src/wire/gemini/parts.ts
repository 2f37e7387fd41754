import { isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { AssistantPart } from "../chat.ts";

/** A part of an answer. `callId` names a function call the API gave no id. */
export function assistantPart(part: JsonRecord, callId: string): AssistantPart | undefined {
  const signature = stringAt(part, "thoughtSignature");
  const call = recordAt(part, "functionCall");
  if (call) {
    return {
      type: "tool-call",
      id: stringAt(call, "id") ?? callId,
      name: stringAt(call, "name") ?? "",
      arguments: JSON.stringify(isRecord(call["args"]) ? call["args"] : {}),
      signature,
    };
  }
  const text = stringAt(part, "text");
  if (text !== undefined) {
    if (part["thought"] === true) return { type: "reasoning", text, signature };
    return text === "" ? undefined : { type: "text", text };
  }
  // Executable code, its results, inline media: nothing another dialect has a word for.
  const opaque = Object.keys(part).some((key) => key !== "thoughtSignature" && key !== "thought");
  return opaque ? { type: "native", dialect: "gemini", value: part } : undefined;
}
