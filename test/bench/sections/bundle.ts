/** Size of the Worker, and what it adds to a start. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { type Figure, median } from "../figures.ts";
import { withFolder } from "../temporary-folder.ts";

const STARTS = 9;
const GATEWAY = fileURLToPath(new URL("../../../dist/worker/index.js", import.meta.url));
const BARE = fileURLToPath(new URL("../workers/bare.js", import.meta.url));

export async function bundle(): Promise<readonly Figure[]> {
  const bytes = readFileSync(GATEWAY);
  const added: number[] = [];
  const bare: number[] = [];
  // The first of each pays for what the operating system has to read from disk.
  for (let start = 0; start <= STARTS; start += 1) {
    const [without, withGateway] = [await timeToHealth(BARE), await timeToHealth(GATEWAY)];
    if (start === 0) continue;
    bare.push(without);
    added.push(withGateway - without);
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
      what: "start to first /health, above an empty Worker with its bindings",
      value: median(added),
      unit: "ms",
      goal: { most: 100 },
      detail: `median of ${STARTS} pairs; the empty one takes ${Math.round(median(bare))} ms`,
    },
  ];
}

function timeToHealth(path: string): Promise<number> {
  return withFolder(async (persist) => {
    const startedAt = performance.now();
    const worker = new Miniflare({
      ...{ host: "127.0.0.1", port: 0, cf: false, compatibilityDate: "2026-07-30" },
      // Named, so that Miniflare does not parse the whole of it for imports.
      modulesRoot: dirname(path),
      modules: [{ type: "ESModule", path }],
      durableObjects: {
        ROUTE_BREAKER: { className: "RouteBreaker", useSQLite: true },
        SPEND_ENVELOPES: { className: "SpendEnvelopes", useSQLite: true },
      },
      durableObjectsPersist: persist,
      queueProducers: { TELEMETRY: "telemetry" },
      queueConsumers: { telemetry: { maxBatchSize: 100 } },
    });
    try {
      const response = await fetch(new URL("/health", await worker.ready));
      await response.text();
      if (!response.ok) throw new Error(`/health answered ${response.status}`);
      return performance.now() - startedAt;
    } finally {
      await worker.dispose();
    }
  });
}
