/** `/query` on a million inferences in the embedded database: against the same SQL by hand, and from hourly rollups. */
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { startHranaServer } from "../../../src/localdb/hrana-server.ts";
import { EVALUATION_LANES } from "../../../src/record/lane.ts";
import { LibsqlQueryRunner } from "../../../src/store/query/query-runner.ts";
import { runQuery } from "../../../src/store/query/run-query.ts";
import { openStore } from "../../../src/store/store.ts";
import type { Figure } from "../figures.ts";
import { fillMillion, type Million } from "../million.ts";
import { withFolder } from "../temporary-folder.ts";

const ROUNDS = 3;
const MONTH = "WHERE ts >= '2026-12-02' AND ts < '2027-01-01'";
const TAG_MONTH = `SELECT tag.client, sum(cost) FROM inferences ${MONTH} GROUP BY tag.client ORDER BY 2 DESC LIMIT 20`;

interface Case {
  readonly what: string;
  readonly query: string;
  /** What someone would write who may write SQL; `?1` to `?3` are the org and the range of time. */
  readonly hand: string;
}

const ROWS = `FROM inferences WHERE org = ?1 AND ts >= ?2 AND ts < ?3 AND lane NOT IN (${EVALUATION_LANES.map((lane) => `'${lane}'`).join()})`;

const CASES: readonly Case[] = [
  {
    what: "cost by tag, a month",
    query: TAG_MONTH,
    hand: `SELECT json_extract(tags, '$.client') AS client, sum(cost_nano), count(*) - count(cost_nano) ${ROWS}
      GROUP BY client ORDER BY 2 DESC LIMIT 20`,
  },
  {
    what: "calls and cost by route and model, a month",
    query: `SELECT route, model, count(*), sum(cost) FROM inferences ${MONTH} GROUP BY route, model`,
    hand: `SELECT route, model, count(*), sum(cost_nano), count(*) - count(cost_nano) ${ROWS} GROUP BY route, model`,
  },
  {
    what: "p95 latency by day",
    query: `SELECT day(ts), p95(latency_ms) FROM inferences ${MONTH} GROUP BY 1`,
    hand: `SELECT day, max(iif(place = (n - 1) * 95 / 100 + 1, latency_ms, NULL)) FROM (SELECT ts / 86400000 AS day, latency_ms,
      row_number() OVER (PARTITION BY ts / 86400000 ORDER BY latency_ms) AS place,
      count(*) OVER (PARTITION BY ts / 86400000) AS n ${ROWS}) GROUP BY day`,
  },
  {
    what: "calls of one route and client",
    query: `SELECT count(*), avg(latency_ms) FROM inferences ${MONTH} AND route = 'bench.route_3' AND tag.client = 'client-1'`,
    hand: `SELECT count(*), avg(latency_ms) ${ROWS} AND route = 'bench.route_3' AND json_extract(tags, '$.client') = 'client-1'`,
  },
  {
    what: "the newest thousand calls that failed",
    query: `SELECT id, ts, route, failure_class FROM inferences ${MONTH} AND failure_class IS NOT NULL ORDER BY ts DESC`,
    hand: `SELECT id, ts, route, failure_class ${ROWS} AND failure_class IS NOT NULL ORDER BY ts DESC LIMIT 1000`,
  },
];

export async function query(): Promise<readonly Figure[]> {
  return await withFolder(async (folder) => {
    const file = join(folder, "million.db");
    const million = await fillMillion(file);
    const server = await startHranaServer({ file, port: 0, token: "bench" });
    try {
      return await measured({ url: server.url, authToken: "bench" }, million);
    } finally {
      await server.close();
    }
  });
}

async function measured(connection: { url: string; authToken: string }, million: Million): Promise<readonly Figure[]> {
  const runner = new LibsqlQueryRunner(connection);
  const client = createClient(connection);
  const ask = async (text: string, rowsOnly: boolean): Promise<{ source: string; rows: number }> => {
    const access = { org: million.org, rowsOnly };
    const result = await runQuery(text, access, { runner, now: () => million.to }, 120_000);
    if (!result.ok || "explain" in result.value) throw new Error(JSON.stringify(result));
    return { source: result.value.source, rows: result.value.row_count };
  };
  const args = [million.org, BigInt(million.from), BigInt(million.to)];
  const figures: Figure[] = [];
  for (const { what, query: text, hand } of CASES) {
    const [ours, theirs] = await alternating(
      () => ask(text, true),
      () => client.execute({ sql: hand, args }),
    );
    figures.push({
      what: `${what}: rows, against SQL by hand`,
      value: ours.cpu / theirs.cpu,
      unit: "×",
      goal: { most: 1.1 },
      detail: `CPU ${Math.round(ours.cpu)} ms, by hand ${Math.round(theirs.cpu)} ms; elapsed ${Math.round(ours.elapsed)} and ${Math.round(theirs.elapsed)} ms`,
    });
  }
  const { rollups } = openStore(connection).forOrg(million.org);
  const startedAt = performance.now();
  const hours = await rollups.staleHours(million.to, 1_000);
  for (const hour of hours) await rollups.rollUp(hour);
  const rolling = (performance.now() - startedAt) / hours.length;
  for (const text of [TAG_MONTH, CASES[1]!.query]) {
    const found = await ask(text, false);
    if (found.source !== "rollups") throw new Error("not from rollups");
    const [quick] = await alternating(
      () => ask(text, false),
      async () => undefined,
    );
    figures.push({
      what: text === TAG_MONTH ? "cost by tag, a month: hourly rollups" : `${CASES[1]!.what}: hourly rollups`,
      value: quick.elapsed,
      unit: "ms",
      ...(text === TAG_MONTH && { goal: { most: 150 } }),
      detail: `CPU ${Math.round(quick.cpu)} ms; ${hours.length} hours, each rolled up in ${rolling.toFixed(1)} ms`,
    });
  }
  client.close();
  return figures;
}

interface Took {
  readonly elapsed: number;
  readonly cpu: number;
}

/**
 * The least milliseconds of each, by turns, after one turn that does not count. Engine, client and caller share this
 * process, so its CPU time is the work of all three, however busy the machine is.
 */
async function alternating(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<readonly [Took, Took]> {
  const took: [Took[], Took[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, one] of [first, second].entries()) {
      const [startedAt, usage] = [performance.now(), process.cpuUsage()];
      await one();
      const { user, system } = process.cpuUsage(usage);
      if (round > 0)
        took[index as 0 | 1].push({ elapsed: performance.now() - startedAt, cpu: (user + system) / 1_000 });
    }
  }
  return [least(took[0]), least(took[1])];
}

function least(all: readonly Took[]): Took {
  return { elapsed: Math.min(...all.map(({ elapsed }) => elapsed)), cpu: Math.min(...all.map(({ cpu }) => cpu)) };
}
