import type { FinishReason, UnifiedFinish } from "../chat.ts";

const UNIFIED: ReadonlyMap<string, UnifiedFinish> = new Map(
  Object.entries<UnifiedFinish>({
    end_turn: "stop",
    stop_sequence: "stop",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    tool_use: "tool-calls",
    refusal: "content-filter",
    // The server paused or compacted a long turn: the answer is not whole.
    pause_turn: "length",
    compaction: "length",
  }),
);

export function finishReason(raw: string | undefined): FinishReason {
  return { unified: raw === undefined ? "other" : (UNIFIED.get(raw) ?? "other"), raw };
}

/** Returns the details of a refusal; other ends have none. */
export function stopDetails(finish: FinishReason): Record<string, unknown> | null {
  return finish.unified === "content-filter" ? { type: "refusal", category: null, explanation: null } : null;
}

/** Words for a client of this dialect. */
export function stopReason(finish: FinishReason): string {
  if (finish.raw !== undefined && UNIFIED.has(finish.raw)) return finish.raw;
  switch (finish.unified) {
    case "length":
      return "max_tokens";
    case "tool-calls":
      return "tool_use";
    case "content-filter":
      return "refusal";
    default:
      return "end_turn";
  }
}
