import { createClient } from "@libsql/client/web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MigrationError, migrate, pendingMigrations } from "../../../src/store/database/migrate.ts";
import { SCHEMA_VERSION } from "../../../src/store/database/schema.ts";
import { openStore } from "../../../src/store/store.ts";
import { type LocalDatabase, localDatabase, releasedMigrations } from "../../support/hosts/local-database.ts";

let database: LocalDatabase;
beforeEach(async () => {
  database = await localDatabase();
});
afterEach(() => database.remove());

const names = (migrations: readonly { name: string }[]) => migrations.map(({ name }) => name);

async function tables(): Promise<unknown[]> {
  const client = createClient(database.connection);
  const { rows } = await client.execute("select name from sqlite_schema where type = 'table' order by name");
  client.close();
  return rows.map((row) => row["name"]);
}

async function refusal(work: Promise<unknown>): Promise<MigrationError> {
  const thrown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(thrown instanceof MigrationError)) throw new Error(`not a migration error: ${thrown}`);
  return thrown;
}

describe("migrations", () => {
  it("end at the version the code was built for", () => {
    expect(names(releasedMigrations()).at(-1)).toBe(SCHEMA_VERSION);
  });

  it("are applied once, however often they are asked for", async () => {
    const released = releasedMigrations();
    expect(await pendingMigrations(database.connection, released)).toEqual(names(released));
    expect(await tables()).toEqual([]);
    expect(await migrate(database.connection, released)).toEqual(names(released));
    const made = await tables();
    expect(made).toContain("inferences");
    expect(await migrate(database.connection, released)).toEqual([]);
    expect(await pendingMigrations(database.connection, released)).toEqual([]);
    expect(await tables()).toEqual(made);
  });

  it("bring a database of every earlier version to this one", async () => {
    const released = releasedMigrations();
    for (let done = 1; done <= released.length; done += 1) {
      expect(await migrate(database.connection, released.slice(0, done))).toEqual([released[done - 1]?.name]);
    }
    const store = openStore(database.connection);
    expect(await store.schema()).toEqual({ state: "current", version: SCHEMA_VERSION });
    store.close();
  });

  it("are applied once by many processes at the same time", async () => {
    const released = releasedMigrations();
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(database.connection, released)));
    expect(applied.flat().sort()).toEqual(names(released).sort());
  });

  it("leave nothing of one that fails, and keep those before it", async () => {
    const broken = [
      { name: "0000_one", sql: "create table one (a);" },
      { name: "0001_two", sql: "create table two (a);\n--> statement-breakpoint\ninsert into nowhere values (1);" },
    ];
    const error = await refusal(migrate(database.connection, broken));
    expect(error.reason).toBe("failed");
    expect(error.message).toMatch(/0001_two.*nowhere/);
    expect(await tables()).toEqual(["modelrig_migrations", "one"]);
    const mended = [broken[0]!, { name: "0001_two", sql: "create table two (a);" }];
    expect(await migrate(database.connection, mended)).toEqual(["0001_two"]);
  });

  it("refuse a database of a newer version", async () => {
    const released = releasedMigrations();
    await migrate(database.connection, [...released, { name: "9999_later", sql: "create table later (a);" }]);
    expect((await refusal(migrate(database.connection, released))).reason).toBe("newer_database");
    expect((await refusal(pendingMigrations(database.connection, released))).message).toContain("9999_later");
    const store = openStore(database.connection);
    expect(await store.schema()).toMatchObject({ state: "ahead", version: "9999_later" });
    store.close();
  });

  it("refuse a file that was edited after it was applied, and forgive line endings", async () => {
    const [one] = [{ name: "0000_one", sql: "create table one (\n a\n);" }];
    await migrate(database.connection, [one]);
    const checkedOut = { ...one, sql: one.sql.replaceAll("\n", "\r\n") };
    expect(await migrate(database.connection, [checkedOut])).toEqual([]);
    const edited = { ...one, sql: "create table one (a, b);" };
    expect((await refusal(migrate(database.connection, [edited]))).reason).toBe("edited_migration");
  });
});

describe("the Worker's look at the schema", () => {
  it("tells an empty database and an older one from a current one", async () => {
    const store = openStore(database.connection);
    expect(await store.schema()).toEqual({ state: "behind", version: undefined, expected: SCHEMA_VERSION });
    await migrate(database.connection, [{ name: "0000_init", sql: "create table one (a);" }]);
    expect(await store.schema()).toMatchObject({ state: "behind", version: "0000_init" });
    store.close();
  });
});
