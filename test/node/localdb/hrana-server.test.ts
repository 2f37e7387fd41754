import { request } from "node:http";
import { type Client, createClient, LibsqlError } from "@libsql/client/web";
import { openHttp } from "@libsql/hrana-client";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LocalDatabase, localDatabase } from "../../support/hosts/local-database.ts";

let database: LocalDatabase;
let client: Client;

beforeAll(async () => {
  database = await localDatabase({ streamIdleMs: 300 });
  client = createClient({ ...database.connection, intMode: "bigint" });
});

afterAll(async () => {
  client.close();
  await database.remove();
});

beforeEach(async () => {
  await client.executeMultiple("drop table if exists t; create table t (id integer primary key, v any);");
});

async function code(work: Promise<unknown>): Promise<string> {
  const cause = await work.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  return cause instanceof LibsqlError ? cause.code : String(cause);
}

describe("values", () => {
  it("keeps every kind of value, at its limits", async () => {
    const values = [
      null,
      0n,
      2n ** 63n - 1n,
      -(2n ** 63n),
      2n ** 53n + 1n,
      1.5,
      0.1,
      5e-324,
      Number.MAX_VALUE,
      "",
      "ü 🦀 'quoted' \"twice\"",
    ];
    for (const [id, value] of values.entries()) {
      await client.execute({ sql: "insert into t values (?, ?)", args: [id, value] });
    }
    const { rows } = await client.execute("select v from t order by id");
    expect(rows.map((row) => row["v"])).toEqual(values);
  });

  it("carries whatever text, integer, float and bytes there are", async () => {
    const value = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom("a", "\0", "é") }),
      // The client writes -0 as 0.
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((float) => !Object.is(float, -0)),
      fc.uint8Array({ maxLength: 300 }),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async (values) => {
        const columns = values.map((_, index) => `? as c${index}`).join(", ");
        const { rows } = await client.execute({ sql: `select ${columns}`, args: values });
        const seen = values.map((_, index) => rows[0]?.[`c${index}`]);
        expect(seen.map(plain)).toEqual(values.map(plain));
      }),
      { numRuns: 100 },
    );
  });

  const plain = (value: unknown) =>
    value instanceof Uint8Array || value instanceof ArrayBuffer
      ? Buffer.from(value as ArrayBuffer).toString("hex")
      : value;

  it("answers infinities that SQL makes", async () => {
    const { rows } = await client.execute("select 9e999 as high, -9e999 as low");
    expect(rows[0]).toMatchObject({ high: Number.POSITIVE_INFINITY, low: Number.NEGATIVE_INFINITY });
  });

  it("binds by position, by number and by name", async () => {
    const numbered = await client.execute({ sql: "select ?2 as a, ?1 as b", args: ["one", "two"] });
    expect(numbered.rows[0]).toMatchObject({ a: "two", b: "one" });
    const named = await client.execute({ sql: "select :x as a, @y as b, $z as c", args: { x: "1", y: "2", z: "3" } });
    expect(named.rows[0]).toMatchObject({ a: "1", b: "2", c: "3" });
  });
});

describe("statements", () => {
  it("counts the rows it changed, and names the last row", async () => {
    const inserted = await client.execute("insert into t (v) values (1), (2), (3)");
    expect(inserted).toMatchObject({ rowsAffected: 3, lastInsertRowid: 3n });
    const updated = await client.execute("update t set v = 9 where id > 1 returning id");
    expect(updated.rowsAffected).toBe(2);
    expect(updated.rows.map((row) => row["id"])).toEqual([2n, 3n]);
    const big = await client.execute({ sql: "insert into t values (?, 0)", args: [2n ** 62n + 1n] });
    expect(big.lastInsertRowid).toBe(2n ** 62n + 1n);
  });

  it("answers columns with the same name, and their declared types", async () => {
    const result = await client.execute("select id as x, v as x, 1 from t");
    expect(result.columns).toEqual(["x", "x", "1"]);
    expect(result.columnTypes).toEqual(["INTEGER", "ANY", ""]);
  });

  it("names the engine's code for each kind of error", async () => {
    await client.execute("insert into t values (1, 1)");
    expect(await code(client.execute("insert into t values (1, 1)"))).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
    expect(await code(client.execute("selec"))).toBe("SQLITE_ERROR");
    expect(await code(client.execute("select * from nowhere"))).toBe("SQLITE_ERROR");
    expect(await code(client.execute("select 1; select 2"))).toBe("SQL_MANY_STATEMENTS");
    expect(await code(client.execute("  -- nothing"))).toBe("SQL_NO_STATEMENT");
  });

  it("takes a trailing semicolon, and semicolons inside text and triggers", async () => {
    expect((await client.execute("select ';' as a; -- done")).rows[0]).toMatchObject({ a: ";" });
    await client.execute("create trigger tr after insert on t begin update t set v = 0; select 1; end");
    await client.execute("insert into t values (1, 1)");
    expect((await client.execute("select v from t")).rows[0]).toMatchObject({ v: 0n });
  });

  it("runs a sequence to its first error", async () => {
    const failing = client.executeMultiple("insert into t values (1, 1); selec; insert into t values (2, 2);");
    expect(await code(failing)).toBe("SQLITE_ERROR");
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 1n });
  });
});

