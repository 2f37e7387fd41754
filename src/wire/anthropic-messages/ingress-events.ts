/** Neutral frames → Anthropic's stream events for a client. */
import type { Failure } from "../../failure/failure.ts";
import { isRecord, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { FinishReason } from "../chat.ts";
import type { ServedContext, StreamEncoder } from "../dialect.ts";
import { sseFrame } from "../sse.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { stopReason } from "./finish.ts";
import { errorBody } from "./ingress-error.ts";
import { encodeUsage } from "./ingress-usage.ts";

type OpenBlock = { readonly type: "text" | "thinking" } | { readonly type: "tool_use"; readonly call: number };

export function streamEncoder(served: ServedContext): StreamEncoder {
  return new MessageEncoder(served);
}

class MessageEncoder implements StreamEncoder {
  readonly #served: ServedContext;
  readonly #waiting = new Map<number, { readonly id: string; readonly name: string; arguments: string }>();
  #block: OpenBlock | undefined;
  #blocks = 0;
  #started = false;
  /** The upstream's own events are passed on: blocks and usage are its business. */
  #passing = false;
  #stopped = false;
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;

  constructor(served: ServedContext) {
    this.#served = served;
  }

  encode(frame: WireFrame): string {
    if (this.#stopped) return "";
    if (frame.native?.dialect === "anthropic-messages") return this.#passThrough(frame.native.event, frame.native.data);
    return frame.events.map((event) => this.#encodeEvent(event)).join("");
  }

  fail(reason: Failure, inferenceId: string): string {
    this.#stopped = true;
    return send("error", errorBody(reason, { inferenceId, attempts: [] }));
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
        if (event.choice !== 0 || event.text === "") return "";
        return (
          this.#in({ type: "text" }, { type: "text", text: "" }) + this.#delta({ type: "text_delta", text: event.text })
        );
      case "reasoning-delta":
        return event.choice === 0 ? this.#reasoning(event) : "";
      case "tool-call-start":
        return event.choice === 0 ? this.#callStart(event) : "";
      case "tool-call-delta":
        return event.choice === 0 ? this.#callDelta(event) : "";
      case "finish":
        if (event.choice === 0) this.#finish = event.finish;
        return "";
      case "usage":
        this.#usage = event.usage;
        return "";
      case "end":
        return this.#end();
      case "error":
      // Content only the upstream's own dialect can show.
      case "opaque-delta":
        return "";
    }
  }

  #start(): string {
    if (this.#started) return "";
    this.#started = true;
    const { id, model } = this.#served;
    const message = {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage(this.#usage),
    };
    return send("message_start", { type: "message_start", message });
  }

  #reasoning(event: Extract<StreamEvent, { type: "reasoning-delta" }>): string {
    if (event.encrypted !== undefined && event.text === "") {
      const block =
        this.#close() +
        this.#start() +
        send("content_block_start", {
          type: "content_block_start",
          index: this.#blocks,
          content_block: { type: "redacted_thinking", data: event.encrypted },
        });
      this.#block = { type: "thinking" };
      this.#blocks += 1;
      return block + this.#close();
    }
    let text = this.#in({ type: "thinking" }, { type: "thinking", thinking: "", signature: "" });
    if (event.text !== "") text += this.#delta({ type: "thinking_delta", thinking: event.text });
    if (event.signature !== undefined) text += this.#delta({ type: "signature_delta", signature: event.signature });
    return text;
  }

  /** Opens a block unless the one that is open is the same. */
  #in(block: OpenBlock, contentBlock: Record<string, unknown>): string {
    const open = this.#block;
    if (
      open?.type === block.type &&
      (block.type !== "tool_use" || (open.type === "tool_use" && open.call === block.call))
    )
      return "";
    const text =
      this.#close() +
      this.#start() +
      send("content_block_start", { type: "content_block_start", index: this.#blocks, content_block: contentBlock });
    this.#block = block;
    this.#blocks += 1;
    return text;
  }

  /** Blocks are sequential here, calls elsewhere may interleave: one streams live, further ones wait for the end. */
  #callStart({ index, id, name }: Extract<StreamEvent, { type: "tool-call-start" }>): string {
    if (this.#block?.type === "tool_use" || this.#waiting.size > 0) {
      this.#waiting.set(index, { id, name, arguments: "" });
      return "";
    }
    return this.#in({ type: "tool_use", call: index }, { type: "tool_use", id, name, input: {} });
  }

  #callDelta(event: Extract<StreamEvent, { type: "tool-call-delta" }>): string {
    const waiting = this.#waiting.get(event.index);
    if (waiting) waiting.arguments += event.arguments;
    return waiting || event.arguments === ""
      ? ""
      : this.#delta({ type: "input_json_delta", partial_json: event.arguments });
  }

  #waitingCalls(): string {
    let text = "";
    for (const [call, { id, name, arguments: input }] of this.#waiting) {
      text += this.#in({ type: "tool_use", call }, { type: "tool_use", id, name, input: {} });
      if (input !== "") text += this.#delta({ type: "input_json_delta", partial_json: input });
    }
    this.#waiting.clear();
    return text;
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
    const delta = { stop_reason: this.#finish ? stopReason(this.#finish) : "end_turn", stop_sequence: null };
    return (
      this.#start() +
      this.#waitingCalls() +
      this.#close() +
      send("message_delta", { type: "message_delta", delta, usage: encodeUsage(this.#usage) }) +
      send("message_stop", { type: "message_stop" })
    );
  }
}

function send(event: string, data: unknown): string {
  return sseFrame(JSON.stringify(data), event);
}
