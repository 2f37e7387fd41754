/** Neutral frames → Anthropic's stream events for a client. */
import type { Failure } from "../../failure/failure.ts";
import { isRecord, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { FinishReason, ReasoningPart } from "../chat.ts";
import type { ErrorDetails, ServedContext, StreamEncoder } from "../dialect.ts";
import { PartSequence } from "../part-sequence.ts";
import { sseFrame } from "../sse.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { stopDetails, stopReason } from "./finish.ts";
import { errorBody } from "./ingress-error.ts";
import { callSignature, emptyMessage, textBlock, thinkingBlock, toolUseBlock } from "./ingress-response.ts";
import { encodeFinalUsage, encodeUsage } from "./ingress-usage.ts";

interface OpenBlock {
  readonly type: "text" | "thinking" | "tool_use" | "whole";
}

export function streamEncoder(served: ServedContext): StreamEncoder {
  return new MessageEncoder(served);
}

class MessageEncoder implements StreamEncoder {
  readonly #served: ServedContext;
  readonly #sequence = new PartSequence();
  #block: OpenBlock | undefined;
  /** The thinking of the open block so far. */
  #thought = "";
  #blocks = 0;
  #started = false;
  /** The upstream's own events are passed on: blocks and usage are its business. */
  #passing = false;
  #stopped = false;
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;
  #servedTier: string | undefined;

  constructor(served: ServedContext) {
    this.#served = served;
  }

  encode(frame: WireFrame): string {
    if (this.#stopped) return "";
    if (frame.native?.dialect === "anthropic-messages") return this.#passThrough(frame.native.event, frame.native.data);
    let text = "";
    for (const event of frame.events) for (const next of this.#sequence.next(event)) text += this.#encodeEvent(next);
    return text;
  }

  fail(reason: Failure, details: ErrorDetails): string {
    this.#stopped = true;
    return send("error", errorBody(reason, details));
  }

  /** The upstream's own event, under our id and the model that served. */
  #passThrough(event: string | undefined, data: unknown): string {
    if (!isRecord(data)) return "";
    this.#passing = true;
    if (event === "message_stop") this.#stopped = true;
    const message = event === "message_start" ? recordAt(data, "message") : undefined;
    const body = message ? { ...data, message: { ...message, id: this.#served.id, model: this.#served.model } } : data;
    return send(event ?? "", body);
  }

  #encodeEvent(event: StreamEvent): string {
    switch (event.type) {
      case "start":
        return this.#start();
      case "text-delta":
      case "refusal-delta":
        return this.#text(event.text);
      case "reasoning-delta":
        return this.#reasoning(event);
      case "tool-call-start":
        return this.#callStart(event);
      case "tool-call-delta":
        return event.arguments === "" ? "" : this.#delta({ type: "input_json_delta", partial_json: event.arguments });
      case "media":
        this.#served.lost?.(`content.${event.media.kind}`);
        return this.#text(event.media.transcript ?? "");
      case "opaque-delta":
        this.#served.lost?.(`content.${event.what}`);
        return "";
      case "finish":
        this.#finish = event.finish;
        return "";
      case "usage":
        this.#usage = event.usage;
        this.#servedTier = event.servedTier ?? this.#servedTier;
        return "";
      case "end":
        return this.#end();
      case "error":
        return "";
    }
  }

  #text(text: string): string {
    if (text === "") return "";
    return this.#in({ type: "text" }, textBlock("")) + this.#delta({ type: "text_delta", text });
  }

  #start(): string {
    if (this.#started) return "";
    this.#started = true;
    const usage = encodeUsage(this.#usage, this.#servedTier);
    const message = { ...emptyMessage(this.#served), usage };
    return send("message_start", { type: "message_start", message });
  }

  #reasoning(thought: Omit<ReasoningPart, "type">): string {
    if (thought.signature === undefined && thought.encrypted === undefined) return this.#thinking(thought.text);
    // A signature covers all of its block's thinking, which went out in pieces before it came.
    const text = (this.#block?.type === "thinking" ? this.#thought : "") + thought.text;
    const block = thinkingBlock({ ...thought, text });
    if (block["type"] === "redacted_thinking") return this.#whole(block);
    return (
      this.#thinking(thought.text) +
      this.#delta({ type: "signature_delta", signature: block["signature"] }) +
      this.#close()
    );
  }

  #thinking(text: string): string {
    const opening = this.#in({ type: "thinking" }, { type: "thinking", thinking: "", signature: "" });
    this.#thought += text;
    return text === "" ? opening : opening + this.#delta({ type: "thinking_delta", thinking: text });
  }

  /** A block that has no deltas. */
  #whole(block: Record<string, unknown>): string {
    return this.#in({ type: "whole" }, block) + this.#close();
  }

  /** Opens a block unless the one that is open is the same. */
  #in(block: OpenBlock, contentBlock: Record<string, unknown>): string {
    if (this.#block?.type === block.type && block.type !== "tool_use") return "";
    const text =
      this.#close() +
      this.#start() +
      send("content_block_start", { type: "content_block_start", index: this.#blocks, content_block: contentBlock });
    this.#block = block;
    this.#thought = "";
    this.#blocks += 1;
    return text;
  }

  #callStart(call: Extract<StreamEvent, { type: "tool-call-start" }>): string {
    const signed = callSignature(call);
    return (signed ? this.#reasoning(signed) : "") + this.#in({ type: "tool_use" }, toolUseBlock(call));
  }

  #delta(delta: Record<string, unknown>): string {
    return send("content_block_delta", { type: "content_block_delta", index: this.#blocks - 1, delta });
  }

  #close(): string {
    if (this.#block === undefined) return "";
    this.#block = undefined;
    return send("content_block_stop", { type: "content_block_stop", index: this.#blocks - 1 });
  }

  #end(): string {
    this.#stopped = true;
    if (this.#passing) return send("message_stop", { type: "message_stop" });
    const finish = this.#finish ?? { unified: "stop", raw: undefined };
    const delta = {
      container: null,
      stop_reason: stopReason(finish),
      stop_sequence: null,
      stop_details: stopDetails(finish),
    };
    return (
      this.#start() +
      this.#close() +
      send("message_delta", { type: "message_delta", delta, usage: encodeFinalUsage(this.#usage) }) +
      send("message_stop", { type: "message_stop" })
    );
  }
}

function send(event: string, data: unknown): string {
  return sseFrame(JSON.stringify(data), event);
}
