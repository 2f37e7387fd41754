/**
 * Converts chunks of a streamed chat completion to neutral events. The chunk is passed along as `native`, with
 * everything repaired that depends on the stream: tool call indexes and ids, finish reasons, content sent as parts.
 */
import { classify } from "../../failure/classify.ts";
import type { Failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { FinishReason } from "../chat.ts";
import type { SseEvent, StreamDecoder, WireTarget } from "../dialect.ts";
import { partEvents } from "../part-events.ts";
import { isContent, type StreamEvent, type WireFrame } from "../stream-event.ts";
import { malformed, unfinished } from "../unfinished.ts";
import { contentParts } from "./content.ts";
import { decodeErrorObject, textErrorEvent } from "./error.ts";
import { brokenOff, finishReason, wireFinish } from "./finish.ts";
import { errorInside, usageOf } from "./response.ts";
import { type CallFragment, ToolCallJoiner } from "./tool-calls.ts";
import { normaliseUsage } from "./usage.ts";

/** Chunks are parsed here and belong to this decoder until the frame is handed on: repairs are made in place. */
type MutableRecord = Record<string, unknown>;

interface ChoiceState {
  readonly index: number;
  readonly tools: ToolCallJoiner;
  finish: FinishReason | undefined;
}

export function streamDecoder(target: WireTarget): StreamDecoder {
  return new ChunkStream(target);
}

class ChunkStream implements StreamDecoder {
  readonly #target: WireTarget;
  readonly #choices = new Map<number, ChoiceState>();
  #id: string | undefined;
  #model: string | undefined;
  #servedTier: string | undefined;
  #ended = false;

  constructor(target: WireTarget) {
    this.#target = target;
  }

  decode(event: SseEvent): WireFrame {
    if (this.#ended) return { events: [] };
    const told = textErrorEvent(event, this.#target);
    if (told) return this.#fail(classify(told));
    const text = event.data;
    if (text === "[DONE]" || text.trim() === "[DONE]") return this.#close();
    if (text.trim() === "") return { events: [] };
    const chunk = parse(text);
    const fault = errorInside(chunk, this.#target);
    if (fault) return this.#fail(fault, isRecord(chunk) ? this.#usage(chunk) : []);
    if (!isRecord(chunk)) return this.#fail(malformed("the stream holds an event that is not a JSON object"));
    if (event.event === "error") return this.#fail(classify(decodeErrorObject(chunk, this.#target)));
    return this.#chunk(chunk);
  }

  finish(): WireFrame {
    if (this.#ended) return { events: [] };
    const choices = [...this.#choices.values()];
    if (choices.length > 0 && choices.every((choice) => choice.finish !== undefined)) return this.#close();
    const what = choices.length === 0 ? "before it began" : "before it was finished";
    return this.#fail(unfinished(what));
  }

  #fail(reason: Failure, before: readonly StreamEvent[] = []): WireFrame {
    this.#ended = true;
    return { events: [...before, { type: "error", failure: reason }] };
  }

  /** The upstream said `[DONE]`. Some never send a finish reason (Moonshot models over OpenRouter). */
  #close(): WireFrame {
    this.#ended = true;
    const events: StreamEvent[] = [];
    for (const state of this.#choices.values()) {
      if (state.finish) continue;
      for (const call of unarguedCalls(state)) events.push(argumentsDelta(state, call));
      events.push({
        type: "finish",
        choice: state.index,
        finish: finishReason(undefined, state.tools.calls.length > 0),
      });
    }
    return { events: [...events, { type: "end" }] };
  }

  #chunk(chunk: JsonRecord): WireFrame {
    const events = this.#identity(chunk);
    const choices = arrayAt(chunk, "choices") ?? [];
    for (const [position, choice] of choices.entries()) {
      if (!isRecord(choice)) return this.#fail(malformed("the stream holds a choice that is not an object"));
      const fault = this.#choice(choice, position, events, stringAt(chunk, "id"));
      if (fault) return this.#fail(fault, [...events, ...this.#usage(chunk)]);
    }
    events.push(...this.#usage(chunk));
    return { events, native: { dialect: "openai-chat", data: chunk } };
  }

  /** Azure's first chunk has blank names; its model router sends the model only later. */
  #identity(chunk: JsonRecord): StreamEvent[] {
    this.#servedTier = stringAt(chunk, "service_tier") || this.#servedTier;
    const id = this.#id ?? (stringAt(chunk, "id") || undefined);
    const model = this.#model ?? (stringAt(chunk, "model") || undefined);
    if (id === this.#id && model === this.#model) return [];
    this.#id = id;
    this.#model = model;
    return [{ type: "start", id, model }];
  }

  #usage(chunk: JsonRecord): StreamEvent[] {
    const usage = normaliseUsage(usageOf(chunk), this.#target.quirks);
    return usage ? [{ type: "usage", usage, servedTier: this.#servedTier }] : [];
  }

  /** Adds the events of one choice; returns the failure that ends the stream, if it does. */
  #choice(
    choice: MutableRecord,
    position: number,
    events: StreamEvent[],
    chunkId: string | undefined,
  ): Failure | undefined {
    const state = this.#state(numberAt(choice, "index") ?? position);
    const before = events.length;
    const delta = recordAt(choice, "delta") ?? recordAt(choice, "message");
    if (delta) {
      this.#content(delta, state, events);
      const orphan = this.#calls(delta, state, events);
      if (orphan) return orphan;
    }
    // Ids may differ from chunk to chunk at some upstreams; only behind a finished choice they tell of another answer.
    if (state.finish && chunkId && chunkId !== this.#id && events.slice(before).some(isContent))
      return malformed("the stream holds two answers");
    return this.#finishReason(choice, state, events);
  }

  #state(index: number): ChoiceState {
    let state = this.#choices.get(index);
    if (!state) {
      state = { index, tools: new ToolCallJoiner(index), finish: undefined };
      this.#choices.set(index, state);
    }
    return state;
  }

  #content(delta: MutableRecord, { index: choice }: ChoiceState, events: StreamEvent[]): void {
    const parts = contentParts(delta);
    let text = "";
    let reasoning = "";
    for (const part of parts) {
      if (part.type === "text") {
        text += part.text;
        events.push({ type: "text-delta", choice, text: part.text });
      } else if (part.type === "refusal") {
        events.push({ type: "refusal-delta", choice, text: part.text });
      } else if (part.type === "reasoning") {
        reasoning += part.text;
        events.push({ ...part, type: "reasoning-delta", choice });
      } else events.push(...partEvents(part, choice, 0));
    }
    if (recordAt(delta, "audio")) events.push({ type: "opaque-delta", choice, what: "audio" });
    if (!Array.isArray(delta["content"])) return;
    delta["content"] = text;
    if (reasoning !== "") delta["reasoning_content"] ??= reasoning;
  }

  #calls(delta: MutableRecord, state: ChoiceState, events: StreamEvent[]): Failure | undefined {
    const legacy = recordAt(delta, "function_call");
    const calls = arrayAt(delta, "tool_calls");
    const fragments = calls?.length || !legacy ? calls : [{ index: 0, function: legacy }];
    if (fragments === undefined) return undefined;
    const repaired: unknown[] = [];
    for (const fragment of fragments) {
      if (!isRecord(fragment)) continue;
      const joined = state.tools.join(fragment, this.#id);
      if (joined === "orphan") return malformed("the stream holds arguments of a tool call that never began");
      if (joined === undefined) continue;
      events.push(...callEvents(joined, state.index));
      repaired.push(repairedFragment(fragment, joined));
    }
    if (delta["tool_calls"] !== undefined) delta["tool_calls"] = repaired;
    return undefined;
  }

  #finishReason(choice: MutableRecord, state: ChoiceState, events: StreamEvent[]): Failure | undefined {
    const raw = stringAt(choice, "finish_reason") || undefined;
    const fault = choice["error"] ? errorInside(choice, this.#target) : undefined;
    if (fault) return fault;
    if (raw === undefined || state.finish) {
      // SGLang sends "" for "not yet"; OpenRouter repeats the finish reason beside the usage.
      if (choice["finish_reason"] !== undefined) choice["finish_reason"] = null;
      return undefined;
    }
    const finish = finishReason(raw, state.tools.calls.length > 0);
    if (finish.unified === "error") return brokenOff(finish);
    const silent = unarguedCalls(state);
    if (silent.length > 0) completeArguments(choice, silent);
    for (const call of silent) events.push(argumentsDelta(state, call));
    state.finish = finish;
    choice["finish_reason"] = wireFinish(finish);
    events.push({ type: "finish", choice: state.index, finish });
    return undefined;
  }
}

function callEvents({ call, opened, arguments: text }: CallFragment, choice: number): StreamEvent[] {
  const events: StreamEvent[] = [];
  const { index, id, name, custom, signature } = call;
  if (opened)
    events.push({ type: "tool-call-start", choice, index, id, name, ...(custom ? { custom } : {}), signature });
  if (text !== "") events.push({ type: "tool-call-delta", choice, index, arguments: text });
  return events;
}

/** The start carries id, type and name, later fragments only arguments: clients join the strings of all fragments. */
function repairedFragment(fragment: JsonRecord, { call, opened, arguments: text }: CallFragment): JsonRecord {
  const { id: _id, type: _type, function: _function, custom: _custom, ...rest } = fragment;
  const type = call.custom ? "custom" : "function";
  const called = { ...recordAt(fragment, type), [call.custom ? "input" : "arguments"]: text };
  if (opened) return { ...rest, index: call.index, id: call.id, type, [type]: { ...called, name: call.name } };
  const { name: _name, ...argumentsOnly } = called as MutableRecord;
  return { ...rest, index: call.index, [type]: argumentsOnly };
}

/** Calls that ended without any argument text: clients parse it, so it must be an object. */
function unarguedCalls(state: ChoiceState): readonly { readonly index: number }[] {
  const calls = state.tools.calls.filter((call) => !call.argued && !call.custom);
  for (const call of calls) call.argued = true;
  return calls;
}

function argumentsDelta(state: ChoiceState, call: { readonly index: number }): StreamEvent {
  return { type: "tool-call-delta", choice: state.index, index: call.index, arguments: "{}" };
}

function completeArguments(choice: MutableRecord, calls: readonly { readonly index: number }[]): void {
  const delta = recordAt(choice, "delta") ?? {};
  const added = calls.map(({ index }) => ({ index, function: { arguments: "{}" } }));
  choice["delta"] = { ...delta, tool_calls: [...(arrayAt(delta, "tool_calls") ?? []), ...added] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
