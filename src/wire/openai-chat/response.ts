/** A whole answer of `POST /chat/completions` → neutral form. */
import { classify } from "../../failure/classify.ts";
import { err, type Failure, ok, type Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { AnswerChoice, AssistantPart, ChatAnswer, ToolCallPart } from "../chat.ts";
import type { WireTarget } from "../dialect.ts";
import { generatedCallId } from "../generated-call-id.ts";
import { malformed } from "../unfinished.ts";
import { argumentsText, audioPart, calledTool, contentParts, thoughtSignature } from "./content.ts";
import { decodeErrorObject } from "./error.ts";
import { brokenOff, finishReason } from "./finish.ts";
import { normaliseUsage } from "./usage.ts";

export function decodeAnswer(body: unknown, target: WireTarget): Result<ChatAnswer> {
  const fault = errorInside(body, target);
  if (fault) return err(fault);
  const choices = arrayAt(body, "choices");
  if (!isRecord(body) || choices === undefined) return err(malformed("the answer is not a chat completion"));
  const id = stringAt(body, "id");
  const decoded: AnswerChoice[] = [];
  for (const [position, choice] of choices.entries()) {
    if (!isRecord(choice)) return err(malformed("the answer holds a choice that is not an object"));
    const answered = decodeChoice(choice, position, id);
    if (answered === undefined) return err(malformed("the answer holds arguments of a tool call without a name"));
    const broken = choice["error"] ? errorInside(choice, target) : undefined;
    if (broken || answered.finish.unified === "error") return err(broken ?? brokenOff(answered.finish));
    decoded.push(answered);
  }
  return ok({
    id,
    model: stringAt(body, "model"),
    created: numberAt(body, "created"),
    choices: decoded,
    usage: normaliseUsage(usageOf(body), target.quirks),
    servedTier: stringAt(body, "service_tier") || undefined,
    native: { dialect: "openai-chat", body },
  });
}

/** The failure that an answer or chunk with status 200 carries, if any. */
export function errorInside(value: unknown, target: WireTarget): Failure | undefined {
  // Gemini's OpenAI-compatible endpoint wraps its error in an array.
  const body = Array.isArray(value) ? (value[0] as unknown) : value;
  if (!isRecord(body)) return undefined;
  const error = body["error"];
  const named = isRecord(error) || (typeof error === "string" && error !== "");
  const flat = body["choices"] === undefined && (body["object"] === "error" || body["detail"] !== undefined);
  return named || flat ? classify(decodeErrorObject(body, target)) : undefined;
}

/** Older Groq answers have usage beside the choices, Moonshot's have it inside them. */
export function usageOf(body: JsonRecord): JsonRecord | undefined {
  return (
    recordAt(body, "usage") ??
    recordAt(recordAt(body, "x_groq"), "usage") ??
    recordAt(arrayAt(body, "choices")?.[0], "usage")
  );
}

/** Undefined where a tool call cannot be told from another. */
function decodeChoice(choice: JsonRecord, position: number, answerId: string | undefined): AnswerChoice | undefined {
  const index = numberAt(choice, "index") ?? position;
  const message = recordAt(choice, "message") ?? {};
  const calls = toolCalls(message, answerId, index);
  if (calls.some((call) => call.name === "")) return undefined;
  const spoken = audioPart(message);
  const content: AssistantPart[] = [...contentParts(message), ...(spoken ? [spoken] : []), ...calls];
  const logprobs = choice["logprobs"];
  return {
    index,
    content,
    finish: finishReason(stringAt(choice, "finish_reason"), calls.length > 0),
    ...(logprobs === undefined || logprobs === null ? {} : { logprobs }),
  };
}

/** `tool_calls`, or the `function_call` that they replaced. Calls that say nothing are filler of the upstream. */
function toolCalls(message: JsonRecord, answerId: string | undefined, choice: number): ToolCallPart[] {
  const calls = saidCalls(arrayAt(message, "tool_calls") ?? []);
  const said = calls.length > 0 ? calls : saidCalls([{ function: message["function_call"] }]);
  return said.map((call, index) => {
    const { custom, record, name } = calledTool(call);
    return {
      type: "tool-call",
      id: stringAt(call, "id") || generatedCallId(answerId, choice, index),
      name,
      arguments: custom ? (stringAt(record, "input") ?? "") : argumentsText(record?.["arguments"]),
      ...(custom ? { custom } : {}),
      signature: thoughtSignature(call),
    };
  });
}

function saidCalls(calls: readonly unknown[]): JsonRecord[] {
  return calls.filter(isRecord).filter((call) => calledTool(call).said);
}
