import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it. Step by step: where a file system refuses new folders with ENOENT, as `/proc` does,
 * Node's own recursive way never ends. Throws the system's error; a file in the way is ENOTDIR or EEXIST.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    // Another process was first.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw cause;
  }
}
