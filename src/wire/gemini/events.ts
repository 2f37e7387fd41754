/** Gemini's stream: each event is a fragment of one answer; there is no closing event. */
import { classify } from "../../failure/classify.ts";
import type { Failure } from "../../failure/failure.ts";
import { parseExact } from "../../json/exact-numbers.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { SseEvent, StreamDecoder, WireTarget } from "../dialect.ts";
import { generatedCallId } from "../generated-call-id.ts";
import { partEvents } from "../part-events.ts";
import { isContent, type StreamEvent, type WireFrame } from "../stream-event.ts";
import { brokenAnswer, malformed, unfinished } from "../unfinished.ts";
import { blockedPrompt } from "./blocked.ts";
import { decodeErrorObject, textErrorEvent } from "./error.ts";
import { finishReason } from "./finish.ts";
import { PartialArguments } from "./partial-arguments.ts";
import { assistantParts } from "./parts.ts";
import { normaliseUsage } from "./usage.ts";

export function streamDecoder(target: WireTarget): StreamDecoder {
  return new GeminiStream(target);
}

class GeminiStream implements StreamDecoder {
  readonly #target: WireTarget;
  /** Function calls so far per candidate: each comes in an event of its own, without an index. */
  readonly #calls = new Map<number, number>();
  /** The call of each candidate whose arguments are still arriving in pieces. */
  readonly #open = new Map<number, { readonly index: number; readonly given: PartialArguments }>();
  #id: string | undefined;
  #started = false;
  /** Candidates seen, and whether each is finished. */
  readonly #finished = new Map<number, boolean>();
  #failed = false;

  constructor(target: WireTarget) {
    this.#target = target;
  }

  decode(event: SseEvent): WireFrame {
    if (this.#failed) return { events: [] };
    const told = textErrorEvent(event, this.#target);
    if (told) return this.#fail(classify(told));
    const data = parse(event.data);
    if (Array.isArray(data) || recordAt(data, "error"))
      return this.#fail(classify(decodeErrorObject(data, this.#target)));
    if (!isRecord(data)) return this.#fail(malformed("the stream holds an event that is not JSON"));
    const candidates = arrayAt(data, "candidates")?.filter(isRecord) ?? [];
    const blocked = candidates.length === 0 ? blockedPrompt(data) : undefined;
    if (blocked) return this.#fail(blocked);
    const finished = [...this.#finished.values()].some((isFinished) => isFinished);
    const events = [...this.#start(data), ...candidates.flatMap((candidate, at) => this.#candidate(candidate, at))];
    const id = stringAt(data, "responseId");
    if (finished && id && id !== this.#id && events.some(isContent))
      return this.#fail(malformed("the stream holds two answers"));
    const usage = normaliseUsage(data);
    if (usage) events.push({ type: "usage", usage });
    const broken = events.find((event) => event.type === "finish" && event.finish.unified === "error");
    if (broken?.type === "finish")
      return this.#fail(brokenAnswer(broken.finish), usage ? [{ type: "usage", usage }] : []);
    return { events, native: { dialect: "gemini", data } };
  }

  finish(): WireFrame {
    if (this.#failed) return { events: [] };
    const candidates = [...this.#finished.values()];
    if (candidates.length > 0 && candidates.every((finished) => finished)) return { events: [{ type: "end" }] };
    return this.#fail(unfinished("without a finish reason"));
  }

  #fail(reason: Failure, before: readonly StreamEvent[] = []): WireFrame {
    this.#failed = true;
    return { events: [...before, { type: "error", failure: reason }] };
  }

  #start(data: JsonRecord): StreamEvent[] {
    if (this.#started) return [];
    this.#started = true;
    this.#id = stringAt(data, "responseId");
    return [{ type: "start", id: this.#id, model: stringAt(data, "modelVersion") }];
  }

  #candidate(candidate: JsonRecord, position: number): StreamEvent[] {
    const choice = numberAt(candidate, "index") ?? position;
    const parts = arrayAt(recordAt(candidate, "content"), "parts")?.filter(isRecord) ?? [];
    const events = parts.flatMap((part) => this.#part(part, choice));
    if (!this.#finished.has(choice)) this.#finished.set(choice, false);
    const reason = stringAt(candidate, "finishReason");
    if (reason !== undefined && reason !== "") {
      this.#finished.set(choice, true);
      events.push(...this.#close(choice));
      events.push({ type: "finish", choice, finish: finishReason(reason, (this.#calls.get(choice) ?? 0) > 0) });
    }
    return events;
  }

  #part(part: JsonRecord, choice: number): StreamEvent[] {
    const call = recordAt(part, "functionCall");
    if (call && (this.#open.has(choice) || call["willContinue"] === true || call["partialArgs"] !== undefined))
      return this.#piece(part, call, choice);
    const index = this.#calls.get(choice) ?? 0;
    const decoded = assistantParts(part, () => generatedCallId(this.#id, choice, index));
    if (decoded.some(({ type }) => type === "tool-call")) this.#calls.set(choice, index + 1);
    return decoded.flatMap((each) => partEvents(each, choice, index));
  }

  /**
   * A call in pieces: its name first, then arguments by path, then a piece that does not continue. Paths may come in any
   * order, so the arguments go out whole; empty deltas meanwhile say that the upstream is at work.
   */
  #piece(part: JsonRecord, call: JsonRecord, choice: number): StreamEvent[] {
    const events: StreamEvent[] = [];
    const name = stringAt(call, "name") ?? "";
    if (name !== "" || !this.#open.has(choice)) {
      const index = this.#calls.get(choice) ?? 0;
      this.#calls.set(choice, index + 1);
      events.push(...this.#close(choice));
      this.#open.set(choice, { index, given: new PartialArguments() });
      events.push({
        type: "tool-call-start",
        choice,
        index,
        id: stringAt(call, "id") || generatedCallId(this.#id, choice, index),
        name,
        signature: stringAt(part, "thoughtSignature"),
      });
    }
    const open = this.#open.get(choice);
    if (!open) return events;
    open.given.add(arrayAt(call, "partialArgs") ?? []);
    if (call["willContinue"] !== true) return [...events, ...this.#close(choice)];
    return [...events, { type: "tool-call-delta", choice, index: open.index, arguments: "" }];
  }

  #close(choice: number): StreamEvent[] {
    const open = this.#open.get(choice);
    if (!open) return [];
    this.#open.delete(choice);
    return [{ type: "tool-call-delta", choice, index: open.index, arguments: open.given.toJson() }];
  }
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
