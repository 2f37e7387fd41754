/** Size of the Worker, and what it adds to a start. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { type Figure, median } from "../figures.ts";
import { cpuMs, workerdChildren } from "../processes.ts";
import { withFolder } from "../temporary-folder.ts";

const STARTS = 9;
const BUILT = fileURLToPath(new URL("../../../dist/worker/", import.meta.url));
const BARE = fileURLToPath(new URL("../workers/bare.js", import.meta.url));

export async function bundle(): Promise<readonly Figure[]> {
  const { modules } = JSON.parse(readFileSync(join(BUILT, "manifest.json"), "utf8")) as { modules: string[] };
  const gateway = modules.map((name) => join(BUILT, name));
  const text = Buffer.concat(gateway.map((file) => readFileSync(file)));
  const starts = await withFolder((folder) => measuredStarts(gateway, paddedBare(folder, text.length)));
  const added = (figure: keyof Start) => median(starts.map(({ whole, bare }) => whole[figure] - bare[figure]));
  const bare = (figure: keyof Start) => Math.round(median(starts.map((pair) => pair.bare[figure])));
  return [
    {
      what: "Worker, all modules gzipped",
      value: gzipSync(text).length / 1000,
      unit: "kB",
      goal: { most: 700 },
      detail: `${modules.length} modules, ${Math.round(text.length / 1000)} kB minified`,
    },
    {
      what: "start to first /health, workerd's processor time above an empty Worker of the same size",
      value: added("cpuMs"),
      unit: "ms",
      goal: { most: 100 },
      detail: `median of ${STARTS} pairs, ticks of 10 ms; the empty one takes ${bare("cpuMs")} ms`,
    },
    {
      what: "the same by the clock",
      value: added("wallMs"),
      unit: "ms",
      detail: `the empty one takes ${bare("wallMs")} ms`,
    },
  ];
}

/** An empty Worker as large as the gateway: Miniflare's own part of a start grows with what it has to hand over. */
function paddedBare(folder: string, bytes: number): string {
  const source = readFileSync(BARE, "utf8");
  const file = join(folder, "bare.js");
  writeFileSync(file, `${source}\n/*${"x".repeat(Math.max(0, bytes - source.length))}*/\n`);
  return file;
}

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function measuredStarts(
  gateway: readonly string[],
  bare: string,
): Promise<readonly { readonly bare: Start; readonly whole: Start }[]> {
  const pairs: { readonly bare: Start; readonly whole: Start }[] = [];
  // The first of each pays for what the operating system has to read from disk.
  for (let start = 0; start <= STARTS; start += 1) {
    const pair = { bare: await startToHealth([bare]), whole: await startToHealth(gateway) };
    if (start > 0) pairs.push(pair);
  }
  return pairs;
}

function startToHealth(files: readonly string[]): Promise<Start> {
  return withFolder(async (persist) => {
    const before = workerdChildren();
    const startedAt = performance.now();
    const worker = new Miniflare({
      ...{ host: "127.0.0.1", port: 0, cf: false, compatibilityDate: "2026-07-30" },
      // Named, so that Miniflare does not parse the whole of it for imports.
      modulesRoot: dirname(files[0]!),
      modules: files.map((path) => ({ type: "ESModule" as const, path })),
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
      const wallMs = performance.now() - startedAt;
      const [pid] = [...workerdChildren()].filter((child) => !before.has(child));
      if (pid === undefined) throw new Error("the process of the Worker was not found");
      return { wallMs, cpuMs: cpuMs(pid) };
    } finally {
      await worker.dispose();
    }
  });
}
