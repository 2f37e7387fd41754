/** Responses stream events → neutral events. */
import { classify } from "../../failure/classify.ts";
import type { Failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { SseEvent, StreamDecoder, WireTarget } from "../dialect.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { malformed, unfinished } from "../unfinished.ts";
import { decodeErrorObject, textErrorEvent } from "./error.ts";
import { finishOf } from "./response.ts";
import { isBilledItem, normaliseUsage } from "./usage.ts";

export function streamDecoder(target: WireTarget): StreamDecoder {
  return new ResponseStream(target);
}

interface OpenCall {
  readonly index: number;
  streamed: boolean;
}

class ResponseStream implements StreamDecoder {
  readonly #target: WireTarget;
  /** Output item → call; items are named by `output_index`, the only key that every event carries. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #billed: unknown[] = [];
  /** Output indexes of the items that are being written. */
  readonly #open = new Set<number>();
  #id: string | undefined;
  #started = false;
  #ended = false;

  constructor(target: WireTarget) {
    this.#target = target;
  }

  decode(event: SseEvent): WireFrame {
    if (this.#ended) return { events: [] };
    const told = textErrorEvent(event, this.#target);
    if (told) return this.#fail(classify(told));
    if (event.data === "[DONE]") return { events: [] };
    const data = parse(event.data);
    if (!isRecord(data)) return this.#fail(malformed("the stream holds an event that is not JSON"));
    const type = stringAt(data, "type") ?? event.event;
    if (type === "response.created" && this.#splices(recordAt(data, "response")))
      return this.#fail(malformed("the stream holds the beginnings of two responses"));
    if (type === "response.output_item.added" && this.#opensAgain(data))
      return this.#fail(malformed("the stream holds two items at one index"));
    return { events: this.#events(type, data), native: { dialect: "openai-responses", event: type, data } };
  }

  finish(): WireFrame {
    if (this.#ended) return { events: [] };
    return this.#fail(unfinished("before the response did"));
  }

  #fail(reason: Failure): WireFrame {
    this.#ended = true;
    return { events: [{ type: "error", failure: reason }] };
  }

  #events(type: string | undefined, data: JsonRecord): StreamEvent[] {
    switch (type) {
      case "response.created":
        return this.#start(recordAt(data, "response"));
      case "response.output_item.added":
        return this.#itemAdded(data);
      case "response.output_item.done":
        return this.#itemDone(data);
      case "response.output_text.delta":
        return [{ type: "text-delta", choice: 0, text: stringAt(data, "delta") ?? "" }];
      case "response.refusal.delta":
        return [{ type: "refusal-delta", choice: 0, text: stringAt(data, "delta") ?? "" }];
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return [{ type: "reasoning-delta", choice: 0, text: stringAt(data, "delta") ?? "" }];
      case "response.reasoning_summary_part.added":
        // Whole answers join the parts of a summary by a blank line.
        return (numberAt(data, "summary_index") ?? 0) > 0 ? [{ type: "reasoning-delta", choice: 0, text: "\n\n" }] : [];
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return this.#argumentsDelta(data);
      case "response.completed":
      case "response.incomplete":
        return this.#end(recordAt(data, "response") ?? {});
      case "response.failed":
      case "error":
        return this.#failed(data);
      default:
        return [];
    }
  }

  #splices(response: JsonRecord | undefined): boolean {
    const id = stringAt(response, "id");
    return this.#started && id !== undefined && this.#id !== undefined && id !== this.#id;
  }

  #opensAgain(data: JsonRecord): boolean {
    const index = numberAt(data, "output_index");
    if (index === undefined) return false;
    const opensAgain = this.#open.has(index);
    this.#open.add(index);
    return opensAgain;
  }

  #start(response: JsonRecord | undefined): StreamEvent[] {
    if (this.#started) return [];
    this.#started = true;
    this.#id = stringAt(response, "id");
    return [{ type: "start", id: this.#id, model: stringAt(response, "model") }];
  }

  #itemAdded(data: JsonRecord): StreamEvent[] {
    const item = recordAt(data, "item");
    if (!isCall(item)) return [];
    const given = callInput(item);
    const call: OpenCall = { index: this.#calls.size, streamed: given !== "" };
    this.#calls.set(numberAt(data, "output_index") ?? -1, call);
    const start: StreamEvent = {
      type: "tool-call-start",
      choice: 0,
      index: call.index,
      id: stringAt(item, "call_id") ?? stringAt(item, "id") ?? "",
      name: stringAt(item, "name") ?? "",
      ...(item["type"] === "custom_tool_call" ? { custom: true } : {}),
    };
    return given === ""
      ? [start]
      : [start, { type: "tool-call-delta", choice: 0, index: call.index, arguments: given }];
  }

  #argumentsDelta(data: JsonRecord): StreamEvent[] {
    const call = this.#calls.get(numberAt(data, "output_index") ?? -1);
    if (!call) return [];
    call.streamed = true;
    return [{ type: "tool-call-delta", choice: 0, index: call.index, arguments: stringAt(data, "delta") ?? "" }];
  }

  /** Some upstreams send a call whole, without deltas; encrypted reasoning comes only with the finished item. */
  #itemDone(data: JsonRecord): StreamEvent[] {
    const item = recordAt(data, "item");
    this.#open.delete(numberAt(data, "output_index") ?? -1);
    if (isBilledItem(item)) this.#billed.push(item);
    if (item?.["type"] === "reasoning") {
      const encrypted = stringAt(item, "encrypted_content");
      const from = "openai-responses";
      const id = stringAt(item, "id");
      return encrypted === undefined ? [] : [{ type: "reasoning-delta", choice: 0, text: "", encrypted, id, from }];
    }
    if (item?.["type"] === "image_generation_call") {
      const data = stringAt(item, "result");
      const mediaType = `image/${stringAt(item, "output_format") ?? "png"}`;
      return data ? [{ type: "media", choice: 0, media: { kind: "image", data, mediaType } }] : [];
    }
    if (!isCall(item)) return [];
    const known = this.#calls.get(numberAt(data, "output_index") ?? -1);
    if (known === undefined) return this.#itemAdded(data);
    const whole = callInput(item);
    if (known.streamed || whole === "") return [];
    known.streamed = true;
    return [{ type: "tool-call-delta", choice: 0, index: known.index, arguments: whole }];
  }

  #end(response: JsonRecord): StreamEvent[] {
    this.#ended = true;
    const events: StreamEvent[] = [{ type: "finish", choice: 0, finish: finishOf(response, this.#calls.size > 0) }];
    const usage = this.#usage(response);
    if (usage) events.push({ type: "usage", usage, servedTier: stringAt(response, "service_tier") });
    return [...events, { type: "end" }];
  }

  /** The closing event repeats the output at most upstreams, not at all. */
  #usage(response: JsonRecord): Usage | undefined {
    const items = arrayAt(response, "output") ?? [];
    return normaliseUsage(response["usage"], items.length >= this.#billed.length ? items : this.#billed);
  }

  #failed(data: JsonRecord): StreamEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    const response = recordAt(data, "response");
    const usage = response && this.#usage(response);
    const error: StreamEvent = { type: "error", failure: classify(decodeErrorObject(response ?? data, this.#target)) };
    return usage ? [{ type: "usage", usage }, error] : [error];
  }
}

function isCall(item: JsonRecord | undefined): item is JsonRecord {
  return item?.["type"] === "function_call" || item?.["type"] === "custom_tool_call";
}

function callInput(item: JsonRecord): string {
  return stringAt(item, item["type"] === "custom_tool_call" ? "input" : "arguments") ?? "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
