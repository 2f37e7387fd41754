/** Hourly sums and retention over a month of a million calls, in the embedded database over its wire. */
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { startHranaServer } from "../../../src/localdb/hrana-server.ts";
import { openStore } from "../../../src/store/store.ts";
import { type Figure, median } from "../figures.ts";
import { fillMillion, type Million } from "../million.ts";
import { withFolder } from "../temporary-folder.ts";

const TOKEN = "bench";
const REPEATS = 5;
/** The first ten of thirty days go. */
const KEPT_SHARE = 2 / 3;
const ROWS_PER_MOVE = 2_000;

export async function rollups(): Promise<readonly Figure[]> {
  return await withFolder(async (folder) => {
    const file = join(folder, "million.db");
    const startedAt = performance.now();
    const made = await fillMillion(file);
    const filled = (performance.now() - startedAt) / 1_000;
    const server = await startHranaServer({ file, port: 0, token: TOKEN });
    try {
      return [
        { what: "a million calls made by the engine", value: filled, unit: "s" },
        ...(await measure({ url: server.url, authToken: TOKEN }, made)),
      ];
    } finally {
      await server.close();
    }
  });
}

async function measure(
  connection: { readonly url: string; readonly authToken: string },
  { org, from, to, rows }: Million,
): Promise<readonly Figure[]> {
  const store = openStore(connection);
  const client = createClient(connection);
  const own = store.forOrg(org);
  const hours = await own.rollups.staleHours(to, 10_000);
  const sumSeconds = await seconds(async () => {
    for (const hour of hours) await own.rollups.rollUp(hour);
  });
  const monthByTag = async (sql: string): Promise<number> => {
    const times: number[] = [];
    for (let turn = 0; turn < REPEATS; turn += 1)
      times.push(1_000 * (await seconds(() => client.execute({ sql, args: [org, from, to] }))));
    return median(times);
  };
  const summed = await monthByTag(
    "select value, sum(n), sum(cost_nano) from tag_rollups where org = ? and tag = 'client' and hour >= ? and hour < ? group by value",
  );
  const raw = await monthByTag(
    "select tags ->> 'client', count(*), sum(cost_nano) from inferences where org = ? and ts >= ? and ts < ? group by 1",
  );
  let moved = 0;
  const moveSeconds = await seconds(async () => {
    const horizon = to - KEPT_SHARE * (to - from);
    while (await own.retention.advance(horizon)) {
      for (let last = ROWS_PER_MOVE; last === ROWS_PER_MOVE; moved += last)
        last = await own.retention.moveRaw(ROWS_PER_MOVE, { by: "bench", at: to });
    }
  });
  client.close();
  store.close();
  return [
    { what: "calls summed into hours", value: rows / sumSeconds, unit: "/s", detail: `${hours.length} hours` },
    {
      what: "a month by tag, from sums",
      value: summed,
      unit: "ms",
      goal: { most: 300 },
      detail: `from raw rows ${Math.round(raw)} ms`,
    },
    { what: "calls moved past retention", value: moved / moveSeconds, unit: "/s", detail: `${moved} calls` },
  ];
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
