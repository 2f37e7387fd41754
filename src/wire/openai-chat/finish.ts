/** Finish reasons of OpenAI-compatible providers ↔ the neutral ones. */
import { type Failure, failure } from "../../failure/failure.ts";
import type { FinishReason, UnifiedFinish } from "../chat.ts";

const UNIFIED: ReadonlyMap<string, UnifiedFinish> = new Map(
  Object.entries<UnifiedFinish>({
    stop: "stop",
    eos: "stop",
    end_turn: "stop",
    stop_sequence: "stop",
    length: "length",
    max_tokens: "length",
    model_length: "length",
    model_context_window_exceeded: "length",
    tool_calls: "tool-calls",
    tool_use: "tool-calls",
    function_call: "tool-calls",
    content_filter: "content-filter",
    sensitive: "content-filter",
    safety: "content-filter",
    refusal: "content-filter",
    error: "error",
    abort: "error",
    network_error: "error",
    insufficient_system_resource: "error",
  }),
);

/** `hasCalls`: the choice contains tool calls. Gemini's OpenAI endpoint sends `stop` in streams that end in calls. */
export function finishReason(raw: string | undefined, hasCalls: boolean): FinishReason {
  const unified = (raw !== undefined && UNIFIED.get(raw.toLowerCase())) || "other";
  return { unified: hasCalls && (unified === "stop" || unified === "other") ? "tool-calls" : unified, raw };
}

/** True for a finish reason with which the provider reports that it broke off. */
export function brokenOff(finish: FinishReason): Failure {
  return failure("server_error", `the provider ended the answer with finish reason ${finish.raw ?? "error"}`, {
    status: 200,
    code: finish.raw,
  });
}

/** Returns the word for an OpenAI client, which knows no others. */
export function wireFinish(finish: FinishReason): string {
  if (finish.raw === "function_call") return finish.raw;
  switch (finish.unified) {
    case "tool-calls":
      return "tool_calls";
    case "content-filter":
      return "content_filter";
    case "length":
      return "length";
    default:
      return "stop";
  }
}
