import type { FinishReason, UnifiedFinish } from "../chat.ts";

const UNIFIED: ReadonlyMap<string, UnifiedFinish> = new Map(
  Object.entries<UnifiedFinish>({
    STOP: "stop",
    MAX_TOKENS: "length",
    SAFETY: "content-filter",
    RECITATION: "content-filter",
    LANGUAGE: "content-filter",
    BLOCKLIST: "content-filter",
    PROHIBITED_CONTENT: "content-filter",
    SPII: "content-filter",
    IMAGE_SAFETY: "content-filter",
    IMAGE_PROHIBITED_CONTENT: "content-filter",
    IMAGE_RECITATION: "content-filter",
    MODEL_ARMOR: "content-filter",
    MALFORMED_FUNCTION_CALL: "error",
    UNEXPECTED_TOOL_CALL: "error",
    TOO_MANY_TOOL_CALLS: "error",
    MISSING_THOUGHT_SIGNATURE: "error",
    MALFORMED_RESPONSE: "error",
    // Stopped for an unstated reason, so the answer cannot be taken as complete.
    OTHER: "error",
    IMAGE_OTHER: "error",
    NO_IMAGE: "error",
  }),
);

/**
 * Gemini also reports STOP for function calls. Every other end is a refusal or a fault, so an unknown word is a fault.
 */
export function finishReason(raw: string, calledTools: boolean): FinishReason {
  const unified = UNIFIED.get(raw) ?? "error";
  return { unified: unified === "stop" && calledTools ? "tool-calls" : unified, raw };
}

/** True for a finish reason that Gemini's documentation lists. */
export function knownFinish(raw: string): boolean {
  return UNIFIED.has(raw);
}
