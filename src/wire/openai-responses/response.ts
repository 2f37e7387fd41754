/** A whole answer of `POST /responses` → neutral form. */
import { classify } from "../../failure/classify.ts";
import type { Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { AssistantPart, ChatAnswer, FinishReason } from "../chat.ts";
import type { WireTarget } from "../dialect.ts";
import { malformed, unfinished } from "../unfinished.ts";
import { decodeErrorObject } from "./error.ts";
import { normaliseUsage } from "./usage.ts";

/** Any other status (`queued`, `in_progress`, `cancelled`) is of a response that has no answer. */
const OVER: ReadonlySet<string> = new Set(["completed", "incomplete"]);

export function decodeAnswer(body: unknown, target: WireTarget): Result<ChatAnswer> {
  const output = arrayAt(body, "output");
  const failed = stringAt(body, "status") === "failed" || recordAt(body, "error") !== undefined;
  if (isRecord(body) && failed) return { ok: false, error: classify(decodeErrorObject(body, target)) };
  if (!isRecord(body) || output === undefined) {
    return { ok: false, error: malformed("the answer is not a response object") };
  }
  const status = stringAt(body, "status");
  if (status !== undefined && !OVER.has(status)) return { ok: false, error: unfinished(`with status ${status}`) };
  const content = output.filter(isRecord).flatMap(outputParts);
  return {
    ok: true,
    value: {
      id: stringAt(body, "id"),
      model: stringAt(body, "model"),
      created: numberAt(body, "created_at"),
      choices: [
        {
          index: 0,
          content,
          finish: finishOf(
            body,
            content.some((part) => part.type === "tool-call"),
          ),
        },
      ],
      usage: normaliseUsage(body["usage"], output),
      servedTier: stringAt(body, "service_tier"),
      native: { dialect: "openai-responses", body },
    },
  };
}

/** `status` shows whether the answer is complete; its items show how it ended. */
export function finishOf(response: JsonRecord, calledTools: boolean): FinishReason {
  const status = stringAt(response, "status");
  const reason = stringAt(recordAt(response, "incomplete_details"), "reason");
  if (status === "incomplete")
    return { unified: reason === "content_filter" ? "content-filter" : "length", raw: reason ?? status };
  return { unified: calledTools ? "tool-calls" : "stop", raw: status };
}

function outputParts(item: JsonRecord): AssistantPart[] {
  switch (item["type"]) {
    case "message":
      return (arrayAt(item, "content") ?? []).filter(isRecord).map(messagePart);
    case "reasoning":
      return [reasoningPart(item)];
    case "function_call":
      return [
        {
          type: "tool-call",
          id: stringAt(item, "call_id") ?? stringAt(item, "id") ?? "",
          name: stringAt(item, "name") ?? "",
          arguments: stringAt(item, "arguments") ?? "",
        },
      ];
    case "custom_tool_call":
      // A custom tool takes free text, which is kept as it is.
      return [
        {
          type: "tool-call",
          id: stringAt(item, "call_id") ?? stringAt(item, "id") ?? "",
          name: stringAt(item, "name") ?? "",
          arguments: stringAt(item, "input") ?? "",
          custom: true,
        },
      ];
    case "image_generation_call": {
      const data = stringAt(item, "result");
      const mediaType = `image/${stringAt(item, "output_format") ?? "png"}`;
      return data ? [{ type: "media", kind: "image", data, mediaType }] : [];
    }
    default:
      return [{ type: "native", dialect: "openai-responses", value: item }];
  }
}

function messagePart(part: JsonRecord): AssistantPart {
  if (part["type"] === "refusal") return { type: "refusal", text: stringAt(part, "refusal") ?? "" };
  return { type: "text", text: stringAt(part, "text") ?? "" };
}

function reasoningPart(item: JsonRecord): AssistantPart {
  const texts = [...(arrayAt(item, "summary") ?? []), ...(arrayAt(item, "content") ?? [])].map(
    (part) => stringAt(part, "text") ?? "",
  );
  return {
    type: "reasoning",
    text: texts.join("\n\n"),
    encrypted: stringAt(item, "encrypted_content"),
    id: stringAt(item, "id"),
    from: "openai-responses",
  };
}
