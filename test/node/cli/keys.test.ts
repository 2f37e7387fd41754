import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { hashKey, isWellFormedKey } from "../../../src/identity/key.ts";
import { openStore } from "../../../src/store/store.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { type LocalDatabase, localDatabase } from "../../support/hosts/local-database.ts";

let database: LocalDatabase;
let cwd: string;
beforeEach(async () => {
  database = await localDatabase();
  cwd = mkdtempSync(join(tmpdir(), "modelrig-keys-"));
});
afterEach(async () => {
  await database.remove();
  rmSync(cwd, { recursive: true, force: true });
});

async function modelrig(args: string, env?: Record<string, string>) {
  const io = fakeIo({
    cwd,
    env: env ?? { TURSO_DATABASE_URL: database.connection.url, TURSO_AUTH_TOKEN: database.connection.authToken },
  });
  const exit = await main(args.split(" "), io);
  return { exit, out: io.out(), err: io.err(), json: () => JSON.parse(io.out()) as Record<string, unknown> };
}

async function principal(key: string) {
  const store = openStore(database.connection);
  const found = await store.keys.findByHash(await hashKey(key));
  store.close();
  return found;
}

describe("modelrig db migrate", () => {
  it("names what it would do, does it, and then has nothing to do", async () => {
    const dry = await modelrig("db migrate --dry-run");
    expect(dry.out).toMatch(/^would apply 0000_init$/m);
    expect((await modelrig("keys list")).err).toContain("modelrig db migrate");
    expect((await modelrig("db migrate --json")).json()).toMatchObject({
      schema: "modelrig.migrate/1",
      dry_run: false,
    });
    const again = await modelrig("db migrate");
    expect(again).toMatchObject({ exit: 0, out: "" });
    expect(again.err).toContain("up to date");
  });
});

