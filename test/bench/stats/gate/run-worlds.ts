/** All worlds through the product's gate, on two threads: one run takes seconds, and there are thousands. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { WorldCount } from "./run-world.ts";

const THREADS = 2;

export async function runWorlds(
  names: readonly string[],
  terms: { readonly runs: number; readonly seed: number },
  onDone: (name: string, count: WorldCount) => void,
): Promise<void> {
  const left = [...names];
  await Promise.all(Array.from({ length: Math.min(THREADS, names.length) }, () => drain(left, terms, onDone)));
}

async function drain(
  left: string[],
  workerData: { readonly runs: number; readonly seed: number },
  onDone: (name: string, count: WorldCount) => void,
): Promise<void> {
  const worker = new Worker(new URL("./world-worker.ts", import.meta.url), { workerData });
  try {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const answer = once(worker, "message");
      worker.postMessage(name);
      const [count] = (await answer) as [WorldCount];
      onDone(name, count);
    }
  } finally {
    await worker.terminate();
  }
}
