import { type Failure, failure } from "../../failure/failure.ts";
import { recordAt, stringAt } from "../../json/record.ts";

/** A prompt that was refused comes as 200 with feedback on it, and without candidates. */
export function blockedPrompt(body: unknown): Failure | undefined {
  const feedback = recordAt(body, "promptFeedback");
  const explained = stringAt(feedback, "blockReasonMessage") !== undefined;
  const reason = stringAt(feedback, "blockReason") ?? (explained ? "BLOCK_REASON_UNSPECIFIED" : undefined);
  if (reason === undefined) return undefined;
  return failure("content_filter", `Gemini refused the prompt (${reason})`, { status: 200, code: reason });
}
