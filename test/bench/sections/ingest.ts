/** Batches of an SDK into the embedded database, over its own wire, as the endpoint stores them. */
import { join } from "node:path";
import { readMigrations } from "../../../src/cli/migrations.ts";
import { startHranaServer } from "../../../src/localdb/hrana-server.ts";
import { MOST_ITEMS } from "../../../src/runs/ingest.ts";
import { ingestBatch } from "../../../src/runs/ingest-batch.ts";
import { migrate } from "../../../src/store/database/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anInference } from "../../support/store/inferences.ts";
import { type Figure, median } from "../figures.ts";
import { withFolder } from "../temporary-folder.ts";

const BATCHES = 40;
const ROUNDS = 5;
const TOKEN = "bench";

export async function ingest(): Promise<readonly Figure[]> {
  const rates = await withFolder(measured);
  return [
    {
      what: "ingest, batches of inferences",
      value: median(rates),
      unit: "records/s",
      goal: { least: 5_000 },
      detail: `${MOST_ITEMS} items each, JSON parsed, validated and stored with their attempts, one batch after another`,
    },
  ];
}

async function measured(folder: string): Promise<number[]> {
  const server = await startHranaServer({ file: join(folder, "bench.db"), port: 0, token: TOKEN });
  const connection = { url: server.url, authToken: TOKEN };
  await migrate(connection, readMigrations());
  const store = openStore(connection);
  try {
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bodies = Array.from({ length: BATCHES }, (_, batch) => bodyOf(`${round}-${batch}`));
      const startedAt = performance.now();
      for (const body of bodies) await take(store, body);
      // The first round warms up.
      if (round > 0) rates.push((BATCHES * MOST_ITEMS * 1000) / (performance.now() - startedAt));
    }
    return rates;
  } finally {
    store.close();
    await server.close();
  }
}

function bodyOf(name: string): string {
  const items = Array.from({ length: MOST_ITEMS }, (_, index) => ({
    type: "inference",
    inference: recordOf(anInference({ id: `inf-${name}-${index}`, run: `run-${name}-${index % 10}` })),
  }));
  return JSON.stringify({ items });
}

async function take(store: Store, body: string): Promise<void> {
  const { items } = JSON.parse(body) as { items: unknown[] };
  const sender = { org: "org_bench", keyId: "key_bench", fixedTags: { client: "acme" }, rows: undefined };
  const ports = { ...store.forOrg(sender.org), telemetry: store.telemetry };
  const results = await ingestBatch(items, sender, ports, Date.now());
  if (results.some(({ status }) => status !== "stored")) throw new Error("an item of the batch was not stored");
}
