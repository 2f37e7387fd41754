import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../workspace/state-folder.ts";

/** What a running or earlier `modelrig dev` left for other commands in `.modelrig/dev.json` (mode 0600). */
interface DevState {
  readonly url: string;
  readonly key: string;
  readonly org: string;
  readonly db_url: string;
  readonly db_token: string;
}

/** Absent or damaged state is `undefined`: the next `dev` writes it anew. */
export function readDevState(cwd: string): Partial<DevState> | undefined {
  const file = join(cwd, ".modelrig", "dev.json");
  if (!existsSync(file)) return undefined;
  try {
    const state: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof state === "object" && state !== null ? (state as Partial<DevState>) : undefined;
  } catch {
    return undefined;
  }
}

export function writeDevState(cwd: string, state: DevState): void {
  const file = join(stateFolder(cwd), "dev.json");
  writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
}
