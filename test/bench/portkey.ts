/** Portkey's gateway beside ours, where `MODELRIG_BENCH_PORTKEY` names its start file (`build/start-server.js`). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Target } from "./connection.ts";

export interface Portkey {
  readonly pid: number;
  /** What is asked of the upstream itself, asked through it. */
  target(direct: Target, upstreamPort: number): Target;
  stop(): void;
}

/** How often, and how many times, a starting process is asked whether it listens. */
const EVERY_MS = 100;
const MOST_ASKED = 300;

/** Undefined where the variable is not set. */
export async function startPortkey(): Promise<Portkey | undefined> {
  const file = process.env["MODELRIG_BENCH_PORTKEY"];
  if (!file) return undefined;
  const port = await freePort();
  // Portkey sends to loopback only where it is told that it may.
  const env = { ...process.env, TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" };
  const child = spawn(process.execPath, [file, `--port=${port}`, "--headless"], { stdio: "ignore", env });
  await listens(child, file, port);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  return {
    pid,
    target: (direct, upstreamPort) => ({
      ...direct,
      port,
      headers: {
        authorization: "Bearer bench",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": `http://127.0.0.1:${upstreamPort}/v1`,
      },
    }),
    stop: () => void child.kill(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the port of a server is not known");
  server.close();
  await once(server, "close");
  return address.port;
}

async function listens(child: ChildProcess, file: string, port: number): Promise<void> {
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const open = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (open) return;
    await pause(EVERY_MS);
  }
  child.kill();
  throw new Error(`${file} does not listen on port ${port}`);
}
