/** Time as the engine uses it. A host supplies `now` and `after`; tests supply a clock that they advance. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `run` once after `ms`, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function clockOf(host: Pick<Clock, "now" | "after">): Clock {
  return {
    ...host,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const cancel = host.after(ms, end);
        function end(): void {
          cancel();
          signal?.removeEventListener("abort", end);
          resolve();
        }
        signal?.addEventListener("abort", end, { once: true });
      }),
  };
}
