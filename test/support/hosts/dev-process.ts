import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../../../bin/modelrig.js", import.meta.url));

export interface DevReady {
  readonly url: string;
  readonly key: string;
  readonly org: string;
  readonly db_url: string;
}

export interface DevProcess {
  readonly ready: DevReady;
  readonly cwd: string;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Ends it with a signal and answers its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Sends a signal to it and all that it started, as a terminal's Ctrl-C does. */
  stopGroup(signal: NodeJS.Signals): Promise<number | null>;
}

export interface DevExit {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "modelrig-dev-"));
}

function launch(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, as a terminal would give it.
    detached: true,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  return { child, stdout: () => stdout, stderr: () => stderr };
}

/** Runs a command of `modelrig` to its end in a folder of its own. */
export async function modelrig(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<DevExit> {
  const { child, stdout, stderr } = launch(args, options.cwd ?? freshFolder(), options.env ?? {});
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

/** Starts `modelrig dev --json` on a free port and waits until it is ready. */
export async function startDev(
  args: readonly string[] = [],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<DevProcess> {
  const cwd = options.cwd ?? freshFolder();
  const { child, stdout, stderr } = launch(["dev", "--json", "--port", "0", ...args], cwd, options.env ?? {});
  const closed = once(child, "close") as Promise<[number | null]>;
  await Promise.race([
    closed.then(([exitCode]) => {
      throw new Error(`modelrig dev ended with ${exitCode} before it was ready:\n${stdout()}${stderr()}`);
    }),
    (async () => {
      while (!stdout().includes("\n")) await new Promise((resolve) => setTimeout(resolve, 20));
    })(),
  ]);
  const ready = JSON.parse(stdout()) as DevReady | { readonly error: unknown };
  if ("error" in ready) throw new Error(`modelrig dev did not start:\n${stdout()}${stderr()}`);
  return {
    ready,
    cwd,
    child,
    stdout,
    stderr,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const [exitCode] = await closed;
      return exitCode;
    },
    async stopGroup(signal) {
      process.kill(-(child.pid ?? 0), signal);
      const [exitCode] = await closed;
      return exitCode;
    },
  };
}
