/** A whole answer of `generateContent` → neutral form. */
import { classify } from "../../failure/classify.ts";
import type { Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { AnswerChoice, ChatAnswer } from "../chat.ts";
import type { WireTarget } from "../dialect.ts";
import { generatedCallId } from "../generated-call-id.ts";
import { malformed, unfinished } from "../unfinished.ts";
import { blockedPrompt } from "./blocked.ts";
import { decodeErrorObject } from "./error.ts";
import { finishReason } from "./finish.ts";
import { assistantParts } from "./parts.ts";
import { normaliseUsage } from "./usage.ts";

export function decodeAnswer(body: unknown, target: WireTarget): Result<ChatAnswer> {
  if (!isRecord(body) || recordAt(body, "error")) {
    if (isRecord(body) || Array.isArray(body)) return { ok: false, error: classify(decodeErrorObject(body, target)) };
    return { ok: false, error: malformed("the answer holds no candidates") };
  }
  const candidates = arrayAt(body, "candidates")?.filter(isRecord) ?? [];
  const blocked = candidates.length === 0 ? blockedPrompt(body) : undefined;
  if (blocked) return { ok: false, error: blocked };
  if (candidates.length === 0) return { ok: false, error: malformed("the answer holds no candidates") };
  if (candidates.some((candidate) => !stringAt(candidate, "finishReason")))
    return { ok: false, error: unfinished("without a finish reason") };
  const id = stringAt(body, "responseId");
  return {
    ok: true,
    value: {
      id,
      model: stringAt(body, "modelVersion"),
      choices: candidates.map((candidate, position) => choiceOf(candidate, position, id)),
      usage: normaliseUsage(body),
      native: { dialect: "gemini", body },
    },
  };
}

function choiceOf(candidate: JsonRecord, position: number, id: string | undefined): AnswerChoice {
  const index = numberAt(candidate, "index") ?? position;
  const parts = arrayAt(recordAt(candidate, "content"), "parts")?.filter(isRecord) ?? [];
  const content = parts.flatMap((part, at) => assistantParts(part, () => generatedCallId(id, index, at)));
  const called = content.some((part) => part.type === "tool-call");
  return {
    index,
    content,
    finish: finishReason(stringAt(candidate, "finishReason") ?? "", called),
    logprobs: candidate["logprobsResult"],
  };
}
