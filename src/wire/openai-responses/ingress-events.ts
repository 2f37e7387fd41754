/** Neutral frames → Responses stream events for a client. */
import type { Failure } from "../../failure/failure.ts";
import { httpError } from "../../failure/http.ts";
import { arrayAt, isRecord, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { FinishReason } from "../chat.ts";
import type { ErrorDetails, HeldEnd, ServedContext, StreamEncoder } from "../dialect.ts";
import { sseFrame } from "../sse.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { OutputWriter } from "./output-writer.ts";
import { completedObject, endStatus, responseObject } from "./response-object.ts";

export function streamEncoder(served: ServedContext): StreamEncoder {
  return new ResponseEncoder(served);
}

class ResponseEncoder implements StreamEncoder {
  readonly #served: ServedContext;
  readonly #writer: OutputWriter;
  /** Events since the last `encode`. */
  #text = "";
  #sequence = 0;
  #started = false;
  #stopped = false;
  #finish: FinishReason | undefined;
  #usage: Usage | undefined;
  #servedTier: string | undefined;
  /** Items that an upstream of this dialect opened and has not closed, by their index. */
  readonly #passedOpen = new Map<unknown, Record<string, unknown>>();
  readonly #passedDone: unknown[] = [];
  #held: HeldEnd | undefined;

  constructor(served: ServedContext) {
    this.#served = served;
    this.#writer = new OutputWriter(served, (type, fields) => {
      this.#start();
      this.#send(type, fields);
    });
  }

  encode(frame: WireFrame): string {
    if (this.#stopped) return "";
    if (frame.native?.dialect === "openai-responses") this.#passThrough(frame.native.event, frame.native.data);
    else for (const event of frame.events) this.#encodeEvent(event);
    return this.#taken();
  }

  heldEnd(): HeldEnd | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }

  /** Closes what is open and then sends that the response failed. */
  fail(failure: Failure, { inferenceId, attempts }: ErrorDetails): string {
    this.#start();
    this.#writer.close("incomplete");
    for (const [index, item] of this.#passedOpen) {
      const cut = { ...item, status: "incomplete" };
      this.#passedDone.push(cut);
      this.#send("response.output_item.done", { output_index: index, item: cut });
    }
    this.#stopped = true;
    const { code } = httpError(failure);
    this.#send("error", {
      code,
      message: failure.message,
      param: failure.param ?? null,
      failure_class: failure.class,
      inference_id: inferenceId ?? null,
      attempts,
    });
    const output = [...this.#writer.output, ...this.#passedDone] as Record<string, unknown>[];
    const state = { status: "failed" as const, output, usage: this.#usage, servedTier: this.#servedTier, failure };
    this.#send("response.failed", { response: responseObject(this.#served, state) });
    return this.#taken();
  }

  /** The upstream's own event, under our id and the model that served. */
  #passThrough(event: string | undefined, data: unknown): void {
    if (!isRecord(data) || event === undefined) return;
    this.#started = true;
    this.#sequence += 1;
    const item = recordAt(data, "item");
    if (event === "response.output_item.added" && item) this.#passedOpen.set(data["output_index"], item);
    if (event === "response.output_item.done" && item) {
      this.#passedOpen.delete(data["output_index"]);
      this.#passedDone.push(item);
    }
    const response = recordAt(data, "response");
    if (!response) {
      this.#text += sseFrame(JSON.stringify(data), event);
      return;
    }
    const whole = completedObject(this.#served, response);
    if (event !== "response.completed" && event !== "response.incomplete") {
      this.#text += sseFrame(JSON.stringify({ ...data, response: whole }), event);
      return;
    }
    this.#stopped = true;
    // Some upstreams do not repeat the items in the closing event.
    const output = (arrayAt(whole, "output") ?? []).length > 0 ? {} : { output: this.#passedDone };
    this.#close({ ...whole, ...output }, (answer) => sseFrame(JSON.stringify({ ...data, response: answer }), event));
  }

  /** The last event, at once or when the answer was kept. */
  #close(answer: Record<string, unknown>, write: (answer: Record<string, unknown>) => string): void {
    if (this.#served.kept === undefined) this.#text += write(answer);
    else this.#held = { answer, tell: (kept) => write({ ...answer, store: kept }) };
  }

  #encodeEvent(event: StreamEvent): void {
    switch (event.type) {
      case "start":
        this.#start();
        return;
      case "finish":
        if (event.choice === 0) this.#finish = event.finish;
        return;
      case "usage":
        this.#usage = event.usage;
        this.#servedTier = event.servedTier ?? this.#servedTier;
        return;
      case "end":
        this.#end();
        return;
      case "error":
        return;
      default:
        this.#writer.write(event);
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const response = responseObject(this.#served, { status: "in_progress", output: [] });
    this.#send("response.created", { response });
    this.#send("response.in_progress", { response });
  }

  #end(): void {
    this.#start();
    const status = endStatus(this.#finish);
    this.#writer.close(status);
    this.#stopped = true;
    const { output } = this.#writer;
    const state = { status, output, finish: this.#finish, usage: this.#usage, servedTier: this.#servedTier };
    const sequence = this.#sequence;
    this.#close(responseObject(this.#served, state), (response) =>
      eventText(`response.${status}`, sequence, { response }),
    );
  }

  #send(type: string, fields: Record<string, unknown>): void {
    this.#text += eventText(type, this.#sequence, fields);
    this.#sequence += 1;
  }

  #taken(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

function eventText(type: string, sequence: number, fields: Record<string, unknown>): string {
  return sseFrame(JSON.stringify({ type, sequence_number: sequence, ...fields }), type);
}
