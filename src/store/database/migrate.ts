import type { Client, InStatement } from "@libsql/client/web";
import { type Connection, connect } from "./database.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { StoreError, settled } from "./store-error.ts";

/** One file of `migrations/`, in order of names. Never changed after a release. */
export interface Migration {
  /** File name without `.sql`, e.g. `0000_init`. */
  readonly name: string;
  readonly sql: string;
}

/** Why a database cannot be migrated by this version. */
export class MigrationError extends Error {
  override readonly name = "MigrationError" as const;
  readonly reason: "newer_database" | "edited_migration" | "failed";
  readonly fix: string;

  constructor(reason: MigrationError["reason"], message: string, fix: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
    this.fix = fix;
  }
}

interface JournalRow {
  readonly name: string;
  readonly hash: string;
}

const JOURNAL = `create table if not exists modelrig_migrations (
  position integer primary key, name text not null unique, hash text not null, applied_at integer not null
)`;
const BREAKPOINT = "--> statement-breakpoint";
/** An index over a large table takes longer to build than a query may take. */
const TIMEOUT_MS = 120_000;

/**
 * Applies missing migrations, each in a transaction of its own; returns the names applied. Safe to run twice at once.
 */
export async function migrate(connection: Connection, migrations: readonly Migration[]): Promise<readonly string[]> {
  return await withClient(connection, async (client) => {
    await settled(client.execute(JOURNAL));
    const applied: string[] = [];
    for (;;) {
      const done = await journal(client);
      await requireHistory(done, migrations);
      const next = migrations[done.length];
      if (!next) return applied;
      if (await apply(client, next, done.length)) applied.push(next.name);
    }
  });
}

/** Returns the names that `migrate` would apply. Changes nothing. */
export async function pendingMigrations(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  return await withClient(connection, async (client) => {
    const done = await journal(client);
    await requireHistory(done, migrations);
    return migrations.slice(done.length).map(({ name }) => name);
  });
}

export type SchemaState =
  | { readonly state: "current"; readonly version: string }
  /** `version` is absent where nothing was ever applied. */
  | { readonly state: "behind" | "ahead"; readonly version: string | undefined; readonly expected: string };

/** Compares the database with the version that this code needs. */
export async function schemaState(client: Client): Promise<SchemaState> {
  const version = (await journal(client)).at(-1)?.name;
  if (version === SCHEMA_VERSION) return { state: "current", version };
  const state = version !== undefined && version > SCHEMA_VERSION ? "ahead" : "behind";
  return { state, version, expected: SCHEMA_VERSION };
}

async function withClient<T>(connection: Connection, work: (client: Client) => Promise<T>): Promise<T> {
  const { $client } = connect({ timeoutMs: TIMEOUT_MS, ...connection });
  try {
    return await work($client);
  } finally {
    $client.close();
  }
}

async function journal(client: Client): Promise<readonly JournalRow[]> {
  try {
    const { rows } = await settled(client.execute("select name, hash from modelrig_migrations order by position"));
    return rows.map((row) => ({ name: String(row["name"]), hash: String(row["hash"]) }));
  } catch (cause) {
    if (cause instanceof StoreError && cause.fault === "not_migrated") return [];
    throw cause;
  }
}

/** Returns true when it was applied here, false when another process was first. */
async function apply(client: Client, migration: Migration, position: number): Promise<boolean> {
  const hash = await hashOf(migration);
  // The journal row is written first: of two processes at once, the second fails on it before it changes a table.
  const claim: InStatement = {
    sql: "insert into modelrig_migrations (position, name, hash, applied_at) values (?, ?, ?, unixepoch() * 1000)",
    args: [position, migration.name, hash],
  };
  try {
    await settled(client.batch([claim, ...statementsOf(migration)], "write"));
    return true;
  } catch (cause) {
    if ((await journal(client))[position]?.name === migration.name) return false;
    // The fault is not in the migration: it may be tried again unchanged.
    if (cause instanceof StoreError && ["unreachable", "unauthorized", "busy"].includes(cause.fault)) throw cause;
    const root = cause instanceof StoreError ? cause.cause : cause;
    const reason = root instanceof Error ? root.message : String(root);
    throw new MigrationError(
      "failed",
      `migration ${migration.name} failed and was rolled back: ${reason}`,
      "the database is as it was before; restore a backup or correct what the message names, then try again",
      cause,
    );
  }
}

async function requireHistory(done: readonly JournalRow[], migrations: readonly Migration[]): Promise<void> {
  for (const [position, { name, hash }] of done.entries()) {
    const ours = migrations[position];
    if (ours?.name !== name) {
      throw new MigrationError(
        "newer_database",
        `the database has the migration ${name}, which this version does not know`,
        "use the version of modelrig that made it, or a newer one",
      );
    }
    if ((await hashOf(ours)) !== hash) {
      throw new MigrationError(
        "edited_migration",
        `the migration ${name} differs from the one the database was made with`,
        "restore the released file and put the change into a new migration",
      );
    }
  }
}

function statementsOf({ sql }: Migration): string[] {
  return sql
    .split(BREAKPOINT)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** Line endings are ignored, because git may change them. */
async function hashOf({ sql }: Migration): Promise<string> {
  const bytes = new TextEncoder().encode(sql.replaceAll("\r\n", "\n"));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
