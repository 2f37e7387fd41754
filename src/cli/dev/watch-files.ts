import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const LOOK_EVERY_MS = 250;

/**
 * Calls `changed` once for each change of the files below the paths, as soon as two looks in a row find the same: a file
 * that is being written is not read by half. Looks instead of being told, which works on every file system, and with
 * editors that replace a file.
 */
export function watchFiles(paths: readonly string[], changed: () => Promise<void>): { stop(): Promise<void> } {
  let known = stateOf(paths);
  let before = known;
  let working = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = stateOf(paths);
    const settled = now === before && now !== known;
    before = now;
    if (settled) {
      known = now;
      working = changed();
    }
    void working.then(() => {
      if (timer !== undefined) timer = setTimeout(look, LOOK_EVERY_MS).unref();
    });
  };
  timer = setTimeout(look, LOOK_EVERY_MS).unref();
  return {
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await working;
    },
  };
}

/** Names, sizes and times of all files below the paths; what is not there, or goes away meanwhile, has none. */
function stateOf(paths: readonly string[]): string {
  return paths.map(stateOfOne).join("\n");
}

function stateOfOne(path: string): string {
  try {
    const status = statSync(path);
    if (!status.isDirectory()) return `${path} ${status.ino} ${status.size} ${status.mtimeMs}`;
    return stateOf(readdirSync(path).map((name) => join(path, name)));
  } catch {
    return `${path} absent`;
  }
}
