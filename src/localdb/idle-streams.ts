import { randomBytes } from "node:crypto";
import { HranaHttpError } from "./hrana-error.ts";
import type { HranaStream } from "./hrana-stream.ts";

const MOST_IDLE_STREAMS = 256;

/** Streams between two requests. A baton is good once: each answer brings the next. */
export class IdleStreams {
  readonly #idleMs: number;
  readonly #generation: string;
  readonly #parked = new Map<string, { readonly stream: HranaStream; readonly timer: NodeJS.Timeout }>();

  /** `generation` begins each baton, and tells it from those of a process that ended. */
  constructor(options: { readonly idleMs: number; readonly generation: string }) {
    this.#idleMs = options.idleMs;
    this.#generation = options.generation;
  }

  park(stream: HranaStream): string {
    if (this.#parked.size >= MOST_IDLE_STREAMS) {
      stream.close();
      throw new HranaHttpError(503, "TOO_MANY_STREAMS", "too many open streams");
    }
    const baton = `${this.#generation}.${randomBytes(18).toString("base64url")}`;
    const timer = setTimeout(() => {
      this.#parked.delete(baton);
      stream.close();
    }, this.#idleMs).unref();
    this.#parked.set(baton, { stream, timer });
    return baton;
  }

  resume(baton: string): HranaStream {
    const parked = this.#parked.get(baton);
    if (parked) {
      this.#parked.delete(baton);
      clearTimeout(parked.timer);
      return parked.stream;
    }
    if (/^[\w-]+\.[\w-]+$/.test(baton) && !baton.startsWith(`${this.#generation}.`))
      throw new HranaHttpError(
        400,
        "STREAM_LOST",
        "the database process ended while the stream was open; what its transaction had not committed is rolled back",
      );
    throw new HranaHttpError(400, "STREAM_EXPIRED", "the baton is unknown, used before, or its stream expired");
  }

  closeAll(): void {
    for (const { stream, timer } of this.#parked.values()) {
      clearTimeout(timer);
      stream.close();
    }
    this.#parked.clear();
  }
}
