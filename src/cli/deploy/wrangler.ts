import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError, EXIT, type Io } from "../command.ts";

/** Folder that holds wrangler.toml, and the installed wrangler itself. */
export const projectRoot = fileURLToPath(new URL("../../../", import.meta.url));

interface WranglerRun {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs the installed wrangler, never asking anything. Its output goes to stderr as it comes, and is answered whole. */
export async function wrangler(
  io: Io,
  args: readonly string[],
  options: { readonly quiet?: boolean } = {},
): Promise<WranglerRun> {
  const bin = fileURLToPath(import.meta.resolve("wrangler/package.json").replace(/package\.json$/, "bin/wrangler.js"));
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: projectRoot,
      env: { ...io.env, CI: "1", WRANGLER_SEND_METRICS: "false" },
      stdio: ["ignore", "pipe", "pipe"],
      signal: io.signal,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8");
        if (!options.quiet) io.stderr.write(chunk);
      });
    }
    child.on("error", (cause) =>
      reject(
        io.signal.aborted
          ? new CliError("cli.interrupted", "interrupted", { exitCode: EXIT.interrupted, cause })
          : new CliError("deploy.no_wrangler", "wrangler does not start", { fix: "npm ci", cause }),
      ),
    );
    child.on("close", (code) => resolve({ exitCode: code ?? 1, output }));
  });
}

/** Is there anything wrangler could sign in with: a token in the environment, or a stored login? */
export function hasCloudflareCredentials(io: Io): boolean {
  const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_KEY: key, XDG_CONFIG_HOME: xdg, HOME: home = homedir() } = io.env;
  if (token || key) return true;
  const folders = [xdg && join(xdg, ".wrangler"), join(home, ".config", ".wrangler"), join(home, ".wrangler")];
  return folders.some((folder) => folder && existsSync(join(folder, "config", "default.toml")));
}
