/** Neutral frames → Responses stream events for a client. */
import type { Failure } from "../../failure/failure.ts";
import { httpError } from "../../failure/http.ts";
import { isRecord, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { FinishReason } from "../chat.ts";
import type { ServedContext, StreamEncoder } from "../dialect.ts";
import { sseFrame } from "../sse.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import {
  callItem,
  messageItem,
  type OutputItem,
  reasoningItem,
  responseObject,
  textContent,
} from "./ingress-response.ts";

interface OpenItem {
  readonly kind: "text" | "refusal" | "reasoning" | "call";
  readonly index: number;
  readonly id: string;
  readonly call?: { readonly index: number; readonly id: string; readonly name: string };
  text: string;
  encrypted?: string | undefined;
}

export function streamEncoder(served: ServedContext): StreamEncoder {
  return new ResponseEncoder(served);
}

class ResponseEncoder implements StreamEncoder {
  readonly #served: ServedContext;
  readonly #output: OutputItem[] = [];
  /** Items stay open until the end: calls may interleave. */
  readonly #items: OpenItem[] = [];
  #sequence = 0;
  #started = false;
  #stopped = false;
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;

  constructor(served: ServedContext) {
    this.#served = served;
  }

  encode(frame: WireFrame): string {
    if (this.#stopped) return "";
    if (frame.native?.dialect === "openai-responses") return this.#passThrough(frame.native.event, frame.native.data);
    return frame.events.map((event) => this.#encodeEvent(event)).join("");
  }

  fail(reason: Failure, inferenceId: string): string {
    this.#stopped = true;
    const error = { code: httpError(reason).code, message: reason.message };
    const response = { ...responseObject(this.#served, this.#output, undefined, this.#usage), status: "failed", error };
    const detail = { ...error, param: reason.param ?? null, failure_class: reason.class, inference_id: inferenceId };
    return this.#start() + this.#send("error", detail) + this.#send("response.failed", { response });
  }

  /** The upstream's own event, under our id and the model that served. */
  #passThrough(event: string | undefined, data: unknown): string {
    if (!isRecord(data) || event === undefined) return "";
    this.#started = true;
    this.#sequence += 1;
    if (event === "response.completed" || event === "response.incomplete") this.#stopped = true;
    const response = recordAt(data, "response");
    const body = response
      ? { ...data, response: { ...response, id: this.#served.id, model: this.#served.model } }
      : data;
    return sseFrame(JSON.stringify(body), event);
  }

  #encodeEvent(event: StreamEvent): string {
    if ("choice" in event && event.choice !== 0) return "";
    switch (event.type) {
      case "start":
        return this.#start();
      case "text-delta":
        return event.text === "" ? "" : this.#piece("text", event.text);
      case "refusal-delta":
        return event.text === "" ? "" : this.#piece("refusal", event.text);
      case "reasoning-delta": {
        const sent = event.text === "" && event.encrypted === undefined ? "" : this.#piece("reasoning", event.text);
        const open = this.#items.findLast((item) => item.kind === "reasoning");
        if (open && event.encrypted !== undefined) open.encrypted = event.encrypted;
        return sent;
      }
      case "tool-call-start":
        return this.#openItem("call", { index: event.index, id: event.id, name: event.name });
      case "tool-call-delta": {
        const item = this.#items.find((open) => open.call?.index === event.index);
        if (!item || event.arguments === "") return "";
        item.text += event.arguments;
        return this.#send("response.function_call_arguments.delta", { ...place(item), delta: event.arguments });
      }
      case "finish":
        this.#finish = event.finish;
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
    const response = { ...responseObject(this.#served, [], undefined, undefined), status: "in_progress" };
    return this.#send("response.created", { response }) + this.#send("response.in_progress", { response });
  }

  #piece(kind: "text" | "refusal" | "reasoning", text: string): string {
    const last = this.#items.at(-1);
    const opening = last?.kind === kind ? "" : this.#openItem(kind);
    const item = this.#items.at(-1);
    if (!item) return opening;
    item.text += text;
    if (text === "") return opening;
    const name = {
      text: "response.output_text.delta",
      refusal: "response.refusal.delta",
      reasoning: "response.reasoning_summary_text.delta",
    }[kind];
    const part = kind === "reasoning" ? { summary_index: 0 } : { content_index: 0 };
    return opening + this.#send(name, { ...place(item), ...part, delta: text });
  }

  #openItem(kind: OpenItem["kind"], call?: OpenItem["call"]): string {
    const index = this.#items.length;
    const prefix = { text: "msg", refusal: "msg", reasoning: "rs", call: "fc" }[kind];
    const item: OpenItem = {
      kind,
      index,
      id: `${prefix}_${this.#served.id}_${index}`,
      text: "",
      ...(call ? { call } : {}),
    };
    const opening =
      this.#start() +
      this.#send("response.output_item.added", {
        output_index: index,
        item: { ...emptyItem(item), status: "in_progress" },
      });
    this.#items.push(item);
    if (kind === "call") return opening;
    if (kind === "reasoning") {
      return (
        opening +
        this.#send("response.reasoning_summary_part.added", {
          ...place(item),
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        })
      );
    }
    const part = kind === "text" ? textContent("") : { type: "refusal", refusal: "" };
    return opening + this.#send("response.content_part.added", { ...place(item), content_index: 0, part });
  }

  #closeItem(item: OpenItem): string {
    const whole = fullItem(item);
    this.#output.push(whole);
    return this.#partsDone(item) + this.#send("response.output_item.done", { output_index: item.index, item: whole });
  }

