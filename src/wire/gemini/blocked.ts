import { type Failure, failure } from "../../failure/failure.ts";
import { recordAt, stringAt } from "../../json/record.ts";

/** A prompt that was refused comes as 200 without candidates. */
export function blockedPrompt(body: unknown): Failure | undefined {
  const reason = stringAt(recordAt(body, "promptFeedback"), "blockReason");
  if (reason === undefined) return undefined;
  return failure("content_filter", `Gemini refused the prompt (${reason})`, { status: 200, code: reason });
}
