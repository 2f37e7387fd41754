import { execFileSync } from "node:child_process";
import { constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes a named pipe that stays open for writing as long as this process lives, however it ends: who reads from it learns
 * of the end at once. Undefined where the system has no such pipes. The descriptor is closed by the system, and not
 * passed on to child processes.
 */
export function openLifeline(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-lifeline-"));
  const path = join(folder, "dev");
  try {
    execFileSync("mkfifo", ["-m", "600", path], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  // For reading too: opening only for writing would wait for a reader.
  openSync(path, constants.O_RDWR);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return path;
}
