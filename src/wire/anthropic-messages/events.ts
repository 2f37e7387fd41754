/** Anthropic's stream events → neutral events. */
import { classify } from "../../failure/classify.ts";
import type { Failure } from "../../failure/failure.ts";
import { parseExact } from "../../json/exact-numbers.ts";
import { isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { ReasoningPart } from "../chat.ts";
import type { SseEvent, StreamDecoder, WireTarget } from "../dialect.ts";
import { nativeName } from "../part-events.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { malformed, unfinished } from "../unfinished.ts";
import { decodeErrorObject, textErrorEvent } from "./error.ts";
import { finishReason } from "./finish.ts";
import { isServerTool, normaliseUsage } from "./usage.ts";

export function streamDecoder(target: WireTarget): StreamDecoder {
  return new MessageStream(target);
}

class MessageStream implements StreamDecoder {
  readonly #target: WireTarget;
  /** Content block index → tool call index: the neutral form counts tool calls only. */
  readonly #tools = new Map<number, number>();
  /**
   * Blocks of tool calls whose input has begun: a call without input has no arguments, which other dialects write as an
   * empty object.
   */
  readonly #filled = new Set<number>();
  /** Indexes of the blocks so far. */
  readonly #blocks = new Set<number>();
  #usage: JsonRecord = {};
  /** Blocks of tools that ran at the provider. */
  readonly #serverTools: unknown[] = [];
  #id: string | undefined;
  #started = false;
  #finished = false;
  #ended = false;

  constructor(target: WireTarget) {
    this.#target = target;
  }

  decode(event: SseEvent): WireFrame {
    if (this.#ended) return { events: [] };
    const told = textErrorEvent(event, this.#target);
    if (told) return this.#fail(classify(told));
    const data = parse(event.data);
    if (!isRecord(data)) return this.#fail(malformed("the stream holds an event that is not JSON"));
    const type = stringAt(data, "type") ?? event.event;
    if (type === "message_start" && this.#started) return this.#startedAgain(recordAt(data, "message"));
    if (type === "content_block_start" && this.#repeatsBlock(data))
      return this.#fail(malformed("the stream holds two content blocks at one index"));
    return { events: this.#events(type, data), native: { dialect: "anthropic-messages", event: type, data } };
  }

  finish(): WireFrame {
    if (this.#ended) return { events: [] };
    if (this.#finished) return { events: [{ type: "end" }] };
    return this.#fail(unfinished("before the message did"));
  }

  #fail(reason: Failure): WireFrame {
    this.#ended = true;
    return { events: [{ type: "error", failure: reason }] };
  }

  /** A repeated start would open the message twice at the client; the start of another message is two answers in one. */
  #startedAgain(message: JsonRecord | undefined): WireFrame {
    const id = stringAt(message, "id");
    if (id === undefined || this.#id === undefined || id === this.#id)
      return { events: this.#usageEvents(recordAt(message, "usage")) };
    return this.#fail(malformed("the stream holds the beginnings of two messages"));
  }

  #repeatsBlock(data: JsonRecord): boolean {
    const index = numberAt(data, "index");
    if (index === undefined) return false;
    const repeats = this.#blocks.has(index);
    this.#blocks.add(index);
    return repeats;
  }

  #events(type: string | undefined, data: JsonRecord): StreamEvent[] {
    switch (type) {
      case "message_start": {
        this.#started = true;
        const message = recordAt(data, "message");
        this.#id = stringAt(message, "id");
        return [
          { type: "start", id: this.#id, model: stringAt(message, "model") },
          ...this.#usageEvents(recordAt(message, "usage")),
        ];
      }
      case "content_block_start":
        return this.#blockStart(numberAt(data, "index") ?? 0, recordAt(data, "content_block"));
      case "content_block_delta":
        return this.#delta(numberAt(data, "index") ?? 0, recordAt(data, "delta"));
      case "content_block_stop":
        return this.#blockStop(numberAt(data, "index") ?? 0);
      case "message_delta":
        return this.#messageDelta(data);
      case "message_stop":
        this.#ended = true;
        return [{ type: "end" }];
      case "error":
        this.#ended = true;
        return [{ type: "error", failure: classify(decodeErrorObject(data, this.#target)) }];
      default:
        return [];
    }
  }

  #blockStart(index: number, block: JsonRecord | undefined): StreamEvent[] {
    const text = stringAt(block, "text");
    if (isServerTool(block)) this.#serverTools.push(block);
    switch (block?.["type"]) {
      case "text":
        return text ? [{ type: "text-delta", choice: 0, text }] : [];
      case "redacted_thinking":
        return [thinkingDelta({ text: "", encrypted: stringAt(block, "data") ?? "" })];
      case "tool_use": {
        const call = this.#tools.size;
        this.#tools.set(index, call);
        const start: StreamEvent = {
          type: "tool-call-start",
          choice: 0,
          index: call,
          id: stringAt(block, "id") ?? "",
          name: stringAt(block, "name") ?? "",
        };
        const input = recordAt(block, "input");
        const given = input !== undefined && Object.keys(input).length > 0;
        if (given) this.#filled.add(index);
        return given
          ? [start, { type: "tool-call-delta", choice: 0, index: call, arguments: JSON.stringify(input) }]
          : [start];
      }
      case undefined:
      case "thinking":
        return [];
      default:
        return block ? [{ type: "opaque-delta", choice: 0, what: nativeName({ value: block }) }] : [];
    }
  }

  #delta(index: number, delta: JsonRecord | undefined): StreamEvent[] {
    switch (delta?.["type"]) {
      case "text_delta":
        return [{ type: "text-delta", choice: 0, text: stringAt(delta, "text") ?? "" }];
      case "thinking_delta":
        return [thinkingDelta({ text: stringAt(delta, "thinking") ?? "" })];
      case "signature_delta":
        return [thinkingDelta({ text: "", signature: stringAt(delta, "signature") ?? "" })];
      case "input_json_delta": {
        const call = this.#tools.get(index);
        const piece = stringAt(delta, "partial_json") ?? "";
        // Server-side tools stream their input too; those are not calls of the client.
        if (call === undefined || piece === "") return [];
        this.#filled.add(index);
        return [{ type: "tool-call-delta", choice: 0, index: call, arguments: piece }];
      }
      default:
        return [];
    }
  }

  #blockStop(index: number): StreamEvent[] {
    const call = this.#tools.get(index);
    if (call === undefined || this.#filled.has(index)) return [];
    return [{ type: "tool-call-delta", choice: 0, index: call, arguments: "{}" }];
  }

  #messageDelta(data: JsonRecord): StreamEvent[] {
    const reason = stringAt(recordAt(data, "delta"), "stop_reason");
    const events = this.#usageEvents(recordAt(data, "usage"));
    if (reason === undefined) return events;
    this.#finished = true;
    return [{ type: "finish", choice: 0, finish: finishReason(reason) }, ...events];
  }

  /** Figures are cumulative, and later events repeat only some of them. */
  #usageEvents(usage: JsonRecord | undefined): StreamEvent[] {
    if (usage === undefined) return [];
    const reported = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(reported) };
    const normal = normaliseUsage(this.#usage, this.#serverTools);
    return normal ? [{ type: "usage", usage: normal, servedTier: stringAt(this.#usage, "service_tier") }] : [];
  }
}

function thinkingDelta(thinking: Omit<ReasoningPart, "type">): StreamEvent {
  return { type: "reasoning-delta", choice: 0, ...thinking, from: "anthropic-messages" };
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
