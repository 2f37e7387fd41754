import { createClient as httpClient } from "@libsql/client/http";
import { type Client, createClient as webClient } from "@libsql/client/web";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LocalDatabase, localDatabase } from "../../support/hosts/local-database.ts";

let database: LocalDatabase;
let clients: Readonly<Record<"http" | "web", Client>>;

beforeAll(async () => {
  database = await localDatabase();
  const options = { ...database.connection, intMode: "bigint" } as const;
  clients = { http: httpClient(options), web: webClient(options) };
});
afterAll(async () => {
  for (const client of Object.values(clients)) client.close();
  await database.remove();
});
beforeEach(async () => {
  await clients.web.executeMultiple("drop table if exists t; create table t (id integer primary key, v any);");
});

async function post(path: string, body: unknown): Promise<Response> {
  return await fetch(`${database.connection.url}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${database.connection.authToken}` },
  });
}

describe.each(["http", "web"] as const)("@libsql/client over %s", (kind) => {
  it.each([
    ["no argument", { sql: "select ?", args: [] }],
    ["one too few", { sql: "select ?, ?", args: [1] }],
    ["one too many", { sql: "select ?", args: [1, 2] }],
    ["an argument where there is no parameter", { sql: "select 1", args: [1] }],
    ["a name that is not there", { sql: "select :a", args: { b: 1 } }],
    ["a name too many", { sql: "select :a", args: { a: 1, b: 2 } }],
    ["another prefix", { sql: "select :a", args: { "@a": 1 } }],
    ["a bare name that two parameters have", { sql: "select :a, @a", args: { a: 1 } }],
  ])("refuses %s", async (_what, statement) => {
    await expect(clients[kind].execute(statement)).rejects.toMatchObject({ code: "ARGS_INVALID" });
  });

  it("tells parameters apart by their prefix, and leaves text and comments alone", async () => {
    const sql = "select :a as x, @a as y, $a as z, ':b' as w -- ?";
    const { rows } = await clients[kind].execute({ sql, args: { ":a": 1, "@a": 2, $a: null } });
    expect({ ...rows[0] }).toMatchObject({ x: 1, y: 2, z: null, w: ":b" });
  });

  it("keeps U+0000 in text, read, stored, and returned by what it changed", async () => {
    const text = "a\0b\0";
    const insert = { sql: "insert into t values (1, ?) returning v, id as n, upper(v) as u", args: [text] };
    expect({ ...(await clients[kind].execute(insert)).rows[0] }).toMatchObject({ v: text, n: 1n });
    expect((await clients[kind].execute("select * from t")).rows[0]).toMatchObject({ v: text });
    expect((await clients[kind].execute({ sql: "select ? as v", args: [text] })).rows[0]).toMatchObject({ v: text });
  });

  it.each([
    ["an insert on its own", "insert into t values (1, cast(x'ff' as text)) returning v", []],
    [
      "an insert with a parameter in its answer",
      "insert into t values (1, 2) returning ? || cast(x'ff' as text)",
      ["a"],
    ],
    ["an update", "update t set v = cast(x'ff' as text) returning v", []],
  ])("undoes %s whose answer is not UTF-8", async (_what, sql, args) => {
    await clients[kind].execute("insert into t values (9, 'kept')");
    await expect(clients[kind].execute({ sql, args })).rejects.toMatchObject({ code: "TEXT_NOT_UTF8" });
    const { rows } = await clients[kind].execute("select * from t");
    expect(rows.map((row) => ({ ...row }))).toEqual([{ id: 9n, v: "kept" }]);
  });

  it("returns what parameters say, wherever they are in an answer", async () => {
    const sql = "insert into t values (?2, ?) returning ? as a, ?2 as b, :n as c, v as d";
    // The engine numbers a plain parameter one above the highest before it.
    const args = [7, 1, "v", "a", "n"];
    expect({ ...(await clients[kind].execute({ sql, args })).rows[0] }).toMatchObject({
      a: "a",
      b: 1,
      c: "n",
      d: "v",
    });
  });

  it("runs a script with triggers, text that is not UTF-8 and comments, up to its first error", async () => {
    await clients[kind].executeMultiple(`
      drop table if exists u; create table u (a); -- ; not an end
      create temp trigger tr after insert on t when case new.v when ';' then 0 else 1 end begin
        insert into u values (case when new.id > 1 then 'more' else 'one' end);
        insert into u values (';end');
      end;
      insert into t values (1, 'a'), (2, ';');
    `);
    const { rows } = await clients[kind].execute("select a from u");
    expect(rows.map(({ a }) => a)).toEqual(["one", ";end"]);
    const script = "insert into u values (3); select cast(x'ff' as text); insert into u values (4)";
    await expect(clients[kind].executeMultiple(script)).rejects.toMatchObject({ code: "TEXT_NOT_UTF8" });
    expect((await clients[kind].execute("select count(*) as n from u")).rows[0]).toMatchObject({ n: 3n });
  });

  it("sees at once what another stream did to the schema", async () => {
    const holder = await clients[kind].transaction("read");
    await Promise.all(Array.from({ length: 4 }, () => clients[kind].execute("select * from t")));
    await clients[kind].execute("alter table t add column added text default 'new'");
    await clients[kind].execute("insert into t (id) values (7)");
    for (let again = 0; again < 6; again += 1) {
      const { columns, rows } = await clients[kind].execute("select * from t");
      expect(columns).toEqual(["id", "v", "added"]);
      expect(rows[0]).toMatchObject({ id: 7n, added: "new" });
      await clients[kind].execute({ sql: "insert into t values (?, null, 'x')", args: [100 + again] });
    }
    holder.close();
  });
});

