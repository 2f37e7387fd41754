/** A committed stream on its way to the client, judged at its end where a schema governs it. */
import { type Failure, failure } from "../failure/failure.ts";
import type { ServedRung } from "../route/route.ts";
import type { WireFrame } from "../wire/stream-event.ts";
import type { OutputRule } from "./call.ts";
import type { Attempt } from "./inference.ts";
import { judge } from "./output.ts";
import { type BegunStream, failureIn } from "./stream-attempt.ts";

export interface LiveEnd {
  readonly attempt: Attempt;
  readonly failure: Failure | undefined;
  readonly conformant: boolean | undefined;
}

/**
 * Forwards frames as the consumer pulls them. With a schema the finish is held back until the text was judged: text
 * that breaks it ends in an error, never in a clean finish. `onEnd` is called exactly once.
 */
export function liveFrames(
  begun: BegunStream,
  rule: OutputRule | undefined,
  rung: ServedRung,
  onEnd: (end: LiveEnd) => void,
): ReadableStream<WireFrame> {
  const { source } = begun;
  const queue: (WireFrame | undefined)[] = [...begun.held];
  const assembler = rule && source.assemble(begun.held);
  const tail: WireFrame[] = [];
  let ended = false;

  const end = (reason: Failure | undefined, conformant?: boolean): void => {
    if (ended) return;
    ended = true;
    onEnd({ attempt: source.close(reason), failure: reason, conformant });
  };

  const settle = (): WireFrame[] => {
    if (!assembler) {
      end(undefined);
      return tail;
    }
    // The client already has the text as it came, so no repair can count.
    const verdict = judge(assembler.answer(), rule, rung, false);
    if (verdict.ok) {
      end(undefined, verdict.conformant);
      return tail;
    }
    end(verdict.failure, false);
    return [{ events: [{ type: "error", failure: verdict.failure }] }];
  };

  return new ReadableStream<WireFrame>(
    {
      async pull(controller) {
        for (;;) {
          const frame = queue.length > 0 ? queue.shift() : await source.next();
          if (frame === undefined) {
            for (const last of settle()) controller.enqueue(last);
            return controller.close();
          }
          const broken = failureIn(frame);
          if (broken) {
            end(broken);
            controller.enqueue(frame);
            return controller.close();
          }
          if (assembler && (tail.length > 0 || frame.events.some((event) => event.type === "finish"))) {
            tail.push(frame);
            continue;
          }
          return controller.enqueue(frame);
        }
      },
      cancel() {
        source.abandon();
        end(failure("canceled", "the client closed the connection"));
      },
    },
    { highWaterMark: 0 },
  );
}

/** Frames that are all there already. */
export function readyFrames(frames: readonly WireFrame[]): ReadableStream<WireFrame> {
  const rest = frames.values();
  return new ReadableStream<WireFrame>(
    {
      pull(controller) {
        const { value, done } = rest.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}
