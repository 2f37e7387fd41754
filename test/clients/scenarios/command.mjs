/** Runs clients that are commands, each in a folder of its own so that nothing is kept from one run to the next. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Runs a command of the installed client. `files` are put into its home first; `output` names the file whose text counts
 * as the answer. `leave(child)` may end the command early.
 */
export async function runCommand(name, args, { files = {}, output, leave } = {}) {
  const home = mkdtempSync(join(tmpdir(), "modelrig-client-"));
  mkdirSync(join(home, "work"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text);
  const bin = fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
  const child = spawn(bin, args, {
    cwd: join(home, "work"),
    env: { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, KEY: process.env.KEY, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 120_000,
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  leave?.(child);
  const [exitCode] = await once(child, "close");
  const file = output === undefined ? undefined : join(home, "work", output);
  const text = file === undefined ? out : existsSync(file) ? readFileSync(file, "utf8") : "";
  return { exitCode, text: text.trim(), err, out };
}
