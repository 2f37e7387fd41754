import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client/web";
import { getTableColumns, getTableName, is, Table } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ORG_TABLES } from "../../../src/store/orgs/org-tables.ts";
import type { OrgStore } from "../../../src/store/store.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { anAttempt, anInference } from "../../support/store/inferences.ts";
import { rowsOf } from "../../support/store/org-rows.ts";

const HOUR = 3_600_000;
const T0 = 1_750_000_000_000 - (1_750_000_000_000 % HOUR);
const deed = { by: "key_admin", at: T0 };

let local: Awaited<ReturnType<typeof localStore>>;
let all: readonly SQLiteTable[];
beforeAll(async () => {
  local = await localStore();
  all = await everyTable();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

/** What the folder of tables declares, whoever forgot to list it elsewhere. */
async function everyTable(): Promise<readonly SQLiteTable[]> {
  const folder = fileURLToPath(new URL("../../../src/store/tables/", import.meta.url));
  const modules = await Promise.all(readdirSync(folder).map((file) => import(`${folder}${file}`) as Promise<object>));
  return modules.flatMap((module) => Object.values(module)).filter((value): value is SQLiteTable => is(value, Table));
}

/** Some value for each column a row of this table must have, with the table's own marker in its texts. */
function rowFor(table: SQLiteTable, org: string, index: number, at: number): Record<string, string | number> {
  const row: Record<string, string | number> = {};
  for (const column of Object.values(getTableColumns(table))) {
    if (column.name === "org") row["org"] = org;
    else if (column.name === "id" && column.dataType === "number") continue;
    else if (column.columnType === "SQLiteTextJson") row[column.name] = "{}";
    else if (column.columnType === "SQLiteBoolean") row[column.name] = 0;
    else if (column.dataType.startsWith("number")) row[column.name] = at + index;
    else row[column.name] = `${org} ${column.name} ${index}`;
  }
  // What belongs to another row must name one that is there.
  if ("inference" in row) row["inference"] = `${org} id ${index}`;
  if ("response" in row) row["response"] = `${org} id ${index}`;
  if ("bakeoff" in row) row["bakeoff"] = `${org} id ${index}`;
  return row;
}

/** Rows of every table there is, `count` each. */
async function fill(org: string, count: number, at: number): Promise<void> {
  const client = createClient({ url: local.connection.url, authToken: local.connection.authToken });
  const inserts = all
    .filter((table) => "org" in getTableColumns(table))
    .flatMap((table) =>
      Array.from({ length: isOnePerOrg(table) ? 1 : count }, (_, index) => {
        const row = rowFor(table, org, index, at);
        const names = Object.keys(row);
        return {
          sql: `insert into ${getTableName(table)} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
          args: Object.values(row),
        };
      }),
    );
  await client.batch(inserts, "write");
  client.close();
}

function isOnePerOrg(table: SQLiteTable): boolean {
  return getTableColumns(table)["org"]?.primary === true;
}

async function exported({ data }: OrgStore): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  let page = await data.page(undefined);
  while (page) {
    rows[page.table] = [...(rows[page.table] ?? []), ...page.rows];
    page = page.next === undefined ? undefined : await data.page(page.next);
  }
  return rows;
}

const always = () => true;
const sizes = (rows: Readonly<Record<string, unknown[]>>) =>
  Object.fromEntries(Object.entries(rows).map(([name, found]) => [name, found.length]));

describe("the list of an org's tables", () => {
  it("names every table that has an org, so that neither export nor deletion can forget one", () => {
    const owned = all.filter((table) => "org" in getTableColumns(table)).map(getTableName);
    expect(owned.length).toBeGreaterThan(15);
    expect(ORG_TABLES.map(({ table }) => getTableName(table)).sort()).toEqual(owned.sort());
  });

  it("has what belongs to a table before that table", () => {
    const order = ORG_TABLES.map(({ table }) => table);
    for (const { table, of } of ORG_TABLES) if (of) expect(order.indexOf(table)).toBeLessThan(order.indexOf(of.owner));
  });
});

describe("an export", () => {
  it("holds every row of every table once, whatever the pages, and nothing of another org", async () => {
    await fill("org_export", 40, T0);
    await fill("org_stranger", 3, T0);
    const rows = await exported(local.store.forOrg("org_export"));
    const there = await rowsOf(local.connection, "org_export");
    expect(sizes(rows)).toEqual(sizes(there));
    for (const found of Object.values(rows))
      expect(new Set(found.map((row) => JSON.stringify(row))).size).toBe(found.length);
    expect(JSON.stringify(rows)).not.toContain("org_stranger");
  });

  it("never holds the hash of a key", async () => {
    const { api_keys: keys = [] } = await exported(local.store.forOrg("org_export"));
    expect(keys).toHaveLength(40);
    for (const key of keys) expect(key).not.toHaveProperty("hash");
  });

  it("goes on after any page it gave, and refuses a cursor of any other make", async () => {
    const { data } = local.store.forOrg("org_export");
    const first = await data.page(undefined);
    expect(await data.page(first?.next)).toEqual(await data.page(first?.next));
    for (const cursor of ["x", "%", "[]", "[99,null]", "[3,[{}]]", '[3,["a","b","c"]]', '[3,["a"]', "null"]) {
      expect(await data.page(cursor), cursor).toBeUndefined();
    }
  });
});

describe("a deletion", () => {
  it("leaves keys, settings and the audit log, which says what happened, and touches no other org", async () => {
    await fill("org_gone", 12, T0);
    const stranger = await rowsOf(local.connection, "org_stranger");
    const before = await rowsOf(local.connection, "org_gone");
    const erased = await local.store.forOrg("org_gone").data.erase(undefined, deed, always);
    expect(erased.done).toBe(true);
    const left = await rowsOf(local.connection, "org_gone");
    const { api_keys: keys, org_settings: settings, audit_log: log, ...rest } = left;
    expect(Object.values(rest).flat()).toEqual([]);
    expect({ keys, settings }).toEqual({ keys: before["api_keys"], settings: before["org_settings"] });
    expect(log).toHaveLength((before["audit_log"]?.length ?? 0) + 1);
    expect(JSON.stringify(log)).toContain("data.deleted");
    expect(erased.deleted).toEqual(Object.fromEntries(Object.keys(rest).map((name) => [name, before[name]?.length])));
    expect(await rowsOf(local.connection, "org_stranger")).toEqual(stranger);
  });

  it("by age takes what is older by the full hour, with all that belongs to it, and no present state", async () => {
    const org = "org_aged";
    await fill(org, 5, T0);
    await fill(org.concat("_new"), 1, T0);
    const young = await local.store.forOrg(org).data.erase(T0 + HOUR - 1, deed, always);
    expect(young).toEqual({ deleted: {}, done: true });
    const erased = await local.store.forOrg(org).data.erase(T0 + HOUR, deed, always);
    const left = sizes(await rowsOf(local.connection, org));
    for (const { table, kept, at } of ORG_TABLES) {
      const name = getTableName(table);
      expect([name, left[name] === 0], name).toEqual([name, !kept && at !== undefined]);
      expect([name, name in erased.deleted]).toEqual([name, !kept && at !== undefined]);
    }
  });

  it("by age leaves no attempt without its inference, also where one began after the border", async () => {
    const org = "org_border";
    const call = (id: string, startedAt: number, attemptAt: number) =>
      recordOf(anInference({ org, id, startedAt, attempts: [anAttempt({ id: `${id}_0`, startedAt: attemptAt })] }));
    await local.store.telemetry.insertInferences([call("old", T0 - 1, T0 + 5), call("new", T0, T0 - 5)]);
    await local.store.forOrg(org).data.erase(T0, deed, always);
    const { inferences, attempts } = await rowsOf(local.connection, org);
    expect(inferences).toMatchObject([{ id: "new" }]);
    expect(attempts).toMatchObject([{ inference: "new" }]);
  });

  it("goes in batches: stopped in between it says there is more, and goes on from there", async () => {
    const org = "org_many";
    await local.store.telemetry.insertInferences(
      Array.from({ length: 2_500 }, (_, index) =>
        recordOf(anInference({ org, id: `i${index}`, startedAt: T0 + index })),
      ),
    );
    const { data, inferences } = local.store.forOrg(org);
    const first = await data.erase(undefined, deed, () => false);
    expect(first).toMatchObject({ done: false, deleted: { inferences: 1_000 } });
    expect(await inferences.list({ limit: 5_000 }, undefined)).toHaveLength(1_500);
    expect(await data.erase(undefined, deed, always)).toMatchObject({ done: true, deleted: { inferences: 1_500 } });
    expect(Object.keys((await data.erase(undefined, deed, always)).deleted)).toEqual([]);
  });
});
