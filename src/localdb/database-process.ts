/**
 * The process in which the engine runs: its library ends the process on what it cannot handle, and nothing else may end
 * with it. Started by `EngineProcess`, which it answers over the channel between the two.
 */
import { Worker } from "node:worker_threads";
import { ConnectionPool } from "./connection-pool.ts";
import { DatabaseFileError, prepareDatabaseFile } from "./database-file.ts";
import { HranaService } from "./hrana-service.ts";
import { IdleStreams } from "./idle-streams.ts";
import type { FromProcess, ProcessOptions, ToProcess } from "./process-messages.ts";

/**
 * Ends the process when its parent has ended: a statement that runs keeps the main thread from noticing. A parent's end
 * shows as another parent.
 */
const WATCH = `
  const parent = process.ppid;
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, 500);
`;

function serve({ file, streamIdleMs, generation, check }: ProcessOptions): void {
  try {
    prepareDatabaseFile(file, { check });
  } catch (cause) {
    if (!(cause instanceof DatabaseFileError)) throw cause;
    const { reason, detail, fix } = cause;
    void send({ type: "unusable", reason, detail, fix }).then(() => process.exit(1));
    return;
  }
  const pool = new ConnectionPool(file);
  const streams = new IdleStreams({ idleMs: streamIdleMs, generation });
  const service = new HranaService(pool, streams);
  const open = new Map<number, AbortController>();
  process.on("message", (message: ToProcess) => {
    if (message.type === "abandon") open.get(message.id)?.abort();
    else void answer(service, message, open);
  });
  // The parent closes the channel to end this process, once requests are answered.
  process.on("disconnect", () => {
    streams.closeAll();
    pool.close();
    process.exit(0);
  });
  void send({ type: "ready" });
}

async function answer(
  service: HranaService,
  { id, endpoint, body }: Extract<ToProcess, { type: "request" }>,
  open: Map<number, AbortController>,
): Promise<void> {
  const controller = new AbortController();
  open.set(id, controller);
  // Known to the parent before the engine can end this process: what has not begun may be asked again.
  await send({ type: "begun", id });
  const given = controller.signal.aborted
    ? { status: 499, body: "" }
    : await service.answer(endpoint, body, controller.signal);
  open.delete(id);
  await send({ type: "answer", id, answer: given });
}

/** Resolves once the message has left; a parent that is gone ends this process by `disconnect`. */
function send(message: FromProcess): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

// Ctrl-C in a terminal reaches every process of its group; the parent decides when this one ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
new Worker(WATCH, { eval: true }).unref();
serve(JSON.parse(process.argv[2] ?? "{}") as ProcessOptions);
