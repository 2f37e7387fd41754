/**
 * What a reader may not see changes nothing for them: every query answers the same on the whole database as on one that
 * holds their rows alone. Ids and names are the same on both sides on purpose.
 */
import { createClient, type InValue } from "@libsql/client/web";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/stats/random.ts";
import { type QueryDatabase, queryDatabase } from "../../support/hosts/query-database.ts";
import { queries } from "../../support/store/query-texts.ts";

const SCOPE = { tags: { client: "acme" } };
const START = Date.UTC(2026, 6, 26);
const random = seededRandom(5);
const oneOf = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

/** Whose a row is: the whole org's, or also the scope's. */
type Owner = "scope" | "org" | "other";
interface Row {
  readonly table: string;
  readonly owner: Owner;
  readonly values: Readonly<Record<string, InValue>>;
}

const VALUES = {
  route: ["r1", "r2"],
  model: ["m1", "m2"],
  provider: ["p1"],
  variant: ["default", "cheap"],
  served_variant: ["default", "cheap"],
  lane: ["live", "raw", "replay", "trial", "cache"],
  client: ["acme", "bolt", "ACME", "acme "],
  team: ["x", "y"],
  subject_kind: ["inference", "run", "artifact"],
  subject: ["inf_1", "run_1", "episode_1"],
  grader: ["ann", "check"],
  run: ["run_1", "run_2"],
};

function tagsOf(owner: Owner): string {
  const client =
    owner === "scope" ? "acme" : owner === "other" ? oneOf("acme", "bolt") : oneOf("bolt", "ACME", "acme ", null);
  return JSON.stringify({ ...(client !== null && { client }), ...(random() < 0.5 && { team: oneOf("x", "y") }) });
}

function call(index: number, owner: Owner): readonly Row[] {
  const id = `inf_${index}`;
  const org = owner === "other" ? "org_b" : "org_a";
  const ts = START + Math.floor(random() * 4 * 3_600_000);
  const cost = random() < 0.2 ? null : Math.floor(random() * 1e9);
  const served = { provider: oneOf("p1", null), model: oneOf("m1", "m2", null), rung: "none" };
  const figures = { cost_nano: cost, latency_ms: Math.floor(random() * 900), input_tokens: oneOf(null, 10, 500) };
  const inference = {
    ...{ org, id, ts, lane: oneOf(...VALUES.lane), route: oneOf("r1", "r2", null), variant: oneOf("default", "cheap") },
    ...{
      run: oneOf("run_1", "run_2", null),
      step: oneOf("s", null),
      key_id: oneOf("k1", "k2"),
      stream: 0,
      attempts: 1,
    },
    ...{ failure_class: oneOf("network", null), conformant: oneOf(0, 1, null), estimated: 0, simulated: oneOf(0, 1) },
    ...{ ...served, ...figures, output_tokens: oneOf(null, 7), tags: tagsOf(owner) },
  };
  const attempt = {
    ...{
      org,
      id: `att_${index}`,
      inference: id,
      position: 0,
      ts,
      usage_estimated: 0,
      usage_inconsistent: 0,
      estimated: 0,
    },
    ...{ ...served, ...figures, provider: "p1", model: "m1", tier: "standard" },
  };
  return [
    { table: "inferences", owner, values: inference },
    { table: "attempts", owner, values: attempt },
  ];
}

function grade(index: number, subject: string, kind: string, owner: Owner): Row {
  const org = owner === "other" ? "org_b" : "org_a";
  const said = { score: Math.round(random() * 4) / 4, kind: oneOf("human", "model"), grader: oneOf("ann", "check") };
  const at = { created_at: START + (index % 5) * 1_000, key_id: "k1" };
  return { table: "grades", owner, values: { org, id: `grade_${index}`, subject_kind: kind, subject, ...said, ...at } };
}

function rows(): readonly Row[] {
  const all: Row[] = [];
  for (let index = 0; index < 120; index += 1) all.push(...call(index, oneOf("scope", "org")));
  for (let index = 0; index < 120; index += 1) all.push(...call(index, "other"));
  const owners = new Map(
    all
      .filter((row) => row.table === "inferences" && row.owner !== "other")
      .map((row) => [row.values["id"], row.owner]),
  );
  const run = (id: string, episode: string | null, owner: Owner): Row => {
    const org = owner === "other" ? "org_b" : "org_a";
    const fixed = {
      declared: 1,
      pipeline: oneOf("p", "q"),
      environment: "prod",
      status: oneOf("running", "succeeded"),
    };
    const times = { started_at: START + Math.floor(random() * 9e6), ended_at: oneOf(null, START + 1e7) };
    return { table: "runs", owner, values: { org, id, episode_key: episode, ...fixed, ...times, tags: tagsOf(owner) } };
  };
  // episode_1 is the scope's alone, episode_2 is shared; run_3's id is also an episode of another client.
  all.push(run("run_1", "episode_1", "scope"), run("run_2", "episode_2", "scope"), run("run_4", "episode_2", "org"));
  all.push(run("run_3", null, "scope"), run("run_5", "run_3", "org"), run("run_6", null, "org"));
  all.push(run("run_1", "episode_1", "other"), run("run_2", "episode_2", "other"));
  const seen = new Map<string, Owner>([
    ["run_1", "scope"],
    ["run_2", "scope"],
    ["run_4", "org"],
    ["run_3", "org"],
    ["run_6", "org"],
  ]);
  seen.set("episode_1", "scope").set("episode_2", "org").set("nothing", "org");
  // Artifacts belong to a run and an inference; one of another client, or none at all, hides them.
  const mine = [...owners].find(([, owner]) => owner === "scope")![0] as string;
  const theirs = [...owners].find(([, owner]) => owner === "org")![0] as string;
  const artifacts: readonly [string, string | null, string | null, Owner][] = [
    ["a1", "run_1", null, "scope"],
    ["a2", "run_1", mine, "scope"],
    ["a3", "run_1", theirs, "org"],
    ["a4", null, null, "org"],
    ["a5", "run_6", mine, "org"],
    ["a6", "run_unknown", null, "org"],
  ];
  for (const [id, of, inference, owner] of artifacts) {
    const rest = { name: "n", type: "output", hash: "h", bytes: 1, json: 0, created_at: START };
    all.push({ table: "artifacts", owner, values: { org: "org_a", id, run: of, inference, ...rest } });
  }
  let index = 0;
  for (const [id, owner] of owners) if (random() < 0.5) all.push(grade(index++, id as string, "inference", owner));
  for (const [id, owner] of owners) if (random() < 0.3) all.push(grade(index++, id as string, "inference", owner));
  for (let round = 0; round < 3; round += 1) {
    for (const [id, owner] of seen) all.push(grade(index++, id, "run", owner));
    for (const [id, , , owner] of artifacts) all.push(grade(index++, id, "artifact", owner));
    for (let other = 0; other < 20; other += 1)
      all.push(grade(index++, oneOf("inf_1", "run_1"), oneOf("inference", "run"), "other"));
  }
  return all;
}

