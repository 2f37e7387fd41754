import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient, LibsqlError } from "@libsql/client/web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LocalDatabase, localDatabase } from "../../support/hosts/local-database.ts";

/** What EXPLAIN answers cannot be guarded: the library ends the process over this text. */
const CRASHING = "explain select 1 where 'a' = cast(x'ff' as text)";
/** Runs until it is interrupted. */
const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

let database: LocalDatabase;
let client: Client;
let log: string[];

beforeEach(async () => {
  log = [];
  database = await localDatabase({ requestLimitMs: 1_500, log: (line) => log.push(line) });
  client = createClient({ ...database.connection, intMode: "bigint" });
  await client.execute("create table t (id integer primary key, v any)");
});

afterEach(async () => {
  client.close();
  await database.remove();
});

async function code(work: Promise<unknown>): Promise<string> {
  const cause = await work.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  return cause instanceof LibsqlError ? cause.code : String(cause);
}

async function ids(): Promise<unknown[]> {
  return (await client.execute("select id from t order by id")).rows.map((row) => row["id"]);
}

describe("text that is not UTF-8", () => {
  it.each([
    "select cast(x'ff' as text)",
    `select json_extract('{"a":"\\ud800"}', '$.a')`,
    "select char(0xd800)",
    "select x'c328' || ''",
    "select printf('%s', x'80')",
    "select group_concat(x'ff')",
    "select substr(cast(x'e282ac' as text), 1) || cast(x'e2' as text)",
    "values (cast(x'ff' as text))",
    "with a as (select cast(x'fe' as text) as b) select b from a",
    "select v from (select cast(x'ff' as text) as v union all select 'a') order by v",
    "insert into t values (1, cast(x'ff' as text)) returning v",
  ])("is a typed error of the statement %s, and ends nothing", async (sql) => {
    expect(await code(client.execute(sql))).toBe("TEXT_NOT_UTF8");
    expect((await client.execute("select 1 as one")).rows[0]).toMatchObject({ one: 1n });
    expect(log).toEqual([]);
  });

  it("is read as bytes where it was stored", async () => {
    await client.execute("insert into t values (1, cast(x'61ff' as text))");
    const { rows } = await client.execute(
      "select cast(v as blob) as bytes, hex(v) as digits, typeof(v) as kind from t",
    );
    expect(Buffer.from(rows[0]?.["bytes"] as ArrayBuffer).toString("hex")).toBe("61ff");
    expect(rows[0]).toMatchObject({ digits: "61FF", kind: "text" });
  });
});

describe("an end of the engine's process", () => {
  it("is an error of the request in flight, is said, and loses nothing that was acknowledged", async () => {
    await client.execute("insert into t values (1, 1)");
    await client.batch(["insert into t values (2, 2)", "insert into t values (3, 3)"], "write");
    await endProcess();
    expect(await ids()).toEqual([1n, 2n, 3n]);
    expect(log.join("\n")).toContain("is started again");
  });

  it("leaves a transaction that was open with an error that says so, and its changes undone", async () => {
    const transaction = await client.transaction("write");
    await transaction.execute("insert into t values (1, 1)");
    await endProcess();
    expect(await code(transaction.execute("insert into t values (2, 2)"))).toBe("STREAM_LOST");
    expect(await ids()).toEqual([]);
    await client.execute("insert into t values (3, 3)");
    expect(await ids()).toEqual([3n]);
  });

  it("gives a request that had not begun to the next process", async () => {
    const endless = code(client.execute(ENDLESS));
    await pause(300);
    const waiting = client.execute("insert into t values (1, 1)");
    expect(await endless).toBe("SQL_TIMEOUT");
    await waiting;
    expect(await ids()).toEqual([1n]);
  });

  it("happens as often as it likes", async () => {
    for (let again = 1n; again <= 4n; again += 1n) {
      await endProcess();
      await client.execute({ sql: "insert into t values (?, 0)", args: [again] });
    }
    expect(await ids()).toEqual([1n, 2n, 3n, 4n]);
  });

  async function endProcess(): Promise<void> {
    expect(await code(client.execute(CRASHING))).toBe("DATABASE_RESTARTED");
  }
});

describe("a statement whose client has left", () => {
  it("is interrupted, and the database answers others", async () => {
    const impatient = createClient({
      ...database.connection,
      fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(200) }),
    });
    await expect(impatient.execute(ENDLESS)).rejects.toThrow();
    expect((await client.execute("select 1 as one")).rows[0]).toMatchObject({ one: 1n });
    expect(log).toHaveLength(1);
    impatient.close();
  });
});
