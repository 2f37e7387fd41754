import type { FrameStream } from "../src/call/call.ts";
import type { StreamEncoder } from "../src/wire/dialect.ts";
import type { WireFrame } from "../src/wire/stream-event.ts";

export interface SseBodyOptions {
  readonly inferenceId: string;
  /** A comment line after this much silence, only between events; 0 = never. Milliseconds. */
  readonly keepAliveMs: number;
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
          for (const frame of next) text += encodeFrame(frame, encoder, options.inferenceId);
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

function encodeFrame(frame: WireFrame, encoder: StreamEncoder, inferenceId: string): string {
  for (const event of frame.events) if (event.type === "error") return encoder.fail(event.failure, inferenceId);
  return encoder.encode(frame);
}
