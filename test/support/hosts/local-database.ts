import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HranaServer, type HranaServerOptions, startHranaServer } from "../../../src/localdb/hrana-server.ts";
import type { Connection } from "../../../src/store/database/database.ts";
import { type Migration, migrate } from "../../../src/store/database/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";

const TOKEN = "a-token-for-tests";
const folder = fileURLToPath(new URL("../../../migrations/", import.meta.url));

export function releasedMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({ name: file.slice(0, -".sql".length), sql: readFileSync(join(folder, file), "utf8") }));
}

export interface LocalDatabase {
  readonly file: string;
  readonly connection: Connection & { readonly authToken: string };
  readonly server: HranaServer;
  /** Ends the server; the file and the port stay as they are. */
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** A new database file served on loopback; not migrated. */
export async function localDatabase(
  options: Pick<HranaServerOptions, "streamIdleMs" | "requestLimitMs" | "log"> = {},
): Promise<LocalDatabase> {
  const home = mkdtempSync(join(tmpdir(), "modelrig-db-"));
  const file = join(home, "test.db");
  let server = await startHranaServer({ file, port: 0, token: TOKEN, ...options });
  const { port, url } = server;
  return {
    file,
    connection: { url, authToken: TOKEN },
    get server() {
      return server;
    },
    stop: () => server.close(),
    start: async () => {
      server = await startHranaServer({ file, port, token: TOKEN, ...options });
    },
    remove: async () => {
      await server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The same, migrated, with a store on it. */
export async function localStore(): Promise<LocalDatabase & { readonly store: Store }> {
  const database = await localDatabase();
  await migrate(database.connection, releasedMigrations());
  const store = openStore(database.connection);
  return Object.assign(database, { store });
}