describe("batches", () => {
  it("applies all statements or none", async () => {
    await client.batch(["insert into t values (1, 1)", "insert into t values (2, 2)"], "write");
    const failing = client.batch(["insert into t values (3, 3)", "insert into t values (1, 1)"], "write");
    expect(await code(failing)).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 2n });
  });

  it("sends a repeated statement once and binds it anew each time", async () => {
    const statements = Array.from({ length: 50 }, (_, id) => ({ sql: "insert into t values (?, ?)", args: [id, id] }));
    await client.batch(statements, "write");
    expect((await client.execute("select sum(id) as n from t")).rows[0]).toMatchObject({ n: 1225n });
  });
});

describe("interactive transactions", () => {
  it("see their own writes, and nobody else does until they commit", async () => {
    const transaction = await client.transaction("write");
    await transaction.execute("insert into t values (1, 1)");
    expect((await transaction.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 1n });
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 0n });
    await transaction.commit();
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 1n });
  });

  it("leave nothing when rolled back", async () => {
    const transaction = await client.transaction("write");
    await transaction.execute("insert into t values (1, 1)");
    await transaction.rollback();
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 0n });
  });

  it("make another writer wait, not fail, and not the whole server stop", async () => {
    const transaction = await client.transaction("write");
    await transaction.execute("insert into t values (1, 1)");
    const waiting = client.execute("insert into t values (2, 2)");
    expect((await transaction.execute("select 1 as one")).rows[0]).toMatchObject({ one: 1n });
    await transaction.commit();
    await waiting;
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 2n });
  });

  it("expire when nobody goes on with them, and let the next writer in", async () => {
    const abandoned = await client.transaction("write");
    await abandoned.execute("insert into t values (1, 1)");
    await client.execute("insert into t values (2, 2)");
    expect((await client.execute("select id from t")).rows.map((row) => row["id"])).toEqual([2n]);
    expect(await code(abandoned.execute("select 1"))).toBe("STREAM_EXPIRED");
  });

  it("lose no update when two writers count at once", async () => {
    await client.execute("insert into t values (1, 0)");
    const add = async () => {
      const transaction = await client.transaction("write");
      const { rows } = await transaction.execute("select v from t where id = 1");
      const next = (rows[0]?.["v"] as bigint) + 1n;
      await transaction.execute({ sql: "update t set v = ? where id = 1", args: [next] });
      await transaction.commit();
    };
    await Promise.all(Array.from({ length: 20 }, add));
    expect((await client.execute("select v from t")).rows[0]).toMatchObject({ v: 20n });
  });

  it("wait for each other where a deferred batch begins with a write", async () => {
    const insert = (id: number) =>
      client.batch(
        [{ sql: "insert into t values (?, 0)", args: [id] }, "update t set v = v + 1 where id > 0"],
        "deferred",
      );
    await Promise.all(Array.from({ length: 40 }, (_, i) => insert(i + 1)));
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 40n });
  });
});