async function filled(all: readonly Row[]): Promise<QueryDatabase> {
  const database = await queryDatabase();
  const client = createClient(database.connection);
  const statements = all.map(({ table, values }) => {
    const names = Object.keys(values);
    const sql = `insert into ${table} (${names.join(",")}) values (${names.map(() => "?").join(",")})`;
    return { sql, args: Object.values(values) };
  });
  await client.batch(statements, "write");
  await client.execute("insert into stale_hours (org, hour) select distinct org, ts - ts % 3600000 from inferences");
  client.close();
  return database;
}

let whole: QueryDatabase;
let org: QueryDatabase;
let scope: QueryDatabase;
beforeAll(async () => {
  const all = rows();
  whole = await filled(all);
  org = await filled(all.filter(({ owner }) => owner !== "other"));
  scope = await filled(all.filter(({ owner }) => owner === "scope"));
  // Half of the hours are answered from rollups.
  for (const database of [whole, org, scope]) {
    for (const hour of [START, START + 2 * 3_600_000]) await database.store.forOrg("org_a").rollups.rollUp(hour);
  }
});
afterAll(async () => {
  for (const database of [whole, org, scope]) await database.remove();
});

const TIMES = ["2026-07-26", "2026-07-26T01:30", "2026-07-26T03:00Z", "2026-07-26T04:00Z"];
const texts = queries({ values: VALUES, times: TIMES, listings: 4 });

async function same(text: string, asked: QueryDatabase, access: object, alone: QueryDatabase): Promise<number> {
  const [result, expected] = [await asked.ask(text, access), await alone.ask(text)];
  if (!expected.ok || !result.ok) {
    expect({ text, ...result }).toEqual({ text, ...expected });
    return 0;
  }
  if ("explain" in result.value || "explain" in expected.value) throw new Error("explained");
  const { elapsed_ms: _, source: __, ...figures } = result.value;
  const { elapsed_ms: ___, source: ____, ...alike } = expected.value;
  expect({ text, ...figures }).toEqual({ text, ...alike });
  return figures.row_count;
}

describe("a query", () => {
  it("answers an org as if there were no other", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        found += await same(text, whole, {}, org);
      }),
      { numRuns: 250 },
    );
    expect(found).toBeGreaterThan(250);
  });

  it("answers a row scope as if there were no other rows", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        found += await same(text, whole, { rowScope: SCOPE }, scope);
      }),
      { numRuns: 350 },
    );
    expect(found).toBeGreaterThan(250);
  });

  it.each(["inferences", "attempts", "runs", "grades"])(
    "of %s finds rows in scope, and rows out of it",
    async (table) => {
      const count = async (access: object) =>
        (await whole.answer(`SELECT count(*) FROM ${table} WHERE ts >= '2026-01-01'`, access)).rows[0]![0] as number;
      const seen = await count({ rowScope: SCOPE });
      expect(seen).toBeGreaterThan(0);
      expect(await count({})).toBeGreaterThan(seen);
      expect(await count({ org: "org_nobody" })).toBe(0);
      expect(await count({ rowScope: { tags: { client: "acme", team: "z" } } })).toBe(0);
    },
  );

  it.each(["inferences", "attempts", "runs", "grades"])(
    "of %s under a scope that names no tag finds nothing",
    async (table) => {
      for (const text of [`SELECT count(*) FROM ${table}`, `SELECT tag.client, count(*) FROM ${table} GROUP BY 1`]) {
        const { rows: found } = await whole.answer(text, { rowScope: { tags: {} } });
        expect(found.flat().filter((value) => value !== 0)).toEqual([]);
      }
    },
  );

  it("under a scope with the name of no tag is refused", async () => {
    const refused = await whole.ask("SELECT id FROM runs", { rowScope: { tags: { 'a"b': "x" } } });
    expect(refused).toMatchObject({ ok: false, error: { code: "query_scope" } });
  });
});
