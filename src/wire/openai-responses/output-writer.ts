/** Neutral content → output items, one after another, with the events that tell a client of each. */
import type { ServedContext } from "../dialect.ts";
import { PartSequence } from "../part-sequence.ts";
import type { StreamEvent } from "../stream-event.ts";
import {
  contentPart,
  doneItem,
  draftItem,
  type ItemContent,
  type ItemDraft,
  type OutputItem,
  openItem,
} from "./output-items.ts";

type SendEvent = (type: string, fields: Record<string, unknown>) => void;

export class OutputWriter {
  /** Items that are done. */
  readonly output: OutputItem[] = [];
  readonly #served: ServedContext;
  readonly #send: SendEvent;
  readonly #sequence = new PartSequence();
  #open: ItemDraft | undefined;

  constructor(served: ServedContext, send: SendEvent) {
    this.#served = served;
    this.#send = send;
  }

  write(event: StreamEvent): void {
    for (const next of this.#sequence.next(event)) this.#write(next);
  }

  /** The answer is over. An answer that was cut was cut in its last item. */
  close(status: "completed" | "incomplete"): void {
    this.write({ type: "end" });
    this.#closeItem(status);
  }

  #write(event: StreamEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#piece("text", event.text);
        return;
      case "refusal-delta":
        this.#piece("refusal", event.text);
        return;
      case "reasoning-delta":
        this.#think(event);
        return;
      case "tool-call-start": {
        const { id, signature } = event;
        // A call's own signature has no place in its item: it goes before it, as thinking.
        if (signature !== undefined) this.#think({ text: "", signature, from: "gemini", callId: id });
        this.#begin({ kind: "call", call: event });
        return;
      }
      case "tool-call-delta":
        this.#grow(event.arguments);
        return;
      case "media": {
        const { media } = event;
        if (media.kind === "image") this.#begin({ kind: "image", image: media });
        else this.#served.lost?.(`content.${media.kind}`);
        this.#piece("text", media.transcript ?? "");
        return;
      }
      case "opaque-delta":
        this.#served.lost?.(`content.${event.what}`);
    }
  }

  #piece(kind: "text" | "refusal" | "reasoning", text: string): void {
    if (text === "" && kind !== "reasoning") return;
    if (this.#open?.kind !== kind) this.#begin({ kind });
    this.#grow(text);
  }

  /** Thinking with its signature is complete; what follows is a new part. */
  #think(thought: Omit<Extract<StreamEvent, { type: "reasoning-delta" }>, "type" | "choice">): void {
    const { text, ...opaque } = thought;
    if (this.#open?.kind === "reasoning" && this.#open.opaque) this.#closeItem("completed");
    this.#piece("reasoning", text);
    const signed = opaque.signature !== undefined || opaque.encrypted !== undefined;
    if (signed && this.#open?.kind === "reasoning") this.#open.opaque = opaque;
  }

  #begin(content: ItemContent): void {
    this.#closeItem("completed");
    const item = draftItem(content, this.#served.id, this.output.length);
    this.#open = item;
    this.#send("response.output_item.added", { output_index: item.index, item: openItem(item) });
    if (item.kind === "text" || item.kind === "refusal")
      this.#send("response.content_part.added", { ...place(item), content_index: 0, part: contentPart(item) });
  }

  #grow(text: string): void {
    const item = this.#open;
    if (!item || text === "") return;
    if (item.kind === "reasoning" && item.text === "")
      this.#send("response.reasoning_summary_part.added", { ...place(item), summary_index: 0, part: summary("") });
    item.text += text;
    this.#send(deltaEvent(item), { ...place(item), ...partIndex(item), ...logprobs(item), delta: text });
  }

  #closeItem(status: "completed" | "incomplete"): void {
    const item = this.#open;
    if (!item) return;
    this.#open = undefined;
    this.#partDone(item);
    const whole = doneItem(item, status);
    this.output.push(whole);
    this.#send("response.output_item.done", { output_index: item.index, item: whole });
  }

  #partDone(item: ItemDraft): void {
    const at = { ...place(item), ...partIndex(item) };
    switch (item.kind) {
      case "call": {
        const { name, custom } = item.call;
        if (custom) this.#send("response.custom_tool_call_input.done", { ...at, input: item.text });
        else this.#send("response.function_call_arguments.done", { ...at, name, arguments: item.text });
        return;
      }
      case "reasoning":
        if (item.text === "") return;
        this.#send("response.reasoning_summary_text.done", { ...at, text: item.text });
        this.#send("response.reasoning_summary_part.done", { ...at, part: summary(item.text) });
        return;
      case "text":
        this.#send("response.output_text.done", { ...at, text: item.text, logprobs: [] });
        this.#send("response.content_part.done", { ...at, part: contentPart(item) });
        return;
      case "refusal":
        this.#send("response.refusal.done", { ...at, refusal: item.text });
        this.#send("response.content_part.done", { ...at, part: contentPart(item) });
        return;
      case "image":
        this.#send("response.image_generation_call.completed", at);
    }
  }
}

function place(item: ItemDraft): Record<string, unknown> {
  return { item_id: item.id, output_index: item.index };
}

function partIndex({ kind }: ItemDraft): Record<string, unknown> {
  if (kind === "reasoning") return { summary_index: 0 };
  return kind === "text" || kind === "refusal" ? { content_index: 0 } : {};
}

function logprobs({ kind }: ItemDraft): Record<string, unknown> {
  return kind === "text" ? { logprobs: [] } : {};
}

function deltaEvent(item: ItemDraft): string {
  switch (item.kind) {
    case "text":
      return "response.output_text.delta";
    case "refusal":
      return "response.refusal.delta";
    case "reasoning":
      return "response.reasoning_summary_text.delta";
    case "call":
    case "image":
      return item.kind === "call" && item.call.custom
        ? "response.custom_tool_call_input.delta"
        : "response.function_call_arguments.delta";
  }
}

function summary(text: string): Record<string, unknown> {
  return { type: "summary_text", text };
}
