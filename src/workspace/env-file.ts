import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { WorkspaceError } from "./workspace-error.ts";

/** Where a process runs, and with which variables. */
interface ProcessFacts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Variables for the Worker: the named file, else `.env` where it exists, overlaid by the process's own environment.
 * A file named and not readable is an error.
 */
export function environment({ cwd, env }: ProcessFacts, file: string | undefined): Readonly<Record<string, string>> {
  const path = resolve(cwd, file ?? ".env");
  let fromFile: NodeJS.Dict<string> = {};
  if (file !== undefined || existsSync(path)) {
    try {
      fromFile = parseEnv(readFileSync(path, "utf8"));
    } catch (cause) {
      throw new WorkspaceError("cli.env_file", `cannot read the env file ${file ?? ".env"}`, { asked: true, cause });
    }
  }
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...fromFile, ...env })) if (value !== undefined) merged[name] = value;
  return merged;
}
