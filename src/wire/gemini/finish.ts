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
    MALFORMED_FUNCTION_CALL: "error",
    UNEXPECTED_TOOL_CALL: "error",
    TOO_MANY_TOOL_CALLS: "error",
    MISSING_THOUGHT_SIGNATURE: "error",
    MALFORMED_RESPONSE: "error",
  }),
);

/** Gemini says STOP also when it calls functions. */
export function finishReason(raw: string | undefined, calledTools: boolean): FinishReason {
  const unified = (raw !== undefined && UNIFIED.get(raw)) || "other";
  return { unified: unified === "stop" && calledTools ? "tool-calls" : unified, raw };
}
