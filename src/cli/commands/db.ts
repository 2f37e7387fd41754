import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { startHranaServer } from "../../localdb/hrana-server.ts";
import { migrate, pendingMigrations } from "../../store/migrate.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseFrom, reachingDatabase } from "../database-access.ts";
import { readMigrations } from "../migrations.ts";
import { printJson } from "../output/json.ts";

interface MigrateOptions extends DatabaseOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

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

/** Prints the two variables clients need, in the form of an env file, then serves until it is interrupted. */
async function serve(io: Io, options: ServeOptions): Promise<ExitCode> {
  const file = resolve(io.cwd, options.db ?? `${stateFolder(io.cwd)}/dev.db`);
  const port = portOf(options.port);
  const token = io.env[options.tokenEnv] || randomBytes(24).toString("hex");
  const server = await reachingDatabase(() => startHranaServer({ file, port, token })).catch((cause) => {
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
