import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../localdb/make-folder.ts";
import { WorkspaceError } from "./workspace-error.ts";

/**
 * Makes the local state folder, private to the user and ignored by git, and returns its path. Throws `WorkspaceError`
 * where it cannot be made.
 */
export function stateFolder(cwd: string): string {
  return privateFolder(join(cwd, ".modelrig"));
}

function privateFolder(folder: string): string {
  try {
    makeFolder(folder, 0o700);
    chmodSync(folder, 0o700);
    const ignore = join(folder, ".gitignore");
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
    return folder;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorkspaceError("state.unwritable", `cannot keep state in ${folder}: ${why}`, {
      fix: "run it in a folder that you may write to",
      cause,
    });
  }
}
