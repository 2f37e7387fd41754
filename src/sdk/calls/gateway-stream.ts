/** A streamed answer of the gateway: chat completion chunks, usage, and an error event where it breaks. */
import { failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import { sseReader } from "../../wire/sse.ts";
import { RigError } from "../errors.ts";
import { reasonOf } from "../warnings.ts";
import { errorFrom } from "./gateway-error.ts";
import type { RunMeta } from "./result.ts";
import type { StreamSource } from "./stream.ts";

interface ChunkOptions {
  /** The text is JSON where a schema governs. */
  readonly structured: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Resolves with the first content, so that what fails before it fails the call. */
export async function gatewayStream(
  body: ReadableStream<Uint8Array>,
  meta: RunMeta,
  options: ChunkOptions,
): Promise<StreamSource> {
  const stream = new ChunkStream(body, meta, options);
  await stream.open();
  return stream;
}

class ChunkStream implements StreamSource {
  readonly inferenceId: string;
  readonly served: string;
  readonly #events: ReturnType<typeof sseReader>;
  readonly #options: ChunkOptions;
  #meta: RunMeta;
  #first: readonly string[] | undefined;
  #text = "";
  #done = false;
  #error: RigError | undefined;

  constructor(body: ReadableStream<Uint8Array>, meta: RunMeta, options: ChunkOptions) {
    this.inferenceId = meta.inferenceId;
    this.served = meta.served;
    this.#meta = meta;
    this.#options = options;
    this.#events = sseReader(body);
  }

  async open(): Promise<void> {
    this.#first = await this.#pieces();
    // Content that came in one piece with the error is content: the stream fails after it.
    if (this.#error && this.#first === undefined) throw this.#error;
  }

  async read(): Promise<readonly string[] | undefined> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? (await this.#pieces());
  }

  async end() {
    if (this.#error) throw this.#error;
    return { output: this.#output(), text: this.#text, meta: this.#meta };
  }

  cancel(): void {
    this.#fail(failure("canceled", "the stream was canceled"));
    void this.#events.cancel();
  }

  /** Pieces of text of the next events that hold any; undefined at the end. */
  async #pieces(): Promise<readonly string[] | undefined> {
    while (!this.#done && !this.#error) {
      try {
        const events = await this.#events.read();
        if (events.length === 0) {
          this.#fail(failure("network", "the gateway's stream broke off", { reason: "reset" }));
          break;
        }
        const pieces = events.flatMap(({ data }) => this.#take(data));
        if (pieces.length > 0) return pieces;
      } catch (cause) {
        const aborted = this.#options.signal?.aborted === true;
        this.#fail(
          aborted
            ? failure("canceled", "the call was aborted")
            : failure("network", `the gateway's stream broke: ${reasonOf(cause)}`, { reason: "reset" }),
        );
      }
    }
    return undefined;
  }

  #take(data: string): readonly string[] {
    if (data === "[DONE]") {
      this.#done = true;
      return [];
    }
    const chunk: unknown = JSON.parse(data);
    const error = recordAt(chunk, "error");
    if (error) {
      this.#error ??= errorFrom(error, numberAt(error, "status") ?? 502, this.inferenceId);
      return [];
    }
    this.#note(chunk);
    const texts = (arrayAt(chunk, "choices") ?? [])
      .filter((choice) => isRecord(choice) && (choice["index"] ?? 0) === 0)
      .map((choice) => stringAt(recordAt(choice, "delta"), "content") ?? "")
      .filter((text) => text !== "");
    this.#text += texts.join("");
    return texts;
  }

  #note(chunk: unknown): void {
    const usage = recordAt(chunk, "usage");
    if (usage) {
      const counts = { tokensIn: numberAt(usage, "prompt_tokens"), tokensOut: numberAt(usage, "completion_tokens") };
      this.#meta = { ...this.#meta, usage: counts };
    }
    const finish = stringAt(arrayAt(chunk, "choices")?.[0], "finish_reason");
    if (finish !== undefined) this.#meta = { ...this.#meta, finish: finish.replace("_", "-") };
  }

  /** The gateway has judged it: a stream that breaks its schema ends in an error. */
  #output(): unknown {
    if (!this.#options.structured || this.#meta.rung === "none") return this.#text;
    try {
      return JSON.parse(this.#text) as unknown;
    } catch {
      return this.#text;
    }
  }

  #fail(reason: Parameters<typeof errorFor>[0]): void {
    if (!this.#done) this.#error ??= errorFor(reason, this.inferenceId);
  }
}

function errorFor(reason: ReturnType<typeof failure>, inferenceId: string): RigError {
  return new RigError(reason, { inferenceId, attempts: [] });
}
