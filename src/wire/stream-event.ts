import type { Failure } from "../failure/failure.ts";
import type { Usage } from "../money/usage.ts";
import type { DialectName, FinishReason, MediaPart } from "./chat.ts";

/** One step of a streamed answer. `choice` counts answers (`n`), `index` counts tool calls of a choice from 0. */
export type StreamEvent =
  | { readonly type: "start"; readonly id?: string | undefined; readonly model?: string | undefined }
  | { readonly type: "text-delta"; readonly choice: number; readonly text: string }
  | {
      readonly type: "reasoning-delta";
      readonly choice: number;
      readonly text: string;
      readonly signature?: string | undefined;
      readonly encrypted?: string | undefined;
      /** As in `ReasoningPart`. */
      readonly id?: string | undefined;
      readonly from?: DialectName | undefined;
      readonly callId?: string | undefined;
    }
  | { readonly type: "refusal-delta"; readonly choice: number; readonly text: string }
  | {
      readonly type: "tool-call-start";
      readonly choice: number;
      readonly index: number;
      readonly id: string;
      readonly name: string;
      /** The argument text is free text instead of JSON. */
      readonly custom?: boolean | undefined;
      readonly namespace?: string | undefined;
      readonly signature?: string | undefined;
    }
  | { readonly type: "tool-call-delta"; readonly choice: number; readonly index: number; readonly arguments: string }
  | { readonly type: "media"; readonly choice: number; readonly media: Omit<MediaPart, "type"> }
  /** Content that only the dialect's own chunk can carry, such as pieces of spoken audio: it passes through `native`. */
  | { readonly type: "opaque-delta"; readonly choice: number; readonly what: string }
  | { readonly type: "finish"; readonly choice: number; readonly finish: FinishReason }
  /** Cumulative; the last one wins. */
  | { readonly type: "usage"; readonly usage: Usage; readonly servedTier?: string | undefined }
  | { readonly type: "error"; readonly failure: Failure }
  /** The protocol's own end (`[DONE]`, `message_stop`, `response.completed`). */
  | { readonly type: "end" };

/** What one upstream SSE event meant. A client of the same dialect is served from `native`, repaired where needed. */
export interface WireFrame {
  readonly events: readonly StreamEvent[];
  readonly native?:
    | { readonly dialect: DialectName; readonly event?: string | undefined; readonly data: unknown }
    | undefined;
}

/** True for events that commit a stream to its candidate: from here on nothing is switched silently. */
export function isContent(event: StreamEvent): boolean {
  switch (event.type) {
    case "text-delta":
    case "refusal-delta":
      return event.text !== "";
    case "reasoning-delta":
      return event.text !== "" || event.signature !== undefined || event.encrypted !== undefined;
    case "tool-call-start":
    case "tool-call-delta":
    case "media":
    case "opaque-delta":
      return true;
    default:
      return false;
  }
}

/** The failure that ends a stream with this frame, if it does. */
export function failureIn(frame: WireFrame): Failure | undefined {
  for (const event of frame.events) if (event.type === "error") return event.failure;
  return undefined;
}
