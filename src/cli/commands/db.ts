import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { startHranaServer } from "../../localdb/hrana-server.ts";
import { BackupError, backupLines, restore } from "../../store/database/backup.ts";
import { migrate, pendingMigrations } from "../../store/database/migrate.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { rowsOf, verifyBackup, writeBackup } from "../backup/backup-file.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseFrom, reachingDatabase } from "../database-access.ts";
import { addGatewayOptions } from "../gateway-client.ts";
import { readMigrations } from "../migrations.ts";
import { type EraseOptions, eraseOrg } from "../org-data/erase.ts";
import { type ExportOptions, exportOrg } from "../org-data/export.ts";
import { printJson } from "../output/json.ts";

interface MigrateOptions extends DatabaseOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface BackupOptions extends DatabaseOptions {
  readonly live?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

type RestoreOptions = Omit<BackupOptions, "live">;

interface ServeOptions {
  readonly db?: string;
  readonly port: string;
  readonly tokenEnv: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addDatabaseOptions(command.command("migrate").description("bring the database to this version's schema"))
      .option("--dry-run", "name the migrations, apply none")
      .option("--json", "print one JSON document")
      .action(run((options: MigrateOptions) => migrateDatabase(io, options)));
    addDatabaseOptions(command.command("backup").argument("<file>", "file to write; .gz is compressed"))
      .description("write the whole database into a file")
      .option("--live", "do not hold one moment: for large remote databases whose server ends long reads")
      .option("--force", "replace the file where it exists")
      .option("--json", "print one JSON document")
      .action(run((file: string, options: BackupOptions) => backup(io, file, options)));
    addDatabaseOptions(command.command("restore").argument("<file>", "file that `modelrig db backup` wrote"))
      .description("fill an empty database from a backup")
      .option("--force", "delete everything in a database that is not empty")
      .option("--json", "print one JSON document")
      .action(run((file: string, options: RestoreOptions) => restoreDatabase(io, file, options)));
    addGatewayOptions(command.command("export").argument("<file>", "file to write"))
      .description("write all the org has at the gateway into a file, as JSON Lines")
      .option("--force", "replace the file where it exists")
      .option("--json", "print one JSON document")
      .action(run((file: string, options: ExportOptions) => exportOrg(io, file, options)));
    addGatewayOptions(command.command("erase"))
      .description("delete the org's data at the gateway; keys, settings and the audit log stay")
      .option("--before <time>", "only history older than this (ISO time)")
      .option("--confirm <slug>", "the org's slug: do not ask")
      .option("--json", "print one JSON document")
      .action(run((options: EraseOptions) => eraseOrg(io, options)));
    command
      .command("serve")
      .description("serve a database file to libSQL clients on this machine")
      .option("--db <file>", "database file (default: .modelrig/dev.db)")
      .option("--port <n>", "port to listen on, 0 = any free one", "0")
      .option(
        "--token-env <name>",
        "variable with the token clients must present; unset = a new one",
        "MODELRIG_DB_TOKEN",
      )
      .option("--json", "print one JSON line when ready")
      .action(run((options: ServeOptions) => serve(io, options)));
  },
};

async function migrateDatabase(io: Io, options: MigrateOptions): Promise<ExitCode> {
  const connection = databaseFrom(io, options);
  const migrations = readMigrations();
  const names = await reachingDatabase(() =>
    options.dryRun ? pendingMigrations(connection, migrations) : migrate(connection, migrations),
  );
  if (options.json) {
    printJson(io, { schema: "modelrig.migrate/1", dry_run: options.dryRun === true, migrations: names });
    return EXIT.done;
  }
  for (const name of names) io.stdout.write(`${options.dryRun ? "would apply" : "applied"} ${name}\n`);
  if (names.length === 0) io.stderr.write("the database is up to date\n");
  return EXIT.done;
}

async function backup(io: Io, name: string, options: BackupOptions): Promise<ExitCode> {
  const file = resolve(io.cwd, name);
  if (existsSync(file) && !options.force) {
    const fix = "pass another name, or --force to replace it";
    throw new CliError("db.backup_exists", `${name} is there already`, { exitCode: EXIT.usage, fix });
  }
  const connection = databaseFrom(io, options);
  const rows = await backingUp(() =>
    writeBackup(file, backupLines(connection, { takenAt: new Date(), live: options.live === true })),
  );
  if (options.json) printJson(io, { schema: "modelrig.db-backup/1", file, rows });
  else io.stdout.write(`${rows} rows written to ${name}\n`);
  return EXIT.done;
}

async function restoreDatabase(io: Io, name: string, options: RestoreOptions): Promise<ExitCode> {
  const file = resolve(io.cwd, name);
  if (!existsSync(file)) {
    throw new CliError("db.no_backup", `there is no file ${name}`, { exitCode: EXIT.usage });
  }
  const connection = databaseFrom(io, options);
  // The whole file first: a damaged one must not cost what is in the database.
  const header = await backingUp(() => verifyBackup(file));
  const migrations = readMigrations();
  await backingUp(() => restore(connection, header, rowsOf(file), { migrations, force: options.force === true }));
  const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
  const pending = migrations.at(-1)?.name === header.version ? "" : "; bring it up to date with `modelrig db migrate`";
  if (options.json) {
    const tables = Object.fromEntries(header.tables.map((table) => [table.name, table.rows]));
    printJson(io, {
      schema: "modelrig.db-restore/1",
      version: header.version,
      taken_at: header.taken_at,
      rows,
      tables,
    });
  } else {
    io.stdout.write(
      `${rows} rows in ${header.tables.length} tables restored and counted, schema ${header.version}${pending}\n`,
    );
  }
  return EXIT.done;
}

async function backingUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await reachingDatabase(work);
  } catch (cause) {
    if (!(cause instanceof BackupError)) throw cause;
    throw new CliError(`db.${cause.reason}`, cause.message, { exitCode: EXIT.no, fix: cause.fix, cause });
  }
}

/** Prints the two variables clients need, in the form of an env file, then serves until it is interrupted. */
async function serve(io: Io, options: ServeOptions): Promise<ExitCode> {
  const file = resolve(io.cwd, options.db ?? `${stateFolder(io.cwd)}/dev.db`);
  const port = portOf(options.port);
  const token = io.env[options.tokenEnv] || randomBytes(24).toString("hex");
  const log = (line: string): boolean => io.stderr.write(`${line}\n`);
  const server = await reachingDatabase(() => startHranaServer({ file, port, token, log })).catch((cause) => {
    throw portTaken(cause, port);
  });
  if (options.json) printJson(io, { schema: "modelrig.db-serve/1", url: server.url, token, file });
  else io.stdout.write(`TURSO_DATABASE_URL=${server.url}\nTURSO_AUTH_TOKEN=${token}\n`);
  io.stderr.write(`serving ${file}; Ctrl-C ends it\n`);
  await aborted(io.signal);
  await server.close();
  return EXIT.done;
}

function portTaken(cause: unknown, port: number): unknown {
  const taken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
  if (!taken) return cause;
  return new CliError("db.port_taken", `port ${port} is taken`, {
    fix: "pass another with --port, or --port 0",
    cause,
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CliError("cli.usage", `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
