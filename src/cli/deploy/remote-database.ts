import { migrate, pendingMigrations } from "../../store/database/migrate.ts";
import { CliError, EXIT } from "../command.ts";
import { readMigrations } from "../migrations.ts";

interface RemoteDatabase {
  readonly url: string;
  readonly token: string;
}

/** Names of the migrations that a deploy would apply. */
export function pendingRemote({ url, token }: RemoteDatabase): Promise<readonly string[]> {
  return reaching(() => pendingMigrations({ url, authToken: token }, readMigrations()));
}

/** Applies them; answers how many. */
export async function migrateRemote({ url, token }: RemoteDatabase): Promise<number> {
  return (await reaching(() => migrate({ url, authToken: token }, readMigrations()))).length;
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const fault = cause instanceof Error && "fault" in cause ? cause.fault : undefined;
    const exitCode =
      fault === "unauthorized" ? EXIT.auth : fault === "unreachable" ? EXIT.unreachable : EXIT.unexpected;
    const fix = cause instanceof Error && "fix" in cause && typeof cause.fix === "string" ? { fix: cause.fix } : {};
    throw new CliError("deploy.database", cause instanceof Error ? cause.message : String(cause), {
      exitCode,
      ...fix,
      cause,
    });
  }
}
