/**
 * Neutral frames → chunks for an OpenAI client. An upstream's own chunks are relabelled (one id, the model that served,
 * one role, usage only where asked for); everything else is built from the neutral events.
 */
import type { Failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { ErrorDetails, ServedContext, StreamEncoder } from "../dialect.ts";
import { encodeError } from "../openai-error-body.ts";
import { openaiTier } from "../openai-tier.ts";
import { sseFrame } from "../sse.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { wireFinish } from "./finish.ts";
import { builtCall, mediaMember, reasoningDetails } from "./ingress-response.ts";
import { usageOf } from "./response.ts";
import { wireUsage } from "./usage.ts";

type Wire = Record<string, unknown>;

/** Members of a chunk that are useless to a client without a choice beside them. */
const LABELS: ReadonlySet<string> = new Set([
  ...["id", "object", "created", "model", "choices", "usage"],
  ...["system_fingerprint", "service_tier", "provider", "obfuscation", "x_groq", "simulated"],
]);

export function streamEncoder(served: ServedContext): StreamEncoder {
  return new ChunkEncoder(served);
}

class ChunkEncoder implements StreamEncoder {
  readonly #served: ServedContext;
  readonly #opened = new Set<number>();
  /** Calls whose arguments are free text. */
  readonly #custom = new Set<string>();
  #usage: Usage | undefined;
  #servedTier: string | undefined;
  #ownUsage: JsonRecord | undefined;

  constructor(served: ServedContext) {
    this.#served = served;
  }

  encode(frame: WireFrame): string {
    const own = frame.native?.dialect === "openai-chat" && isRecord(frame.native.data) ? frame.native.data : undefined;
    let text = own ? this.#relabelled(own) : "";
    for (const event of frame.events) {
      if (event.type === "usage") {
        this.#usage = event.usage;
        this.#servedTier = openaiTier(event.servedTier) ?? this.#servedTier;
      } else if (event.type === "end") text += this.#end();
      else if (!own) text += this.#built(event);
    }
    return text;
  }

  /** No `[DONE]` follows: the client must see a stream that failed. */
  fail(failure: Failure, details: ErrorDetails): string {
    return sseFrame(JSON.stringify(encodeError(failure, details)));
  }

  #relabelled(chunk: JsonRecord): string {
    this.#ownUsage = usageOf(chunk) ?? this.#ownUsage;
    const choices = arrayAt(chunk, "choices") ?? [];
    if (choices.length === 0 && saysNothing(chunk)) return "";
    return this.#chunk(
      choices.map((choice, position) => this.#withOneRole(choice, position)),
      chunk,
    );
  }

  #withOneRole(choice: unknown, position: number): unknown {
    if (!isRecord(choice)) return choice;
    const index = typeof choice["index"] === "number" ? choice["index"] : position;
    const own = recordAt(choice, "delta") ?? {};
    const first = this.#opens(index);
    if (!first && own["role"] === undefined) return choice;
    const { role: _role, ...delta } = own;
    return { ...choice, delta: first ? { role: "assistant", ...delta } : delta };
  }

  /** True once per choice. */
  #opens(choice: number): boolean {
    if (this.#opened.has(choice)) return false;
    this.#opened.add(choice);
    return true;
  }

  #built(event: StreamEvent): string {
    switch (event.type) {
      case "text-delta":
        return this.#delta(event.choice, { content: event.text });
      case "reasoning-delta":
        return this.#reasoning(event);
      case "refusal-delta":
        return this.#delta(event.choice, { refusal: event.text });
      case "tool-call-start": {
        const { index, id, name, custom, signature } = event;
        if (custom) this.#custom.add(callKey(event));
        const call = builtCall({ id, name, arguments: "", custom, signature });
        return this.#delta(event.choice, { tool_calls: [{ index, ...call }] });
      }
      case "tool-call-delta": {
        const { index, arguments: piece } = event;
        const called = this.#custom.has(callKey(event))
          ? { custom: { input: piece } }
          : { function: { arguments: piece } };
        return this.#delta(event.choice, { tool_calls: [{ index, ...called }] });
      }
      case "media":
        return this.#delta(event.choice, mediaMember(event.media, this.#served));
      case "opaque-delta":
        this.#served.lost?.(`content.${event.what}`);
        return "";
      case "finish":
        return this.#delta(event.choice, {}, wireFinish(event.finish));
      default:
        return "";
    }
  }

  #reasoning(event: Extract<StreamEvent, { type: "reasoning-delta" }>): string {
    const details = reasoningDetails(event);
    const thought = event.text === "" ? {} : { reasoning_content: event.text };
    const detail = details.length === 0 ? {} : { reasoning_details: details };
    return event.text === "" && details.length === 0 ? "" : this.#delta(event.choice, { ...thought, ...detail });
  }

  #delta(index: number, fields: Wire, finish: string | null = null): string {
    const delta = this.#opens(index) ? { role: "assistant", ...fields } : fields;
    return this.#chunk([{ index, delta, logprobs: null, finish_reason: finish }]);
  }

  #chunk(choices: readonly unknown[], base?: JsonRecord): string {
    const { id, created, model, includeUsage } = this.#served;
    // An undefined member is not written; deleting it would make every chunk a slow object.
    const usage = includeUsage ? null : undefined;
    const service_tier =
      base?.["service_tier"] === undefined ? this.#servedTier : openaiTier(stringAt(base, "service_tier"));
    const chunk: Wire = { ...base, id, object: "chat.completion.chunk", created, model, choices, service_tier, usage };
    return sseFrame(JSON.stringify(chunk));
  }

  #end(): string {
    const usage = this.#served.includeUsage && this.#usage ? wireUsage(this.#usage, this.#ownUsage) : undefined;
    if (usage === undefined) return sseFrame("[DONE]");
    const { id, created, model } = this.#served;
    const chunk = { id, object: "chat.completion.chunk", created, model, choices: [], usage };
    return sseFrame(JSON.stringify(chunk)) + sseFrame("[DONE]");
  }
}

function callKey({ choice, index }: { readonly choice: number; readonly index: number }): string {
  return `${choice}/${index}`;
}

function saysNothing(chunk: JsonRecord): boolean {
  for (const key in chunk) if (!LABELS.has(key) && chunk[key] !== null) return false;
  return true;
}
