#!/usr/bin/env node
// Small launcher, plain JavaScript so that any Node can read it. It finds a Node that can run the command line
// (22.12 for the published build, 22.18 for the TypeScript of a clone), and says one sentence when there is none.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const published = new URL("../dist/cli/main.js", import.meta.url);
const source = new URL("../src/cli/main.ts", import.meta.url);
// A clone is recognised by its sources: they win over an older build lying in dist/.
const fromSource = existsSync(source);
const entry = fromSource ? source : published;
const needed = fromSource ? [22, 18] : [22, 12];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > needed[0] || (major === needed[0] && minor >= needed[1])) {
  // Started by the branch below: this process ends with its launcher, however that ends.
  if (process.env.MODELRIG_LAUNCHED === "1" && process.channel) {
    process.channel.unref();
    process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  }
  const { start } = await import(entry.href);
  await start();
} else {
  const local = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (existsSync(local)) {
    const child = spawn(local, ["--", fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, MODELRIG_LAUNCHED: "1" },
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
  } else {
    process.stderr.write(`modelrig needs Node ${needed.join(".")} or newer; this is ${process.versions.node}.\n`);
    process.exitCode = 2;
  }
}
