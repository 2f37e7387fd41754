import { randomBytes } from "node:crypto";
import { displayKey, hashKey, isWellFormedKey, keyFrom } from "../../identity/key.ts";
import { EVERY_LANE } from "../../identity/reach.ts";
import { SCOPES } from "../../identity/scope.ts";
import { type HranaServer, startHranaServer } from "../../localdb/hrana-server.ts";
import { migrate } from "../../store/database/migrate.ts";
import type { Org } from "../../store/orgs/orgs.ts";
import { openStore, type Store } from "../../store/store.ts";
import { CliError, type Io } from "../command.ts";
import { readDevState } from "../dev-state.ts";
import { readMigrations } from "../migrations.ts";

/** The embedded database of `modelrig dev`, migrated, with the org and the key that work on it. */
export interface LocalDatabase {
  readonly url: string;
  readonly token: string;
  readonly org: Org;
  readonly key: string;
  close(): Promise<void>;
}

const BY = "modelrig dev";

/** Rejects with a `CliError` where the file cannot be opened, is no database, or is of a newer version. */
export async function openLocalDatabase(io: Io, file: string): Promise<LocalDatabase> {
  const token = randomBytes(24).toString("hex");
  let server: HranaServer | undefined;
  try {
    server = await startHranaServer({ file, token, port: 0, log: (line) => io.stderr.write(`${line}\n`) });
    const connection = { url: server.url, authToken: token };
    await migrate(connection, readMigrations());
    const store = openStore(connection);
    const org = await store.orgs.ensure({ id: "org_local", slug: "local" }, { by: BY, at: Date.now() });
    const key = await localKey(store, org, readDevState(io.cwd)?.key);
    store.close();
    const { url, close } = server;
    return { url, token, org, key, close };
  } catch (cause) {
    await server?.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError("dev.database", `cannot use ${file}: ${why}`, {
      fix: "name another file with --db, or move this one away to start afresh",
      cause,
    });
  }
}

/** The key of an earlier run, also where the database is a new one; else a fresh one. */
async function localKey(store: Store, org: Org, earlier: string | undefined): Promise<string> {
  const key = earlier !== undefined && isWellFormedKey(earlier) ? earlier : keyFrom(randomBytes(32));
  const hash = await hashKey(key);
  if (await store.keys.findByHash(hash)) return key;
  const permissions = { scopes: SCOPES, routes: EVERY_LANE, fixedTags: {} };
  const keyId = `key_${randomBytes(8).toString("hex")}`;
  await store
    .forOrg(org.id)
    .keys.create({ ...permissions, keyId, hash, display: displayKey(key), label: "local" }, { by: BY, at: Date.now() });
  return key;
}
