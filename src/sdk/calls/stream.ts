/** A streamed answer: text as it comes, and the whole result at its end. */
import type { RunResult } from "./result.ts";

/**
 * Iterate it for the text, once. The loop throws a `RigError` where the stream breaks. Leaving the loop early stops the
 * upstream.
 */
export interface RigStream<T = unknown> extends AsyncIterable<string> {
  /** Names the call in grades and at the gateway. */
  readonly inferenceId: string;
  /** `provider/model` that answers. */
  readonly served: string;
  /**
   * The result of the whole call. Asking for it lets the stream run to its end, also where nobody iterates. Rejects with a
   * `RigError` where the stream breaks, its text fails the schema, or it was canceled.
   *
   * @example
   * const stream = await rig.run("support.reply", { input: { ticket: "My invoice is wrong." }, stream: true });
   * const { text, meta } = await stream.final;
   */
  readonly final: Promise<RunResult<T>>;
  /**
   * Stops the upstream. What came until then is billed and recorded; `final` rejects with the class `canceled`.
   *
   * @example
   * const stream = await rig.run("support.reply", { input: { ticket: "My invoice is wrong." }, stream: true });
   * stream.cancel();
   */
  cancel(): void;
}

/** Where a stream's text comes from. */
export interface StreamSource {
  readonly inferenceId: string;
  readonly served: string;
  /** The next pieces of text; undefined after the last. Never rejects. One read at a time. */
  read(): Promise<readonly string[] | undefined>;
  /** After the last read: the result, or why there is none. */
  end(): Promise<RunResult>;
  cancel(): void;
}

export function rigStream<T>(source: StreamSource): RigStream<T> {
  const waiting: string[] = [];
  let ended = false;
  let reading: Promise<void> | undefined;
  let draining = false;
  // The last read settles it.
  const final = deferred<RunResult<T>>();
  // Somebody who only iterates learns of a failure there.
  final.promise.catch(() => undefined);

  const pull = (): Promise<void> => {
    reading ??= source.read().then(async (pieces) => {
      reading = undefined;
      if (pieces) {
        waiting.push(...pieces);
        return;
      }
      ended = true;
      // The caller says what shape its route's output has.
      await source.end().then((result) => final.resolve(result as RunResult<T>), final.reject);
    });
    return reading;
  };
  const drain = async (): Promise<void> => {
    if (draining) return;
    draining = true;
    while (!ended) await pull();
  };
  return {
    inferenceId: source.inferenceId,
    served: source.served,
    get final() {
      void drain();
      return final.promise;
    },
    cancel: () => source.cancel(),
    async *[Symbol.asyncIterator]() {
      let finished = false;
      try {
        for (;;) {
          const piece = waiting.shift();
          if (piece !== undefined) yield piece;
          else if (ended) break;
          else await pull();
        }
        finished = true;
        await final.promise;
      } finally {
        if (!finished) {
          source.cancel();
          void drain();
        }
      }
    },
  };
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