describe("a cursor", () => {
  const lines = async (response: Response): Promise<unknown[]> =>
    (await response.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);

  it("is offered with version 3, and answers a batch entry by entry", async () => {
    expect((await fetch(`${database.connection.url}/v3`)).status).toBe(200);
    const steps = [
      { stmt: { sql: "insert into t values (1, 'a'), (2, x'00ff')" } },
      { stmt: { sql: "select id, v from t" }, condition: { type: "ok", step: 0 } },
      { stmt: { sql: "select * from nowhere" } },
      { stmt: { sql: "select 1" }, condition: { type: "ok", step: 2 } },
    ];
    const [head, ...entries] = await lines(await post("/v3/cursor", { batch: { steps } }));
    expect(head).toMatchObject({ baton: expect.any(String), base_url: null });
    expect(entries).toMatchObject([
      { type: "step_begin", step: 0, cols: [] },
      { type: "step_end", affected_row_count: 2, last_insert_rowid: "2" },
      { type: "step_begin", step: 1, cols: [{ name: "id" }, { name: "v" }] },
      {
        type: "row",
        row: [
          { type: "integer", value: "1" },
          { type: "text", value: "a" },
        ],
      },
      {
        type: "row",
        row: [
          { type: "integer", value: "2" },
          { type: "blob", base64: "AP8=" },
        ],
      },
      { type: "step_end", affected_row_count: 0, rows_read: 2 },
      { type: "step_error", step: 2, error: { code: "SQLITE_ERROR" } },
    ]);
  });

  it("goes on with the stream of a pipeline, and the pipeline with it", async () => {
    const begin = { requests: [{ type: "execute", stmt: { sql: "begin" } }] };
    const first = (await (await post("/v3/pipeline", begin)).json()) as { baton: string };
    const steps = [{ stmt: { sql: "insert into t values (1, 1)" } }];
    const [head] = await lines(await post("/v3/cursor", { baton: first.baton, batch: { steps } }));
    const { baton } = head as { baton: string };
    const end = { baton, requests: [{ type: "execute", stmt: { sql: "rollback" } }, { type: "close" }] };
    expect((await post("/v3/pipeline", end)).status).toBe(200);
    expect((await clients.web.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: 0n });
  });

  it("is refused where its body is none", async () => {
    for (const body of [{}, [], { batch: {} }, { batch: { steps: [{ stmt: { sql: "select '\ud800'" } }] } }])
      expect((await post("/v3/cursor", body)).status).toBe(400);
  });
});

describe("a statement's result", () => {
  it("counts rows and time, and a pragma that only looks is read-only", async () => {
    const requests = [
      { type: "execute", stmt: { sql: "insert into t values (1, 1), (2, 2)" } },
      { type: "execute", stmt: { sql: "select * from t" } },
      { type: "describe", sql: "pragma table_info(t)" },
      { type: "describe", sql: "pragma main.index_list('t')" },
      { type: "describe", sql: "pragma user_version = 3" },
      { type: "close" },
    ];
    const answer = (await (await post("/v3/pipeline", { requests })).json()) as {
      results: { response: { result: Record<string, unknown> } }[];
    };
    const [written, read, ...described] = answer.results.map(({ response }) => response.result);
    expect(written).toMatchObject({ rows_written: 2, rows_read: 0, query_duration_ms: expect.any(Number) });
    expect(read).toMatchObject({ rows_written: 0, rows_read: 2 });
    expect(described.slice(0, 3).map((result) => result?.["is_readonly"])).toEqual([true, true, false]);
  });
});

describe("a request against the protocol", () => {
  const execute = (stmt: object) => ({ requests: [{ type: "execute", stmt }] });

  it.each([
    ["a blob that is not base64", execute({ sql: "select ?", args: [{ type: "blob", base64: "!!!*" }] })],
    ["a blob of one digit", execute({ sql: "select ?", args: [{ type: "blob", base64: "A" }] })],
    ["a number as integer", execute({ sql: "select ?", args: [{ type: "integer", value: 1 }] })],
    ["an integer of 65 bits", execute({ sql: "select ?", args: [{ type: "integer", value: "9223372036854775808" }] })],
    ["arguments that are no list", execute({ sql: "select 1", args: "a" })],
    ["names that are no list", execute({ sql: "select 1", named_args: {} })],
    ["a statement told twice", execute({ sql: "select 1", sql_id: 1 })],
    ["a baton that is no text", { baton: 5, ...execute({ sql: "select 1" }) }],
    [
      "a condition on a step to come",
      {
        requests: [
          { type: "batch", batch: { steps: [{ condition: { type: "ok", step: 0 }, stmt: { sql: "select 1" } }] } },
        ],
      },
    ],
  ])("is refused as such: %s", async (_what, body) => {
    const response = await post("/v3/pipeline", body);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: "HRANA_PROTO_ERROR" }),
    ]);
  });

  it("reads base64 in both alphabets, with and without padding", async () => {
    for (const base64 of ["+/8=", "-_8=", "+/8"]) {
      const response = await post("/v3/pipeline", execute({ sql: "select hex(?)", args: [{ type: "blob", base64 }] }));
      expect(await response.text()).toContain("FBFF");
    }
  });
});