describe("the protocol beyond the client's daily use", () => {
  const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${database.connection.url}${path}`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${database.connection.authToken}`, ...headers },
    });

  it("describes a statement", async () => {
    const hrana = openHttp(database.connection.url, database.connection.authToken);
    const stream = hrana.openStream();
    const select = await stream.describe("select id, v as x from t where id = ? and v = :v and '?' <> '' -- ?");
    expect(select.paramNames).toEqual([undefined, ":v"]);
    expect(select.columns.map(({ name }) => name)).toEqual(["id", "x"]);
    expect(select).toMatchObject({ isReadonly: true, isExplain: false });
    expect(await stream.describe("delete from t")).toMatchObject({ isReadonly: false });
    expect(await stream.describe("with a as (select 1) select replace('update', 'a', 'b') from a")).toMatchObject({
      isReadonly: true,
    });
    expect(await stream.describe("with a as (select 1) insert into t select 1, 1 from a")).toMatchObject({
      isReadonly: false,
    });
    expect(await stream.describe("explain delete from t")).toMatchObject({ isExplain: true, isReadonly: true });
    hrana.close();
  });

  it("tells whether a transaction is open, on version 3", async () => {
    const requests = [
      { type: "get_autocommit" },
      { type: "execute", stmt: { sql: "begin" } },
      { type: "get_autocommit" },
      { type: "close" },
    ];
    const answer = (await (await call("/v3/pipeline", { requests })).json()) as {
      baton: null;
      results: { response: { is_autocommit?: boolean } }[];
    };
    expect(answer.baton).toBeNull();
    expect(answer.results.map(({ response }) => response.is_autocommit)).toEqual([true, undefined, false, undefined]);
  });

  it("runs the steps of a batch whose conditions hold", async () => {
    const stmt = (sql: string) => ({ sql });
    const steps = [
      { stmt: stmt("insert into t values (1, 1)") },
      { stmt: stmt("insert into t values (1, 1)"), condition: { type: "ok", step: 0 } },
      { stmt: stmt("insert into t values (2, 2)"), condition: { type: "ok", step: 1 } },
      { stmt: stmt("insert into t values (3, 3)"), condition: { type: "error", step: 1 } },
      {
        stmt: stmt("insert into t values (4, 4)"),
        condition: {
          type: "and",
          conds: [{ type: "is_autocommit" }, { type: "not", cond: { type: "or", conds: [] } }],
        },
      },
    ];
    const answer = (await (
      await call("/v2/pipeline", { requests: [{ type: "batch", batch: { steps } }, { type: "close" }] })
    ).json()) as {
      results: { response: { result: { step_results: unknown[]; step_errors: ({ code: string } | null)[] } } }[];
    };
    const result = answer.results[0]?.response.result;
    expect(result?.step_results.map((step) => step !== null)).toEqual([true, false, false, true, true]);
    expect(result?.step_errors.map((error) => error?.code)).toEqual([
      undefined,
      "SQLITE_CONSTRAINT_PRIMARYKEY",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("takes a baton once", async () => {
    const { baton } = (await (await call("/v2/pipeline", { requests: [] })).json()) as { baton: string };
    expect((await call("/v2/pipeline", { baton, requests: [{ type: "close" }] })).status).toBe(200);
    expect((await call("/v2/pipeline", { baton, requests: [] })).status).toBe(400);
  });

  it("refuses a body that is not Hrana, and executes none of it", async () => {
    const bodies = [
      "not json",
      "[]",
      {},
      { requests: [{ type: "execute", stmt: { sql: "insert into t values (1, 1)" } }, { type: "unknown" }] },
      {
        requests: [
          { type: "execute", stmt: { sql: "select ?", args: [{ type: "integer", value: "9223372036854775808" }] } },
        ],
      },
      { requests: [{ type: "execute", stmt: { sql: "select ?", args: [{ type: "boolean", value: true }] } }] },
      { requests: [{ type: "execute", stmt: { sql_id: 7 } }] },
    ];
    for (const body of bodies) expect((await call("/v2/pipeline", body)).status).toBe(400);
    expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 0n });
  });

  it("refuses a wrong token, a missing token and another path", async () => {
    const wrong = createClient({ url: database.connection.url, authToken: "wrong" });
    expect(await code(wrong.execute("select 1"))).toBe("UNAUTHORIZED");
    const none = createClient({ url: database.connection.url });
    expect(await code(none.execute("select 1"))).toBe("UNAUTHORIZED");
    expect((await call("/v1/execute", {})).status).toBe(404);
  });

  it("refuses a foreign Host, as a rebound name would send it", async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { host: "attacker.example", authorization: `Bearer ${database.connection.authToken}` };
      request(
        { port: database.server.port, host: "127.0.0.1", path: "/v2/pipeline", method: "POST", headers },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      )
        .on("error", reject)
        .end(JSON.stringify({ requests: [] }));
    });
    expect(status).toBe(403);
  });

  it("is not locked out of its own tables by an explained statement or a lock that lasted too long", async () => {
    await client.execute("explain select * from t");
    const holder = await client.transaction("write");
    await holder.execute("insert into t values (1, 1)");
    const keepAlive = setInterval(() => void holder.execute("select 1").catch(() => undefined), 100);
    expect(await code(client.execute("insert into t values (2, 2)"))).toBe("SQLITE_BUSY");
    clearInterval(keepAlive);
    await holder.rollback();
    for (let again = 0; again < 12; again += 1) {
      await client.executeMultiple("drop table t; create table t (id integer primary key, v any);");
    }
  });

  it("lets no setting of one stream reach the next", async () => {
    await client.execute("pragma foreign_keys = off");
    await client.execute("create temp table mine (a)");
    for (let again = 0; again < 5; again += 1) {
      expect((await client.execute("pragma foreign_keys")).rows[0]).toMatchObject({ foreign_keys: 1n });
      expect(await code(client.execute("select * from mine"))).toBe("SQLITE_ERROR");
    }
  });
});
