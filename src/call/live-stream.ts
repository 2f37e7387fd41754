/** A committed stream to the client, judged at its end where a schema applies. */
import { type Failure, failure } from "../failure/failure.ts";
import type { ServedRung } from "../route/route.ts";
import { failureIn, type WireFrame } from "../wire/stream-event.ts";
import type { FrameStream, OutputRule, UnreadStream } from "./call.ts";
import type { Attempt } from "./inference.ts";
import { judge } from "./output.ts";
import type { BegunStream } from "./stream-attempt.ts";
import type { Clock } from "./time/clock.ts";

interface LiveEnd {
  readonly attempt: Attempt;
  readonly failure: Failure | undefined;
  readonly conformant: boolean | undefined;
}

/**
 * Forwards frames as the consumer reads them. With a schema, the finish is held back until the text was judged: text
 * that breaks the schema ends in an error, never in a clean finish. Calls `onEnd` exactly once.
 */
export function liveFrames(
  begun: BegunStream,
  rule: OutputRule | undefined,
  rung: ServedRung,
  onEnd: (end: LiveEnd) => void,
): FrameStream {
  const { source } = begun;
  const assembler = rule && source.assemble(begun.held);
  const tail: WireFrame[] = [];
  let held: readonly WireFrame[] | undefined = begun.held;
  let ended = false;

  const end = (reason: Failure | undefined, conformant?: boolean): void => {
    if (ended) return;
    ended = true;
    onEnd({ attempt: source.close(reason), failure: reason, conformant });
  };

  const settle = (): readonly WireFrame[] => {
    if (!assembler) {
      end(source.refusal());
      return [];
    }
    // The client already has the unrepaired text, so no repair is used.
    const verdict = judge(assembler.answer(), rule, rung, false);
    end(verdict.ok ? undefined : verdict.failure, verdict.ok ? verdict.conformant : false);
    return verdict.ok ? tail : [{ events: [{ type: "error", failure: verdict.failure }] }];
  };

  /** Frames that may go to the client now. */
  const passed = (frames: readonly WireFrame[]): readonly WireFrame[] => {
    const passing: WireFrame[] = [];
    for (const frame of frames) {
      const broken = failureIn(frame);
      if (broken) {
        end(broken);
        passing.push(frame);
        break;
      }
      const heldBack = assembler && (tail.length > 0 || frame.events.some((event) => event.type === "finish"));
      (heldBack ? tail : passing).push(frame);
    }
    return passing;
  };

  return {
    async read() {
      try {
        while (!ended) {
          const frames = held ?? (await source.next());
          held = undefined;
          const passing = frames ? passed(frames) : settle();
          if (passing.length > 0) return passing;
        }
      } catch (error) {
        const kind = error instanceof Error ? error.name : typeof error;
        const broken = failure("server_error", `the gateway failed while it served the stream (${kind})`, {
          code: "internal_error",
        });
        end(broken);
        return [{ events: [{ type: "error", failure: broken }] }];
      }
      return undefined;
    },
    cancel() {
      source.abandon();
      end(failure("canceled", "the client closed the connection"));
    },
  };
}

/** Frames that are available already. */
export function readyFrames(frames: readonly WireFrame[]): FrameStream {
  let left: readonly WireFrame[] | undefined = frames;
  return {
    async read() {
      const all = left;
      left = undefined;
      return all;
    },
    cancel() {
      left = undefined;
    },
  };
}

/** Most milliseconds by which the copy is read later than its bytes arrived. */
const PACE_MS = 100;

/** `frames` are the same stream's, and are not read by anybody else. */
export function unreadStream({ source }: BegunStream, frames: FrameStream, clock: Clock): UnreadStream {
  let passed: AbortSignal | undefined;
  const body = source.handOver(() => clock.sleep(PACE_MS, passed));
  return {
    ...body,
    async follow(signal) {
      passed = signal;
      let broken: Failure | undefined;
      for (let next = await frames.read(); next; next = await frames.read()) {
        for (const frame of next) broken ??= failureIn(frame);
      }
      // Nothing of a failed answer may follow its error event.
      if (broken) source.abandon();
      return broken;
    },
    cancel: () => frames.cancel(),
  };
}
