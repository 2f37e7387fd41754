import type { Client } from "@libsql/client/web";
import type { InferenceRecord } from "../../../src/record/inference-record.ts";
import { HOUR_MS, hourOf } from "../../../src/store/telemetry/stale-hours.ts";
import { totalTokens } from "../../../src/telemetry/record.ts";

type Sums = Record<string, number | null>;

/** Columns of a rollup that are no sum. */
const KEYS = [
  "org",
  "hour",
  "lane",
  "simulated",
  "route",
  "variant",
  "provider",
  "model",
  "failure_class",
  "tag",
  "value",
];

/** The sums of records as they should be, by group: written in plain loops, apart from the SQL it is held against. */
export function expectedSums(records: readonly InferenceRecord[]): Map<string, Sums> {
  const groups = new Map<string, Sums>();
  for (const record of records) {
    const { lane, simulated, route, variant, provider, model, failure } = record;
    const key = [hourOf(record.startedAt), lane, Number(simulated)];
    const names = [route, variant, provider, model, failure?.class ?? null].map((name) => name ?? "");
    add(groups, JSON.stringify([...key, ...names]), record);
  }
  return groups;
}

/** The same by tag and value, of one lane. */
export function expectedTagSums(records: readonly InferenceRecord[]): Map<string, Sums> {
  const groups = new Map<string, Sums>();
  for (const record of records) {
    const key = [hourOf(record.startedAt), record.lane, Number(record.simulated)];
    // Beside the tags there is one group of everything.
    for (const [tag, value] of [["", ""], ...Object.entries(record.tags)]) {
      add(groups, JSON.stringify([...key, tag, value]), record);
    }
  }
  return groups;
}

function add(groups: Map<string, Sums>, key: string, record: InferenceRecord): void {
  const tokens = totalTokens(record.attempts);
  const { costNano, latencyMs, conformant } = record;
  const sums = groups.get(key) ?? {};
  groups.set(key, sums);
  const plus = (name: string, amount: number): void => {
    sums[name] = (sums[name] ?? 0) + amount;
  };
  const within = (name: string, amount: number | null): void => {
    const [least, most] = [sums[`${name}_min`] ?? null, sums[`${name}_max`] ?? null];
    sums[`${name}_min`] = amount === null ? least : Math.min(least ?? amount, amount);
    sums[`${name}_max`] = amount === null ? most : Math.max(most ?? amount, amount);
  };
  plus("n", 1);
  plus("attempts", record.attempts.length);
  plus("failed", record.failure ? 1 : 0);
  plus("priced", costNano === null ? 0 : 1);
  plus("cost_nano", costNano ?? 0);
  plus("conformant", conformant === true ? 1 : 0);
  plus("nonconformant", conformant === false ? 1 : 0);
  plus("conformant_priced", conformant === true && costNano !== null ? 1 : 0);
  plus("latency_ms", latencyMs);
  within("cost_nano", costNano);
  within("latency_ms", latencyMs);
  for (const [name, figure] of [
    ["input", tokens.input],
    ["cache_read", tokens.cacheRead],
    ["cache_write", tokens.cacheWrite],
    ["output", tokens.output],
    ["reasoning", tokens.reasoning],
  ] as const) {
    plus(`${name}_tokens`, figure ?? 0);
    plus(`${name}_tokens_n`, figure === null ? 0 : 1);
  }
}

/** What a reader sees in the database by the rule of `src/store/tables/rollups.ts`, in the form of the above. */
export async function readSums(client: Client, org: string): Promise<Map<string, Sums>> {
  return await read(client, org, "inference_rollups", ["route", "variant", "provider", "model", "failure_class"], "");
}

export async function readTagSums(client: Client, org: string): Promise<Map<string, Sums>> {
  return await read(client, org, "tag_rollups", ["tag", "value"], ', json_each(json_patch(i.tags, \'{"":""}\')) tag');
}

async function read(
  client: Client,
  org: string,
  table: string,
  names: readonly string[],
  also: string,
): Promise<Map<string, Sums>> {
  const mark = "coalesce((select before from retention_marks where org = :org), 0)";
  const hour = `(i.ts / ${HOUR_MS} * ${HOUR_MS})`;
  const stale = "(select hour from stale_hours where org = :org)";
  const rawNames = names.map((name) =>
    name === "tag" || name === "value"
      ? `tag.${name.replace("tag", "key")} as ${name}`
      : `coalesce(i.${name}, '') as ${name}`,
  );
  const columns = (await client.execute(`select * from ${table} limit 0`)).columns.filter(
    (name) => !KEYS.includes(name),
  );
  const rawSums = columns.map((name) => `${rawSum(name)} as ${name}`);
  const merged = columns.map((name) => {
    const merge = name.endsWith("_min") ? "min" : name.endsWith("_max") ? "max" : "sum";
    return `${merge}(${name}) as ${name}`;
  });
  const { rows } = await client.execute({
    sql: `select hour, lane, simulated, ${[...names, ...merged].join(", ")} from (
        select hour, lane, simulated, ${[...names, ...columns].join(", ")} from ${table}
          where org = :org and (hour < ${mark} or hour not in ${stale})
        union all
        select ${hour} as hour, i.lane, i.simulated, ${[...rawNames, ...rawSums].join(", ")} from inferences i${also}
          where i.org = :org and (i.ts < ${mark} or ${hour} in ${stale}) group by i.rowid${also === "" ? "" : ", tag.key"}
      ) group by hour, lane, simulated, ${names.join(", ")}`,
    args: { org },
  });
  return new Map(
    rows.map((row) => [
      JSON.stringify(["hour", "lane", "simulated", ...names].map((name) => row[name])),
      Object.fromEntries(columns.map((name) => [name, row[name] as number | null])),
    ]),
  );
}

function rawSum(name: string): string {
  if (name === "n") return "1";
  if (name === "failed") return "i.failure_class is not null";
  if (name === "priced") return "i.cost_nano is not null";
  if (name === "conformant") return "coalesce(i.conformant, 0)";
  if (name === "nonconformant") return "i.conformant is 0";
  if (name === "conformant_priced") return "i.conformant is 1 and i.cost_nano is not null";
  if (name.endsWith("_n")) return `i.${name.slice(0, -2)} is not null`;
  if (name.endsWith("_min") || name.endsWith("_max")) return `i.${name.slice(0, -4)}`;
  return `coalesce(i.${name}, 0)`;
}
