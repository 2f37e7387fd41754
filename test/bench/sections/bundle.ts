/** Size of the Worker, and what it adds to a start. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { startWorker } from "../../../src/cli/dev/worker-host.ts";
import { type Figure, median } from "../figures.ts";
import { startForwarding } from "../stage.ts";
import { withFolder } from "../temporary-folder.ts";

const STARTS = 7;

export async function bundle(): Promise<readonly Figure[]> {
  const bytes = readFileSync(new URL("../../../dist/worker/index.js", import.meta.url));
  const added: number[] = [];
  // The first of each pays for what the operating system has to read from disk.
  for (let start = 0; start <= STARTS; start += 1) {
    const forwarding = await timeToHealth(() => startForwarding(9));
    const gateway = await withFolder((persist) =>
      timeToHealth(() => startWorker({ persist, bindings: {}, log: (line) => console.error(line) })),
    );
    if (start > 0) added.push(gateway - forwarding);
  }
  return [
    {
      what: "Worker bundle, gzipped",
      value: gzipSync(bytes).length / 1000,
      unit: "kB",
      goal: { most: 700 },
      detail: `${Math.round(bytes.length / 1000)} kB minified`,
    },
    {
      what: "start to first /health, above the forwarding Worker",
      value: median(added),
      unit: "ms",
      goal: { most: 100 },
      detail: `median of ${STARTS} pairs; objects, queue and crons of Miniflare included`,
    },
  ];
}

async function timeToHealth(start: () => Promise<{ port: number; dispose(): Promise<void> }>): Promise<number> {
  const startedAt = performance.now();
  const worker = await start();
  try {
    const response = await fetch(`http://127.0.0.1:${worker.port}/health`);
    await response.text();
    if (!response.ok) throw new Error(`/health answered ${response.status}`);
    return performance.now() - startedAt;
  } finally {
    await worker.dispose();
  }
}
