import { type Client, createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { migrate } from "../../../src/store/database/migrate.ts";
import { FEW_TAG_VALUES, MOST_TAG_VALUES, MOST_TAGS_OF_HOUR } from "../../../src/store/telemetry/rollup-sql.ts";
import { HOUR_MS } from "../../../src/store/telemetry/stale-hours.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localDatabase, localStore, releasedMigrations } from "../../support/hosts/local-database.ts";
import { anInference } from "../../support/store/inferences.ts";

const HOUR = 1_700_000_000_000 - (1_700_000_000_000 % HOUR_MS);
const LATER = HOUR + 1_000 * HOUR_MS;
const deed = { by: "cycle:upkeep", at: LATER };

let local: Awaited<ReturnType<typeof localStore>>;
let client: Client;
beforeAll(async () => {
  local = await localStore();
  client = createClient(local.connection);
});
afterAll(async () => {
  client.close();
  local.store.close();
  await local.remove();
});

type Fields = Parameters<typeof anInference>[0];
const put = (org: string, fields: readonly Fields[]) =>
  local.store.telemetry.insertInferences(
    fields.map((own, index) => recordOf(anInference({ org, startedAt: HOUR + index, ...own }))),
  );
const rows = async (sql: string, org: string) => (await client.execute({ sql, args: [org] })).rows;
const rollUpAll = async (org: string) => {
  const { rollups } = local.store.forOrg(org);
  for (const hour of await rollups.staleHours(LATER, 1_000)) await rollups.rollUp(hour);
};

describe("sums of what calls cost", () => {
  it.each([
    ["2^53 nano-dollars", 2, 18_014_398_509_481_982n],
    ["what the engine's own sum can hold", 1_100, 1_100n * BigInt(Number.MAX_SAFE_INTEGER)],
  ])("are exact above %s", async (_what, count, sum) => {
    const org = `org_dear_${count}`;
    const most = nanoUsd(Number.MAX_SAFE_INTEGER);
    await put(org, [
      ...Array.from({ length: count }, () => ({ cost: most, run: "dear" })),
      { cost: undefined, run: "dear" },
    ]);
    const { inferences, runs } = local.store.forOrg(org);
    expect(await inferences.usage(HOUR, LATER)).toMatchObject([{ inferences: count + 1, costNanoUsd: sum }]);
    expect(await runs.steps("dear", undefined)).toMatchObject([{ costNano: sum, unpriced: 1 }]);
  });
});

describe("hours", () => {
  it("wait for their sums as soon as they get a row, not when a record comes again", async () => {
    const { rollups } = local.store.forOrg("org_stale");
    const records = [HOUR + 5, HOUR + HOUR_MS - 1, HOUR + HOUR_MS].map((startedAt) =>
      recordOf(anInference({ org: "org_stale", startedAt })),
    );
    await local.store.telemetry.insertInferences(records);
    expect(await rollups.staleHours(LATER, 10)).toEqual([HOUR, HOUR + HOUR_MS]);
    expect(await rollups.lag()).toEqual({ hours: 2, oldest: HOUR });
    await rollUpAll("org_stale");
    await local.store.telemetry.insertInferences(records);
    expect(await rollups.lag()).toEqual({ hours: 0, oldest: undefined });
  });

  it("are not asked for before they ended", async () => {
    await put("org_young", [{}]);
    const { rollups } = local.store.forOrg("org_young");
    expect(await rollups.staleHours(HOUR + HOUR_MS - 1, 10)).toEqual([]);
    expect(await rollups.staleHours(HOUR + HOUR_MS, 10)).toEqual([HOUR]);
  });

  it("of rows that were there before this version wait too", async () => {
    const old = await localDatabase();
    const upTo = releasedMigrations().findIndex(({ sql }) => sql.includes("`stale_hours`"));
    await migrate(old.connection, releasedMigrations().slice(0, upTo));
    const earlier = createClient(old.connection);
    const { columns } = await earlier.execute("select * from inferences limit 0");
    const values: Record<string, unknown> = { org: "org_old", ts: HOUR + 7, tags: "{}", id: "inf" };
    await earlier.execute({
      sql: `insert into inferences values (${columns.map(() => "?").join(", ")})`,
      args: columns.map((name) => (values[name] ?? 0) as string | number),
    });
    await migrate(old.connection, releasedMigrations());
    expect((await earlier.execute("select org, hour from stale_hours")).rows).toMatchObject([
      { org: "org_old", hour: HOUR },
    ]);
    earlier.close();
    await old.remove();
  });
});

describe("tags in hourly sums", () => {
  const tagged = (many: number, tags: (index: number) => Record<string, string>): Fields[] =>
    Array.from({ length: many }, (_, index) => ({ tags: tags(index) }));
  const wide = async (org: string) =>
    (await rows("select tag from wide_tags where org = ?", org)).map((row) => row["tag"]);
  const summed = async (org: string) =>
    (
      await rows(
        "select tag, count(*) as n from tag_rollups where org = ? and tag <> '' group by tag order by tag",
        org,
      )
    ).map((row) => [row["tag"], row["n"]]);

  it("are left out where their values are as many as the calls, as with ids of requests", async () => {
    await put(
      "org_ids",
      tagged(FEW_TAG_VALUES + 1, (index) => ({ request: `req_${index}`, client: "acme" })),
    );
    await rollUpAll("org_ids");
    expect(await wide("org_ids")).toEqual(["request"]);
    expect(await summed("org_ids")).toEqual([["client", 1]]);
  });

  it("are kept where they are few, however seldom each was seen", async () => {
    await put(
      "org_few",
      tagged(FEW_TAG_VALUES, (index) => ({ client: `c_${index}` })),
    );
    await rollUpAll("org_few");
    expect(await wide("org_few")).toEqual([]);
  });

  it("are left out above a number of values, and all of them above a number of tags", async () => {
    await put(
      "org_wide",
      tagged(3 * (MOST_TAG_VALUES + 1), (index) => ({ user: `u_${index % (MOST_TAG_VALUES + 1)}` })),
    );
    await rollUpAll("org_wide");
    expect(await wide("org_wide")).toEqual(["user"]);
    await put(
      "org_keys",
      tagged(MOST_TAGS_OF_HOUR + 1, (index) => ({ [`key_${index}`]: "x" })),
    );
    await rollUpAll("org_keys");
    expect(await wide("org_keys")).toEqual(["*"]);
    expect(await summed("org_keys")).toEqual([]);
  });

  it("come back when the hour is summed again and they are no longer wide", async () => {
    await put(
      "org_back",
      tagged(FEW_TAG_VALUES + 1, (index) => ({ client: `c_${index}` })),
    );
    await rollUpAll("org_back");
    expect(await wide("org_back")).toEqual(["client"]);
    await put(
      "org_back",
      tagged(2 * FEW_TAG_VALUES, () => ({ client: "c_0" })),
    );
    await rollUpAll("org_back");
    expect(await wide("org_back")).toEqual([]);
    expect(await summed("org_back")).toEqual([["client", FEW_TAG_VALUES + 1]]);
  });

  it("that late records make wide after the raw rows have gone lose their sums, and the figures of the routes stay", async () => {
    const org = "org_grown";
    const { retention } = local.store.forOrg(org);
    await put(
      org,
      tagged(2, () => ({ client: "acme", feature: "f" })),
    );
    await rollUpAll(org);
    await retention.advance(LATER);
    expect(await retention.moveRaw(100, deed)).toBe(2);
    expect(await summed(org)).toEqual([
      ["client", 1],
      ["feature", 1],
    ]);
    await put(
      org,
      tagged(MOST_TAG_VALUES, (index) => ({ client: `late_${index}` })),
    );
    while ((await retention.moveRaw(100, deed)) === 100);
    expect(await wide(org)).toEqual(["client"]);
    expect(await summed(org)).toEqual([["feature", 1]]);
    const [total] = await rows("select sum(n) as n from inference_rollups where org = ?", org);
    expect(total?.["n"]).toBe(MOST_TAG_VALUES + 2);
  });
});

describe("retention", () => {
  it("never changes what an odometer is computed from", async () => {
    const org = "org_odometer";
    const { rollups, retention } = local.store.forOrg(org);
    const fields = Array.from({ length: 200 }, (_, index) => ({
      startedAt: HOUR + index * (HOUR_MS / 10),
      cost: index % 7 === 0 ? undefined : nanoUsd(1_000_003 * index),
      conformant: index % 5 !== 0,
      simulated: index % 2 === 0,
      lane: index % 11 === 0 ? ("replay" as const) : ("live" as const),
    }));
    await put(org, fields);
    const sinces = [0, HOUR - 1, HOUR, HOUR + 1, HOUR + 3 * HOUR_MS + 17, HOUR + 19 * HOUR_MS, LATER];
    const read = () => Promise.all(sinces.map((since) => rollups.servedSince("example.summarize", "default", since)));
    const before = await read();
    expect(before[0]).not.toEqual(before[4]);
    expect(before[6]).toEqual({ conformant: 0, conformantPriced: 0, priced: 0, cost: 0, simulated: 0 });
    await rollUpAll(org);
    expect(await read()).toEqual(before);
    for (let hours = 0; hours <= 21; hours += 3) {
      while (await retention.advance(HOUR + hours * HOUR_MS)) expect(await read()).toEqual(before);
      while ((await retention.moveRaw(7, deed)) === 7) expect(await read()).toEqual(before);
    }
    expect(await read()).toEqual(before);
    expect(await rows("select 1 from inferences where org = ?", org)).toEqual([]);
    expect(await rows("select 1 from attempts where org = ?", org)).toEqual([]);
  });

  it("counts from the first full hour, so that it stays countable", async () => {
    const org = "org_from";
    await put(org, [{ startedAt: HOUR + 10 }, { startedAt: HOUR + HOUR_MS + 10 }]);
    const { rollups } = local.store.forOrg(org);
    const count = async (since: number) =>
      (await rollups.servedSince("example.summarize", "default", since)).conformant;
    expect([await count(HOUR), await count(HOUR + 1), await count(HOUR + 11)]).toEqual([2, 1, 1]);
  });

  it("waits for hours without sums", async () => {
    const org = "org_waits";
    const { retention } = local.store.forOrg(org);
    await put(org, [{ startedAt: HOUR }, { startedAt: HOUR + HOUR_MS }]);
    expect(await retention.advance(LATER)).toBe(false);
    await local.store.forOrg(org).rollups.rollUp(HOUR);
    expect(await retention.advance(LATER)).toBe(true);
    expect(await retention.moveRaw(10, deed)).toBe(1);
    expect(await retention.advance(LATER)).toBe(false);
    expect(await rows("select ts from inferences where org = ?", org)).toMatchObject([{ ts: HOUR + HOUR_MS }]);
  });

  it("touches no hour younger than the horizon, and no other org", async () => {
    const org = "org_young_rows";
    await put(org, [{ startedAt: HOUR }, { startedAt: HOUR + 5 * HOUR_MS }]);
    await put("org_beside", [{ startedAt: HOUR }]);
    await rollUpAll(org);
    const { retention } = local.store.forOrg(org);
    // A horizon within an hour leaves that hour whole.
    expect(await retention.advance(HOUR + 6 * HOUR_MS - 1)).toBe(true);
    expect(await retention.moveRaw(10, deed)).toBe(1);
    expect(await rows("select 1 from inferences where org = ?", org)).toHaveLength(1);
    expect(await rows("select 1 from inferences where org = ?", "org_beside")).toHaveLength(1);
  });

  it("knows a record again that it has moved, and counts it once", async () => {
    const org = "org_again";
    const { retention, rollups } = local.store.forOrg(org);
    const records = [0, 1].map((index) =>
      recordOf(anInference({ org, id: `again_${index}`, route: "r", startedAt: HOUR + index, cost: nanoUsd(5) })),
    );
    expect(await local.store.telemetry.insertReported(records)).toEqual([true, true]);
    await rollUpAll(org);
    await retention.advance(LATER);
    expect(await retention.moveRaw(10, deed)).toBe(2);
    const late = recordOf(anInference({ org, id: "late", route: "r", startedAt: HOUR + 2, cost: nanoUsd(5) }));
    expect(await local.store.telemetry.insertReported([...records, late])).toEqual([false, false, true]);
    expect(await rows("select count(*) as n from attempts where org = ?", org)).toMatchObject([{ n: 1 }]);
    expect(await retention.moveRaw(10, deed)).toBe(1);
    expect(await rollups.servedSince("r", "default", HOUR)).toMatchObject({ priced: 3, cost: 15 });
  });

  it("logs what it deletes in the same transaction, and nothing where there was nothing", async () => {
    const org = "org_logged";
    const { audit, retention } = local.store.forOrg(org);
    await put(org, [{ startedAt: HOUR }, { startedAt: HOUR + 1 }]);
    await rollUpAll(org);
    await retention.advance(LATER);
    expect([await retention.moveRaw(10, deed), await retention.moveRaw(10, deed)]).toEqual([2, 0]);
    expect(await audit.list(10)).toEqual([
      {
        ...deed,
        id: expect.any(Number),
        action: "telemetry.deleted",
        subject: "raw rows past retention",
        detail: { inferences: 2, attempts: 2, from: HOUR, to: HOUR + 1 },
      },
    ]);
  });

  it("takes the text of old artifacts and keeps their hash, and never an eval case", async () => {
    const org = "org_artifacts";
    const columns = `org, id, name, type, hash, bytes, json, content, created_at`;
    for (const [id, at] of [
      ["old", HOUR],
      ["new", LATER],
    ])
      await client.execute({
        sql: `insert into artifacts (${columns}) values (?, ?, 'a', 'document', 'h', 4, 0, 'text', ?)`,
        args: [org, String(id), Number(at)],
      });
    await client.execute({
      sql: "insert into eval_cases (org, id, task, input, expected, corrected, origin, artifact, created_at, created_by) values (?, 'e', 't', '{}', '1', 0, 'artifact', 'old', ?, 'k')",
      args: [org, HOUR],
    });
    const { retention, audit } = local.store.forOrg(org);
    expect(await retention.forgetArtifacts(HOUR + 1, 10, deed)).toBe(1);
    expect(await retention.forgetArtifacts(HOUR + 1, 10, deed)).toBe(0);
    expect(
      await rows("select id, content, withheld, hash from artifacts where org = ? order by id", org),
    ).toMatchObject([
      { id: "new", content: "text", withheld: null },
      { id: "old", content: null, withheld: "retention", hash: "h" },
    ]);
    expect(await rows("select expected from eval_cases where org = ?", org)).toHaveLength(1);
    expect(await audit.list(10)).toMatchObject([{ action: "artifacts.forgotten", by: "cycle:upkeep" }]);
  });
});

describe("proposals past their expiry", () => {
  it("expire where they were open, each with its entry in the audit log; others and other orgs stay", async () => {
    const put = async (org: string, id: string, state: string, expires: number) =>
      client.execute({
        sql: `insert into proposals (org, id, kind, trigger, trigger_hash, route, state, created_at, expires_at)
          values (?, ?, 'bakeoff', 'manual_challenger', ?, 'a.b', ?, 1, ?)`,
        args: [org, id, id, state, expires],
      });
    await put("org_expiry", "due_a", "suggested", LATER);
    await put("org_expiry", "due_b", "evidenced", LATER - 1);
    await put("org_expiry", "young", "evidenced", LATER + 1);
    await put("org_expiry", "decided", "approved", LATER - 1);
    await put("org_other", "other", "evidenced", LATER - 1);
    const { audit, proposals } = local.store.forOrg("org_expiry");
    expect([await proposals.expire(deed), await proposals.expire(deed)]).toEqual([2, 0]);
    const states = await rows("select id, state from proposals where org = ? order by id", "org_expiry");
    expect(states.map((row) => `${row["id"]} ${row["state"]}`)).toEqual([
      "decided approved",
      "due_a expired",
      "due_b expired",
      "young evidenced",
    ]);
    expect(await rows("select state from proposals where org = ?", "org_other")).toMatchObject([
      { state: "evidenced" },
    ]);
    expect((await audit.list(10)).map(({ action, subject }) => `${action} ${subject}`).sort()).toEqual([
      "proposal.expired due_a",
      "proposal.expired due_b",
    ]);
  });
});
