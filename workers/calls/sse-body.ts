import type { FrameStream } from "../../src/call/call.ts";
import type { ErrorDetails, StreamEncoder } from "../../src/wire/dialect.ts";
import { failureIn } from "../../src/wire/stream-event.ts";
import type { KeepAnswer } from "./keep-answer.ts";

interface SseBodyOptions {
  /** Asked for once, after an error came. */
  readonly errorDetails: () => Promise<ErrorDetails>;
  /** A comment line after this much silence, only between events; 0 = never. Milliseconds. */
  readonly keepAliveMs: number;
  readonly notes: StreamNotes;
  /** Where the answer is kept before its end is told. */
  readonly keep?: Pick<KeepAnswer, "store"> | undefined;
}

/** What a stream could not carry, told in comments between its events: its headers went out before. */
export class StreamNotes {
  readonly #told = new Set<string>();
  #untold = "";

  readonly add = (field: string): void => {
    if (this.#told.has(field)) return;
    this.#told.add(field);
    this.#untold += `: x-modelrig-dropped ${field.replace(/[^\w.[\]$-]/g, "_")}\n\n`;
  };

  take(): string {
    const untold = this.#untold;
    this.#untold = "";
    return untold;
  }
}

const utf8 = new TextEncoder();

/**
 * Frames as SSE bytes in the client's dialect. Pull-driven: the upstream is read when the client takes bytes, nothing
 * is queued, and what came together leaves together. Canceling the body cancels the frames, and with them the upstream.
 */
export function sseBody(
  frames: FrameStream,
  encoder: StreamEncoder,
  options: SseBodyOptions,
): ReadableStream<Uint8Array> {
  let waiting = false;
  let heard = false;
  let canceled = false;
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  const stopKeepAlive = (): void => clearInterval(keepAlive);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (options.keepAliveMs <= 0) return;
        keepAlive = setInterval(() => {
          if (waiting && !heard) controller.enqueue(utf8.encode(": keep-alive\n\n"));
          heard = false;
        }, options.keepAliveMs);
      },
      async pull(controller) {
        for (;;) {
          waiting = true;
          const next = await frames.read();
          waiting = false;
          heard = true;
          if (canceled) return;
          if (!next) {
            stopKeepAlive();
            controller.close();
            return;
          }
          let text = "";
          for (const frame of next) {
            const broken = failureIn(frame);
            text += broken ? encoder.fail(broken, await options.errorDetails()) : encoder.encode(frame);
            const end = encoder.heldEnd?.();
            if (end === undefined) continue;
            if (text !== "") controller.enqueue(utf8.encode(text));
            const kept = await options.keep?.store(end.answer);
            if (canceled) return;
            text = end.tell(kept === true);
          }
          text += options.notes.take();
          if (text === "") continue;
          controller.enqueue(utf8.encode(text));
          return;
        }
      },
      cancel() {
        canceled = true;
        stopKeepAlive();
        frames.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
