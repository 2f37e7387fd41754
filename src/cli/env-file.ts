import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { CliError, EXIT, type Io } from "./command.ts";

/**
 * Variables for the Worker: the named file, else `.env` where it exists, overlaid by the process's own environment.
 * A file named and not readable is an error.
 */
export function environment(io: Io, file: string | undefined): Readonly<Record<string, string>> {
  const path = resolve(io.cwd, file ?? ".env");
  let fromFile: NodeJS.Dict<string> = {};
  if (file !== undefined || existsSync(path)) {
    try {
      fromFile = parseEnv(readFileSync(path, "utf8"));
    } catch (cause) {
      throw new CliError("cli.env_file", `cannot read the env file ${file ?? ".env"}`, { exitCode: EXIT.usage, cause });
    }
  }
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...fromFile, ...io.env })) if (value !== undefined) merged[name] = value;
  return merged;
}
