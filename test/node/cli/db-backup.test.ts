import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type InValue } from "@libsql/client/web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { main } from "../../../src/cli/main.ts";
import { migrate } from "../../../src/store/database/migrate.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { type LocalDatabase, localDatabase, releasedMigrations } from "../../support/hosts/local-database.ts";

let folder: string;
let from: LocalDatabase;
let to: LocalDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-backup-"));
  [from, to] = await Promise.all([localDatabase(), localDatabase()]);
});
afterEach(async () => {
  await Promise.all([from.remove(), to.remove()]);
  rmSync(folder, { recursive: true, force: true });
});

async function db(command: string, database: LocalDatabase) {
  const { url, authToken } = database.connection;
  const io = fakeIo({ cwd: folder, env: { TURSO_DATABASE_URL: url, TURSO_AUTH_TOKEN: authToken } });
  const exit = await main(["db", ...command.split(" ")], io);
  return { exit, out: io.out(), err: io.err() };
}

async function withClient<T>(
  database: LocalDatabase,
  work: (client: ReturnType<typeof createClient>) => Promise<T>,
): Promise<T> {
  const client = createClient({ ...database.connection, intMode: "bigint" });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** Awkward values, in turn: what a column's type does not allow, its affinity makes of it in both databases alike. */
const VALUES: readonly InValue[] = [
  "text",
  "",
  "zwölf 🦀 \u2028 \u0001 \"'\\ \r\n\ttab",
  "123",
  0,
  -1.5,
  1e300,
  0.1,
  2n ** 62n,
  -(2n ** 63n),
  9_007_199_254_740_993n,
  new Uint8Array([0, 255, 10, 13, 34]),
  new Uint8Array(),
  null,
];

/** Fills every table there is with rows of such values. */
async function fill(database: LocalDatabase, rows: number): Promise<void> {
  await migrate(database.connection, releasedMigrations());
  await withClient(database, async (client) => {
    let turn = 0;
    for (const table of await tables(client)) {
      const { rows: columns } = await client.execute(`pragma table_info("${table}")`);
      const args = (index: number): InValue[] =>
        columns.map((column) => {
          turn += 1;
          if (Number(column["pk"]) > 0)
            return column["type"] === "INTEGER" ? BigInt(index + 1) : `${column["name"]} ${index} é`;
          const value = VALUES[turn % VALUES.length] ?? null;
          // A unique column would refuse the second of two equal values.
          if (["bakeoff", "hash", "slug", "trigger_hash", "proposal"].includes(String(column["name"])))
            return `u${turn}`;
          return value === null && Number(column["notnull"]) > 0 ? "not null" : value;
        });
      await client.batch(
        Array.from({ length: rows }, (_, index) => ({
          sql: `insert into "${table}" values (${columns.map(() => "?").join(", ")})`,
          args: args(index),
        })),
        "write",
      );
    }
  });
}

async function tables(client: ReturnType<typeof createClient>): Promise<string[]> {
  const { rows } = await client.execute(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name <> 'modelrig_migrations' order by name",
  );
  return rows.map((row) => String(row["name"]));
}

/** Every cell with its storage class, so that 1 and 1.0 and '1' differ. */
async function content(database: LocalDatabase): Promise<unknown> {
  return await withClient(database, async (client) => {
    const all: Record<string, unknown> = {};
    for (const table of await tables(client)) {
      const { columns } = await client.execute(`select * from "${table}" limit 0`);
      const cells = columns.map((name) => `typeof("${name}") || ' ' || quote("${name}")`);
      const { rows } = await client.execute(`select ${cells.join(", ")} from "${table}" order by rowid`);
      all[table] = rows.map((row) => Array.from({ length: columns.length }, (_, index) => row[index]));
    }
    const { rows } = await client.execute(
      "select type, name, sql from sqlite_schema where name not like 'sqlite%' order by type, name",
    );
    return { all, schema: rows.map((row) => [row[0], row[1], row[2]]) };
  });
}

describe("a backup", () => {
  it.each(["b.jsonl", "b.jsonl.gz"])("brings every cell of every table back, as %s", async (file) => {
    await fill(from, 25);
    expect(await db(`backup ${file}`, from)).toMatchObject({ exit: EXIT.done });
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const restored = await db(`restore ${file}`, to);
    expect(restored).toMatchObject({ exit: EXIT.done });
    const before = (await content(from)) as { all: Record<string, unknown[]> };
    expect(Object.values(before.all).every((rows) => rows.length === 25)).toBe(true);
    expect(await content(to)).toEqual(before);
    // What is restored is migrated as any other database.
    expect((await db("migrate --dry-run", to)).err).toContain("up to date");
  });

  it("holds one moment, though rows are written meanwhile", async () => {
    await fill(from, 30);
    const before = await content(from);
    const [backup] = await Promise.all([
      db("backup b.jsonl", from),
      withClient(from, async (client) => {
        for (let index = 1_000; index < 1_040; index += 1)
          await client.execute({ sql: "insert into stale_hours values (?, ?)", args: ["late", index] });
      }),
    ]);
    expect(backup.exit).toBe(EXIT.done);
    await db("restore b.jsonl", to);
    // As many late rows as the moment had: those of a beginning, with none missing between.
    const late = await withClient(to, async (client) =>
      (await client.execute("select hour from stale_hours where org = 'late' order by hour")).rows.map((row) =>
        Number(row[0]),
      ),
    );
    expect(late).toEqual(late.map((_, index) => 1_000 + index));
    await withClient(to, (client) => client.execute("delete from stale_hours where org = 'late'"));
    expect(await content(to)).toEqual(before);
  });

  it("of an empty database can be restored too; of one without a schema there is none", async () => {
    expect(await db("backup b.jsonl", from)).toMatchObject({ exit: EXIT.no });
    expect(existsSync(join(folder, "b.jsonl"))).toBe(false);
    await migrate(from.connection, releasedMigrations());
    expect((await db("backup b.jsonl", from)).exit).toBe(EXIT.done);
    expect((await db("restore b.jsonl", to)).exit).toBe(EXIT.done);
    expect(await content(to)).toEqual(await content(from));
  });

  it("of an earlier version is restored as that version, and migrated afterwards", async () => {
    await migrate(from.connection, releasedMigrations().slice(0, 1));
    await withClient(from, (client) =>
      client.execute("insert into orgs (id, slug, created_at) values ('o', 'acme', 1)"),
    );
    await db("backup b.jsonl", from);
    expect((await db("restore b.jsonl", to)).out).toContain("modelrig db migrate");
    expect((await db("migrate", to)).exit).toBe(EXIT.done);
    const { rows } = await withClient(to, (client) => client.execute("select slug from orgs"));
    expect(rows).toMatchObject([{ slug: "acme" }]);
  });

  it("does not replace a file unless told to", async () => {
    await migrate(from.connection, releasedMigrations());
    writeFileSync(join(folder, "b.jsonl"), "mine");
    expect(await db("backup b.jsonl", from)).toMatchObject({ exit: EXIT.usage });
    expect(readFileSync(join(folder, "b.jsonl"), "utf8")).toBe("mine");
    expect((await db("backup b.jsonl --force", from)).exit).toBe(EXIT.done);
  });
});

describe("a restore", () => {
  it("refuses a database that is not empty, and with --force leaves nothing of what was there", async () => {
    await fill(from, 3);
    await db("backup b.jsonl", from);
    await fill(to, 5);
    const before = await content(to);
    const refused = await db("restore b.jsonl", to);
    expect(refused).toMatchObject({ exit: EXIT.no });
    expect(refused.err).toContain("--force");
    expect(await content(to)).toEqual(before);
    expect((await db("restore b.jsonl --force", to)).exit).toBe(EXIT.done);
    expect(await content(to)).toEqual(await content(from));
  });

  it("touches nothing for a file that is cut short, changed, or no backup", async () => {
    await fill(from, 20);
    await db("backup b.jsonl", from);
    await db("backup z.jsonl.gz", from);
    await fill(to, 2);
    const before = await content(to);
    const text = readFileSync(join(folder, "b.jsonl"), "utf8");
    const lines = text.trimEnd().split("\n");
    const bad: Record<string, string | Buffer> = {
      "cut.jsonl": text.slice(0, text.length / 2),
      "no-seal.jsonl": `${lines.slice(0, -1).join("\n")}\n`,
      "row-gone.jsonl": `${lines.toSpliced(5, 1).join("\n")}\n`,
      "changed.jsonl": text.replace(" 1 é", " 2 é"),
      "other.jsonl": '{"schema":"modelrig.keys/1"}\n',
      "empty.jsonl": "",
      "cut.jsonl.gz": readFileSync(join(folder, "z.jsonl.gz")).subarray(0, 900),
      "no.jsonl.gz": "not packed",
    };
    for (const [name, body] of Object.entries(bad)) {
      writeFileSync(join(folder, name), body);
      expect([name, (await db(`restore ${name} --force`, to)).exit]).toEqual([name, EXIT.no]);
    }
    expect(await content(to)).toEqual(before);
  });

  it("of a version that is not known here is refused", async () => {
    await migrate(from.connection, releasedMigrations());
    await withClient(from, (client) =>
      client.execute("insert into modelrig_migrations values (99, '9999_future', 'x', 1)"),
    );
    await db("backup b.jsonl", from);
    const refused = await db("restore b.jsonl", to);
    expect(refused).toMatchObject({ exit: EXIT.no });
    expect(refused.err).toContain("9999_future");
  });
});
