/**
 * A database of ordinary traffic for benches: `node test/bench/million.ts FILE [ROWS]`, or `fillMillion`. Made by the
 * engine itself, so that a million rows take seconds, and by arithmetic rather than chance, so that they are the same
 * each time: 30 days, 20 routes in two variants, four lanes, three models, 50 clients (the first ones busiest), 8 features.
 */
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { startHranaServer } from "../../src/localdb/hrana-server.ts";
import { migrate } from "../../src/store/database/migrate.ts";
import { HOUR_MS } from "../../src/store/telemetry/stale-hours.ts";
import { releasedMigrations } from "../support/hosts/local-database.ts";

export interface Million {
  readonly org: string;
  /** Epoch milliseconds; every row lies in [from, to). */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

const DAYS = 30;
const BATCH = 100_000;
const ORG = "org_bench";
/** The first instant of 2027: full hours, and no clock in the figures. */
const TO = Date.UTC(2027, 0, 1);
const FROM = TO - DAYS * 24 * HOUR_MS;

/** Makes or extends the file's schema and fills it. Every hour is stale afterwards, as after an import. */
export async function fillMillion(file: string, rows = 1_000_000): Promise<Million> {
  const server = await startHranaServer({ file, port: 0, token: "bench" });
  await migrate({ url: server.url, authToken: "bench" }, releasedMigrations());
  await server.close();
  const db = new Database(file);
  db.exec("pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -200000");
  for (let first = 0; first < rows; first += BATCH) {
    const series = `with recursive series(i) as (select ${first} union all select i + 1 from series where i + 1 < ${Math.min(rows, first + BATCH)})`;
    db.exec(`begin; ${inferencesOf(series, rows)}; ${attemptsOf(first, rows)}; commit`);
  }
  db.exec(`insert into stale_hours select distinct org, ts / ${HOUR_MS} * ${HOUR_MS} from inferences;
    pragma optimize; pragma wal_checkpoint(truncate)`);
  db.close();
  return { org: ORG, from: FROM, to: TO, rows };
}

/** A whole number in [0, below) that depends on row `i` and on what it is for. Products stay below 2^63. */
const draw = (purpose: number, below: number): string =>
  `((i * ${2_654_435_761 - 131_072 * purpose} % 4294967291 * ${1_103_515_245 - 70_001 * purpose} % 4294967279) / 13 % ${below})`;
/** The same, small numbers more often. */
const skewed = (purpose: number, below: number): string =>
  `(${draw(purpose, 1_000)} * ${draw(purpose, 1_000)} * ${below} / 1000000)`;

function inferencesOf(series: string, rows: number): string {
  const lane = `case when ${draw(1, 100)} < 88 then 'live' when ${draw(1, 100)} < 93 then 'raw' when ${draw(1, 100)} < 98 then 'replay' else 'trial' end`;
  const failure = `case when ${draw(2, 1_000)} < 10 then 'content_invalid' when ${draw(2, 1_000)} < 18 then 'capacity_shed'
    when ${draw(2, 1_000)} < 23 then 'network' when ${draw(2, 1_000)} < 25 then 'server_error' end`;
  const model = draw(3, 3);
  return `${series},
    call as (select i, ${lane} as lane, ${failure} as failure, ${model} as model, ${draw(4, 20)} as route,
      200 + ${skewed(5, 8_000)} as input, 20 + ${skewed(6, 780)} as output, 1 + (${draw(7, 100)} < 8) as attempts from series)
    insert into inferences (org, id, ts, lane, route, route_hash, variant, run, step, key_id, provider, model, rung, stream,
      failure_class, conformant, attempts, latency_ms, first_byte_ms, input_tokens, uncached_tokens, cache_read_tokens,
      cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, estimated, tier, price_version, simulated, tags)
    select '${ORG}', printf('inf_%012x', i), ${FROM} + i * ${TO - FROM} / ${rows}, lane,
      iif(lane = 'raw', null, 'bench.route_' || route), iif(lane = 'raw', null, 'hash_' || route),
      iif(lane = 'raw', null, iif(${draw(8, 4)} = 0, 'cheap', 'default')), iif(${draw(9, 3)} = 0, 'run_' || (i / 7), null),
      'step_' || ${draw(10, 5)}, 'key_' || ${draw(11, 6)},
      case when failure in ('capacity_shed', 'network', 'server_error') then null when model = 0 then 'gemini' else 'openai' end,
      case when failure in ('capacity_shed', 'network', 'server_error') then null when model = 0 then 'gemini-3.1-flash-lite' when model = 1 then 'gpt-5.4-mini' else 'gpt-5.4' end,
      'native_strict', ${draw(12, 2)}, failure, case when lane = 'raw' then null else failure is null end, attempts,
      200 + ${skewed(13, 9_000)}, 80 + ${skewed(14, 900)}, input, input - input / 3, input / 3, 0, output, output / 4,
      iif(${draw(15, 100)} < 3, null, input * 150 + output * 600), 0, 'standard', 'bench', 0,
      json_object('client', 'client-' || ${skewed(16, 50)}, 'feature', 'feature-' || ${draw(17, 8)})
    from call`;
}

/** One row per attempt of the inferences just made: the last is the one that ended them, those before it were shed. */
function attemptsOf(first: number, rows: number): string {
  const at = (i: number): number => FROM + Math.floor((i * (TO - FROM)) / rows);
  return `insert into attempts (org, id, inference, position, ts, provider, model, rung, failure_class, status, latency_ms,
      first_byte_ms, input_tokens, output_tokens, usage_estimated, usage_inconsistent, cost_nano, estimated, tier)
    select org, id || '_' || position, id, position, ts, coalesce(provider, 'openai'), coalesce(model, 'gpt-5.4-mini'), rung,
      iif(position + 1 < attempts, 'capacity_shed', failure_class), iif(position + 1 < attempts, 429, 200), latency_ms / attempts,
      first_byte_ms, input_tokens, output_tokens, 0, 0, iif(position + 1 < attempts, 0, cost_nano), 0, 'standard'
    from inferences, (select 0 as position union all select 1) where position < attempts
      and org = '${ORG}' and ts >= ${at(first)} and ts < ${at(Math.min(rows, first + BATCH))}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [file, rows] = process.argv.slice(2);
  if (file === undefined) throw new Error("usage: node test/bench/million.ts FILE [ROWS]");
  const startedAt = performance.now();
  const made = await fillMillion(file, rows === undefined ? undefined : Number(rows));
  console.log(JSON.stringify({ ...made, seconds: (performance.now() - startedAt) / 1_000 }));
}