describe("modelrig keys", () => {
  beforeEach(() => modelrig("db migrate"));

  it("bootstraps an org with an admin's key, which works, and is shown alone on stdout", async () => {
    const made = await modelrig("keys bootstrap --org acme");
    expect(made.exit).toBe(0);
    const key = made.out.trim();
    expect(isWellFormedKey(key)).toBe(true);
    expect(made.err).not.toContain(key);
    expect(await principal(key)).toMatchObject({ orgSlug: "acme", routes: ["*", "raw:*", "auto", "auto:*"] });
    expect((await principal(key))?.scopes).toContain("admin");
  });

  it("bootstraps once: afterwards an admin makes the keys", async () => {
    await modelrig("keys bootstrap");
    const again = await modelrig("keys bootstrap");
    expect(again).toMatchObject({ exit: 3, out: "" });
    expect(again.err).toContain("modelrig keys create --org default --scope admin");
  });

  it("creates a key with exactly what it was given", async () => {
    await modelrig("keys bootstrap");
    const flags =
      "--scope call,query --route example.* --route raw:openai/* --expires 90d --usd-per-month 25.50 --tag client=acme --rows tag:client=acme --label ci";
    const made = (await modelrig(`keys create ${flags} --json`)).json();
    expect(made).toMatchObject({
      schema: "modelrig.key/1",
      label: "ci",
      scopes: ["call", "query"],
      routes: ["example.*", "raw:openai/*"],
      usd_per_month: "25.500000000",
      fixed_tags: { client: "acme" },
      rows: { client: "acme" },
    });
    const found = await principal(made["key"] as string);
    expect(found).toMatchObject({ monthlyLimit: 25_500_000_000, rowScope: { tags: { client: "acme" } } });
    const days = ((found?.expiresAt ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
  });

  it("gives a plain key routes and calls, and neither raw models nor auto", async () => {
    await modelrig("keys bootstrap");
    const key = (await modelrig("keys create")).out.trim();
    expect(await principal(key)).toMatchObject({ scopes: ["call"], routes: ["*"] });
  });

  it.each([
    ["--scope everything", "--scope"],
    ["--route foo:bar", "--route"],
    ["--expires yesterday", "--expires"],
    ["--expires 2020-01-01", "--expires"],
    ["--expires 0d", "--expires"],
    ["--usd-per-month -5", "--usd-per-month"],
    ["--usd-per-month 0", "--usd-per-month"],
    ["--tag client", "--tag"],
    ["--tag a=1 --tag a=2", "--tag"],
    ["--rows client=acme", "--rows"],
    ["--org nobody", "nobody"],
  ])("refuses %s, names the flag, and makes no key", async (flags, named) => {
    await modelrig("keys bootstrap");
    const refused = await modelrig(`keys create ${flags}`);
    expect(refused.exit).not.toBe(0);
    expect(refused.out).toBe("");
    expect(refused.err).toContain(named);
    expect((await modelrig("keys list --json")).json()["keys"]).toHaveLength(1);
  });

  it("lists keys without anything that could be used as one", async () => {
    const key = (await modelrig("keys bootstrap")).out.trim();
    const listed = await modelrig("keys list");
    expect(listed.out).toContain(`rig_sk_…${key.slice(-3)}`);
    const json = (await modelrig("keys list --json")).out;
    for (const text of [listed.out, json]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(await hashKey(key));
    }
  });

  it("revokes only what is confirmed by its id, once, and logs who did it", async () => {
    await modelrig("keys bootstrap");
    const made = (await modelrig("keys create --json")).json();
    const [id, key] = [made["id"] as string, made["key"] as string];
    expect((await modelrig(`keys revoke ${id}`)).exit).toBe(2);
    expect((await modelrig(`keys revoke ${id} --confirm=key_other`)).exit).toBe(3);
    expect(await principal(key)).toBeDefined();
    expect((await modelrig(`keys revoke ${id} --confirm=${id}`)).exit).toBe(0);
    expect(await principal(key)).toBeUndefined();
    expect((await modelrig(`keys revoke ${id} --confirm=${id}`)).exit).toBe(3);
    expect((await modelrig("keys list --json")).json()["keys"]).toHaveLength(1);
    expect((await modelrig("keys list --all --json")).json()["keys"]).toHaveLength(2);
    const client = createClient(database.connection);
    const { rows } = await client.execute("select actor, action, subject from audit_log order by id");
    expect(rows.map((row) => row["action"])).toEqual(["org.created", "key.created", "key.created", "key.revoked"]);
    expect(rows.at(-1)).toMatchObject({ subject: id, actor: expect.stringMatching(/^cli:./) });
    client.close();
  });

  it("keeps no key anywhere in the database file", async () => {
    const key = (await modelrig("keys bootstrap")).out.trim();
    const client = createClient(database.connection);
    const { rows: tables } = await client.execute("select name from sqlite_schema where type = 'table'");
    for (const { name } of tables as unknown as { name: string }[]) {
      const { rows } = await client.execute(`select * from "${name}"`);
      expect(JSON.stringify(rows).includes(key.slice(7, -3))).toBe(false);
    }
    client.close();
  });

  it("asks which org where there are several", async () => {
    await modelrig("keys bootstrap --org one");
    await modelrig("keys bootstrap --org two");
    expect(await modelrig("keys create")).toMatchObject({ exit: 2, out: "" });
    expect((await modelrig("keys create --org two")).exit).toBe(0);
  });
});

describe("the database a command works on", () => {
  const devState = (url: string) => {
    mkdirSync(join(cwd, ".modelrig"), { recursive: true });
    const state = {
      url: "http://127.0.0.1:1",
      key: "k",
      org: "o",
      db_url: url,
      db_token: database.connection.authToken,
    };
    writeFileSync(join(cwd, ".modelrig", "dev.json"), JSON.stringify(state));
  };

  it("is the local one of `modelrig dev` where nothing else is named", async () => {
    devState(database.connection.url);
    expect((await modelrig("db migrate", {})).exit).toBe(0);
  });

  it("never sees the local token where it is another", async () => {
    devState("http://127.0.0.1:2");
    const refused = await modelrig("db migrate", { TURSO_DATABASE_URL: database.connection.url });
    expect(refused.exit).toBe(4);
  });

  it("is named on stderr, without what its URL may hold of secrets", async () => {
    const { err } = await modelrig(`db migrate --db-url http://127.0.0.1:9/?authToken=SECRET`, {});
    expect(err).toContain("http://127.0.0.1:9");
    expect(err).not.toContain("SECRET");
  });

  it.each([
    [{}, "db migrate", 2, "db.no_url"],
    [{}, "db migrate --db-url dev.db", 2, "db.bad_url"],
    [{ TURSO_AUTH_TOKEN: "t" }, "db migrate --db-url http://127.0.0.1:9", 5, "db.unreachable"],
  ])("with %j, %s ends with %s and %s", async (env, command, exit, code) => {
    const failed = await modelrig(command, env);
    expect(failed).toMatchObject({ exit, out: "" });
    expect(failed.err).toContain(code);
  });
});
