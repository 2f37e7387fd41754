import type { Command } from "commander";
import { DatabaseFileError } from "../localdb/database-file.ts";
import type { Connection } from "../store/database/database.ts";
import { MigrationError } from "../store/database/migrate.ts";
import { StoreError } from "../store/database/store-error.ts";
import { environment } from "../workspace/env-file.ts";
import { CliError, EXIT, type ExitCode, type Io } from "./command.ts";
import { readDevState } from "./dev-state.ts";

/** Values of the options added by `addDatabaseOptions`. */
export interface DatabaseOptions {
  readonly dbUrl?: string | undefined;
  readonly dbTokenEnv?: string | undefined;
  readonly envFile?: string | undefined;
}

const URL_ENV = "TURSO_DATABASE_URL";
const TOKEN_ENV = "TURSO_AUTH_TOKEN";

/** Adds the options of a command that works on the database itself, with its token, not through a gateway. */
export function addDatabaseOptions(command: Command): Command {
  return command
    .option("--db-url <url>", `database (env ${URL_ENV}; default: the local \`modelrig dev\`)`)
    .option("--db-token-env <name>", "name of the variable that holds the database token", TOKEN_ENV)
    .option("--env-file <file>", "file with these variables (default: .env where it exists)");
}

/** Flag > environment and .env > what a running `modelrig dev` left. Says on stderr which database it is. */
export function databaseFrom(io: Io, options: DatabaseOptions): Connection {
  const variables = environment(io, options.envFile);
  const dev = readDevState(io.cwd);
  const url = options.dbUrl ?? variables[URL_ENV] ?? dev?.db_url;
  if (!url) {
    throw new CliError("db.no_url", "no database to work on", {
      exitCode: EXIT.usage,
      fix: `set ${URL_ENV} and ${TOKEN_ENV}, pass --db-url, or start \`modelrig dev\``,
    });
  }
  if (!/^(?:libsql|https?):\/\/./.test(url)) {
    throw new CliError("db.bad_url", `not the URL of a database: ${withoutSecrets(url)}`, {
      exitCode: EXIT.usage,
      fix: "it begins with libsql://, https:// or http://; a file is served by `modelrig db serve --db FILE`",
    });
  }
  // The local token belongs to the local database and goes nowhere else; a remote one never goes there.
  const authToken = url === dev?.db_url ? dev.db_token : variables[options.dbTokenEnv ?? TOKEN_ENV];
  io.stderr.write(`database ${withoutSecrets(url)}\n`);
  return { url, authToken };
}

/** Turns the typed errors of the database and of its file into errors of the command line. */
export async function reachingDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreError)
      throw cliError(`db.${cause.fault}`, EXIT_OF[cause.fault] ?? EXIT.unexpected, cause);
    if (cause instanceof MigrationError) throw cliError(`db.${cause.reason}`, EXIT.no, cause);
    if (cause instanceof DatabaseFileError) throw cliError(`db.${cause.reason}`, EXIT.unexpected, cause);
    throw cause;
  }
}

const EXIT_OF: Readonly<Record<string, ExitCode>> = {
  unreachable: EXIT.unreachable,
  unauthorized: EXIT.auth,
  not_migrated: EXIT.no,
};

function cliError(code: string, exitCode: ExitCode, cause: Error & { readonly fix: string }): CliError {
  return new CliError(code, cause.message, { exitCode, fix: cause.fix, cause });
}

/** URLs may carry a user or a token in their query. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*$/, "");
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
