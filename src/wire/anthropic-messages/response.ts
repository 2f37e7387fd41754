/** A whole answer of `POST /messages` → neutral form. */
import { classify } from "../../failure/classify.ts";
import type { Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { AssistantPart, ChatAnswer } from "../chat.ts";
import type { WireTarget } from "../dialect.ts";
import { malformed, unfinished } from "../unfinished.ts";
import { decodeErrorObject } from "./error.ts";
import { finishReason } from "./finish.ts";
import { normaliseUsage } from "./usage.ts";

export function decodeAnswer(body: unknown, target: WireTarget): Result<ChatAnswer> {
  const content = arrayAt(body, "content");
  if (!isRecord(body) || body["type"] === "error" || content === undefined) {
    if (recordAt(body, "error")) return { ok: false, error: classify(decodeErrorObject(body, target)) };
    return { ok: false, error: malformed("the answer is not an Anthropic message") };
  }
  const stop = stringAt(body, "stop_reason");
  if (stop === undefined) return { ok: false, error: unfinished("without a stop reason") };
  const usage = recordAt(body, "usage");
  return {
    ok: true,
    value: {
      id: stringAt(body, "id"),
      model: stringAt(body, "model"),
      choices: [
        {
          index: 0,
          content: content.filter(isRecord).map(assistantPart),
          finish: finishReason(stop),
        },
      ],
      usage: normaliseUsage(usage, content),
      servedTier: stringAt(usage, "service_tier"),
      native: { dialect: "anthropic-messages", body },
    },
  };
}

function assistantPart(block: JsonRecord): AssistantPart {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: stringAt(block, "text") ?? "" };
    case "thinking":
      return {
        type: "reasoning",
        text: stringAt(block, "thinking") ?? "",
        signature: stringAt(block, "signature") || undefined,
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
      };
    default:
      // Server-side tools, citations containers and the like: only this dialect can show them.
      return { type: "native", dialect: "anthropic-messages", value: block };
  }
}
