import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CliError, EXIT, type Io } from "../command.ts";
import { readDevState } from "../dev-state.ts";

/** The key and the gateway a process here would use, exactly as they are: a stray quote is what doctor looks for. */
export interface KeyInUse {
  readonly key: string | undefined;
  /** Where the key is from, for people. */
  readonly source: string;
  /** Without `/v1` and without a trailing slash. */
  readonly url: string | undefined;
}

export function keyIn(io: Io, options: { readonly url?: string; readonly keyFile?: string }): KeyInUse {
  const dev = readDevState(io.cwd);
  const given = (options.url ?? (io.env["MODELRIG_URL"] || undefined))?.replace(/\/+$/, "").replace(/\/v1$/, "");
  const url = given ?? dev?.url;
  if (options.keyFile !== undefined) return { url, key: fileText(io, options.keyFile), source: options.keyFile };
  for (const name of ["MODELRIG_KEY", "MODELRIG_API_KEY"]) {
    const key = io.env[name];
    if (key) return { url, key, source: name };
  }
  // The local key must never travel to another gateway than the local one.
  const local = dev?.url !== undefined && url === dev.url;
  return { url, key: local ? dev.key : undefined, source: "modelrig dev" };
}

/** A file ends in a line break; nothing else is taken away. */
function fileText(io: Io, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    throw new CliError("doctor.key_file", `cannot read the key file ${file}`, { exitCode: EXIT.usage, cause });
  }
}
