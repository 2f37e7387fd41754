/** Items of a response's output, as they stand open in a stream and as they are when done. */
import { thinkingFor } from "../carried-thinking.ts";
import type { MediaPart, ReasoningPart, ToolCallPart } from "../chat.ts";

export type OutputItem = Record<string, unknown>;

/** One item while it is written. `text` grows: the text, the thinking, or the arguments of the call. */
export type ItemDraft = { readonly id: string; readonly index: number; text: string } & (
  | { readonly kind: "text" | "refusal" }
  | { readonly kind: "reasoning"; opaque?: Omit<ReasoningPart, "type" | "text"> | undefined }
  | { readonly kind: "call"; readonly call: Pick<ToolCallPart, "id" | "name" | "custom" | "namespace"> }
  | { readonly kind: "image"; readonly image: Omit<MediaPart, "type"> }
);

export type ItemContent =
  | { readonly kind: "text" | "refusal" | "reasoning" }
  | { readonly kind: "call"; readonly call: Pick<ToolCallPart, "id" | "name" | "custom" | "namespace"> }
  | { readonly kind: "image"; readonly image: Omit<MediaPart, "type"> };

const PREFIX = { text: "msg", refusal: "msg", reasoning: "rs", image: "ig" } as const;

export function draftItem(content: ItemContent, answerId: string, index: number): ItemDraft {
  const prefix = content.kind === "call" ? (content.call.custom ? "ctc" : "fc") : PREFIX[content.kind];
  return { ...content, id: `${prefix}_${answerId}_${index}`, index, text: "" };
}

/** The item without its content, as a stream announces it. */
export function openItem(draft: ItemDraft): OutputItem {
  switch (draft.kind) {
    case "text":
    case "refusal":
      return { type: "message", id: draft.id, role: "assistant", status: "in_progress", content: [] };
    case "reasoning":
      return { type: "reasoning", id: draft.id, summary: [], status: "in_progress" };
    case "call":
      return callItem(draft, "in_progress");
    case "image":
      return { type: "image_generation_call", id: draft.id, status: "in_progress", result: null };
  }
}

/** `status` is `incomplete` for an item that was cut. */
export function doneItem(draft: ItemDraft, status: "completed" | "incomplete"): OutputItem {
  switch (draft.kind) {
    case "text":
    case "refusal":
      return { ...openItem(draft), status, content: [contentPart(draft)] };
    case "reasoning":
      return reasoningItem(draft, status);
    case "call":
      return callItem(draft, status);
    case "image": {
      const format = draft.image.mediaType.split("/")[1];
      return { ...openItem(draft), status: "completed", result: draft.image.data, output_format: format };
    }
  }
}

/** The text or refusal that a message item holds. */
export function contentPart({ kind, text }: Pick<ItemDraft, "kind" | "text">): Record<string, unknown> {
  return kind === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

function reasoningItem(draft: Extract<ItemDraft, { kind: "reasoning" }>, status: string): OutputItem {
  const { id, text, opaque } = draft;
  const held = opaque && thinkingFor("openai-responses", { ...opaque, text });
  const encrypted = held?.encrypted ?? held?.signature;
  return {
    type: "reasoning",
    id: opaque?.id ?? id,
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    status,
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

function callItem({ id, call, text }: Extract<ItemDraft, { kind: "call" }>, status: string): OutputItem {
  const { id: callId, name, custom, namespace } = call;
  const called = { id, call_id: callId, name, ...(namespace === undefined ? {} : { namespace }), status };
  return custom
    ? { type: "custom_tool_call", ...called, input: text }
    : { type: "function_call", ...called, arguments: text };
}