  #partsDone(item: OpenItem): string {
    switch (item.kind) {
      case "call":
        return this.#send("response.function_call_arguments.done", {
          ...place(item),
          name: item.call?.name,
          arguments: item.text,
        });
      case "reasoning":
        return (
          this.#send("response.reasoning_summary_text.done", { ...place(item), summary_index: 0, text: item.text }) +
          this.#send("response.reasoning_summary_part.done", {
            ...place(item),
            summary_index: 0,
            part: { type: "summary_text", text: item.text },
          })
        );
      case "text":
        return (
          this.#send("response.output_text.done", { ...place(item), content_index: 0, text: item.text }) +
          this.#send("response.content_part.done", { ...place(item), content_index: 0, part: textContent(item.text) })
        );
      case "refusal":
        return (
          this.#send("response.refusal.done", { ...place(item), content_index: 0, refusal: item.text }) +
          this.#send("response.content_part.done", {
            ...place(item),
            content_index: 0,
            part: { type: "refusal", refusal: item.text },
          })
        );
    }
  }

  #end(): string {
    this.#stopped = true;
    const closed = this.#start() + this.#items.map((item) => this.#closeItem(item)).join("");
    const response = responseObject(this.#served, this.#output, this.#finish, this.#usage);
    return (
      closed +
      this.#send(response["status"] === "incomplete" ? "response.incomplete" : "response.completed", { response })
    );
  }

  #send(type: string, fields: Record<string, unknown>): string {
    const event = { type, sequence_number: this.#sequence, ...fields };
    this.#sequence += 1;
    return sseFrame(JSON.stringify(event), type);
  }
}

function place(item: OpenItem): Record<string, unknown> {
  return { item_id: item.id, output_index: item.index };
}

function emptyItem(item: OpenItem): OutputItem {
  if (item.kind === "call") return callItem(item.id, item.call?.id ?? "", item.call?.name ?? "", "");
  return item.kind === "reasoning" ? reasoningItem(item.id, "", undefined) : messageItem(item.id, []);
}

function fullItem(item: OpenItem): OutputItem {
  switch (item.kind) {
    case "call":
      return callItem(item.id, item.call?.id ?? "", item.call?.name ?? "", item.text);
    case "reasoning":
      return reasoningItem(item.id, item.text, item.encrypted);
    case "text":
      return messageItem(item.id, [textContent(item.text)]);
    case "refusal":
      return messageItem(item.id, [{ type: "refusal", refusal: item.text }]);
  }
}
