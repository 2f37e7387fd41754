/** Reservations on one object, driven from inside workerd over the binding a call uses. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { type Figure, median } from "../figures.ts";
import { withFolder } from "../temporary-folder.ts";

const PAIRS = 3_000;
const CONCURRENCY = 64;
const ROUNDS = 5;

export async function envelopes(): Promise<readonly Figure[]> {
  const rates = await withFolder(measured);
  return [
    {
      what: "reserve + settle on one object",
      value: median(rates),
      unit: "pairs/s",
      goal: { least: 4_000 },
      detail: `two scopes each, ${CONCURRENCY} in flight, stored on disk`,
    },
  ];
}

async function measured(persist: string): Promise<number[]> {
  const bundled = await build({
    entryPoints: [fileURLToPath(new URL("../workers/envelopes.js", import.meta.url))],
    ...{ bundle: true, write: false, format: "esm", target: "es2024", external: ["cloudflare:*"], logLevel: "silent" },
  });
  const worker = new Miniflare({
    ...{ host: "127.0.0.1", port: 0, cf: false, modules: true, compatibilityDate: "2026-07-30" },
    script: bundled.outputFiles[0]!.text,
    durableObjects: { SPEND_ENVELOPES: { className: "SpendEnvelopes", useSQLite: true } },
    durableObjectsPersist: persist,
  });
  try {
    const url = await worker.ready;
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const startedAt = performance.now();
      const body = JSON.stringify({ pairs: PAIRS, concurrency: CONCURRENCY, run: `round-${round}` });
      const response = await fetch(url, { method: "POST", body });
      if ((await response.text()) !== "done") throw new Error("the envelopes did not grant every reservation");
      if (round > 0) rates.push((PAIRS * 1000) / (performance.now() - startedAt));
    }
    return rates;
  } finally {
    await worker.dispose();
  }
}
