import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Miniflare as MiniflareInstance } from "miniflare";
import { makeFolder } from "../../localdb/make-folder.ts";
import { CliError, EXIT } from "../command.ts";
import { openLifeline } from "./lifeline.ts";

/** What `scripts/build.ts` writes beside the bundle: the parts of wrangler.toml that a local run needs. */
interface WorkerManifest {
  /** Files in the Worker's folder, the entry first. */
  readonly modules: readonly string[];
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly crons: readonly string[];
  readonly objects: readonly { readonly binding: string; readonly className: string }[];
  readonly workflows: readonly { readonly name: string; readonly binding: string; readonly className: string }[];
  readonly queueProducers: readonly { readonly binding: string; readonly queue: string }[];
  readonly queueConsumers: readonly {
    readonly queue: string;
    readonly max_batch_size?: number;
    readonly max_batch_timeout?: number;
    readonly max_retries?: number;
    readonly retry_delay?: number;
    readonly dead_letter_queue?: string;
  }[];
}

export interface WorkerHost {
  /** Loopback port of workerd. */
  readonly port: number;
  readonly crons: readonly string[];
  scheduled(cron: string, at: Date): Promise<void>;
  dispose(): Promise<void>;
}

interface WorkerHostOptions {
  /** Folder in which the Durable Objects keep their state. */
  readonly persist: string;
  /** Plain values, secrets included; the Worker sees them as `env.NAME`. */
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Lines workerd and the Worker log; already free of line ends. */
  readonly log: (line: string) => void;
}

/** Folder of the prebuilt Worker, in a clone and in the published package alike. */
const workerFolder = fileURLToPath(new URL("../../../dist/worker/", import.meta.url));

/** Starts the prebuilt Worker under Miniflare. Rejects with a `CliError` where the bundle is missing or broken. */
export async function startWorker(options: WorkerHostOptions): Promise<WorkerHost> {
  const manifest = readManifest();
  shieldRuntime();
  makePrivate(options.persist);
  const { Log, LogLevel, Miniflare } = await import("miniflare");
  class LineLog extends Log {
    override log(message: string): void {
      options.log(message);
    }
  }
  const create = () =>
    new Miniflare({
      host: "127.0.0.1",
      port: 0,
      // Request.cf would be fetched from the network, and nothing here reads it.
      cf: false,
      log: new LineLog(LogLevel.WARN),
      handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
        for (const stream of [stdout, stderr]) stream.on("data", (chunk: Buffer) => eachLine(chunk, options.log));
      },
      durableObjectsPersist: options.persist,
      workflowsPersist: join(options.persist, "workflows"),
      workers: [
        {
          name: "modelrig",
          // Reached directly: Miniflare's own Worker in front of ours would cost more than ours.
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
          modulesRoot: workerFolder,
          modules: manifest.modules.map((name) => ({ type: "ESModule", path: join(workerFolder, name) })),
          compatibilityDate: manifest.compatibilityDate,
          compatibilityFlags: [...manifest.compatibilityFlags],
          bindings: options.bindings as Record<string, never>,
          durableObjects: Object.fromEntries(
            manifest.objects.map(({ binding, className }) => [binding, { className, useSQLite: true }]),
          ),
          workflows: Object.fromEntries(
            manifest.workflows.map(({ name, binding, className }) => [binding, { name, className }]),
          ),
          queueProducers: Object.fromEntries(manifest.queueProducers.map(({ binding, queue }) => [binding, queue])),
          queueConsumers: Object.fromEntries(
            manifest.queueConsumers.map((consumer) => [
              consumer.queue,
              {
                maxBatchSize: consumer.max_batch_size,
                maxBatchTimeout: consumer.max_batch_timeout,
                maxRetries: consumer.max_retries,
                retryDelay: consumer.retry_delay,
                deadLetterQueue: consumer.dead_letter_queue,
              },
            ]),
          ),
        },
      ],
    });
  const host = withoutSignalHooks(create);
  return { ...(await running(host)), crons: manifest.crons };
}

/** Makes the folder, and takes the rights of others from what an earlier version left in it; workerd makes its files private. */
function makePrivate(folder: string): void {
  makeFolder(folder, 0o700);
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
}

/** Makes Miniflare start workerd through a launcher that keeps Ctrl-C from it. Not on Windows, which has no such signal. */
function shieldRuntime(): void {
  if (process.platform === "win32" || process.env["MINIFLARE_WORKERD_PATH"] !== undefined) return;
  // workerd is Miniflare's dependency, not ours, so it is found from there.
  const { default: workerd } = createRequire(import.meta.resolve("miniflare"))("workerd") as { default: string };
  process.env["MODELRIG_WORKERD"] = workerd;
  const lifeline = openLifeline();
  if (lifeline !== undefined) process.env["MODELRIG_LIFELINE"] = lifeline;
  process.env["MINIFLARE_WORKERD_PATH"] = fileURLToPath(new URL("../../../bin/workerd-shielded.sh", import.meta.url));
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Miniflare would end the process at the first signal, calls in flight and all. How `dev` ends is its own business. */
function withoutSignalHooks<T>(create: () => T): T {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const created = create();
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
    }
  }
  return created;
}

async function running(host: MiniflareInstance): Promise<Omit<WorkerHost, "crons">> {
  try {
    const url = await host.unsafeGetDirectURL("modelrig");
    return {
      port: Number(url.port),
      async scheduled(cron, at) {
        const worker = await host.getWorker("modelrig");
        await worker.scheduled({ cron, scheduledTime: at });
      },
      dispose: () => host.dispose(),
    };
  } catch (cause) {
    await host.dispose().catch(() => undefined);
    throw new CliError("dev.worker_broken", "the built Worker does not start", {
      fix: "build it again with `npm run build -- --force`; its own message is above",
      cause,
    });
  }
}

function readManifest(): WorkerManifest {
  const file = join(workerFolder, "manifest.json");
  if (!existsSync(file)) {
    throw new CliError("dev.not_built", "the Worker is not built", { exitCode: EXIT.no, fix: "npm run build" });
  }
  return JSON.parse(readFileSync(file, "utf8")) as WorkerManifest;
}

function eachLine(chunk: Buffer, log: (line: string) => void): void {
  for (const line of chunk.toString("utf8").split("\n")) if (line.trim() !== "") log(line);
}
