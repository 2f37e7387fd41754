import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { CompiledBundle } from "../../config/config.ts";
import { STORE_KEY_VARIABLE } from "../../custody/keyring.ts";
import { environment } from "../../workspace/env-file.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { printBanner } from "../dev/banner.ts";
import { runCrons } from "../dev/cron.ts";
import { type Front, startFront } from "../dev/front.ts";
import { openLocalDatabase } from "../dev/local-database.ts";
import { reloadOnChange } from "../dev/reload.ts";
import { secretsFor } from "../dev/secrets.ts";
import { storeKey } from "../dev/store-key.ts";
import { drain, serveCompiled, type WorkerAddress } from "../dev/worker-control.ts";
import { startWorker, type WorkerHost } from "../dev/worker-host.ts";
import { writeDevState } from "../dev-state.ts";
import { printJson } from "../output/json.ts";

interface DevOptions {
  readonly port: string;
  readonly db?: string;
  readonly routes?: string;
  readonly config?: string;
  readonly envFile?: string;
  readonly json?: boolean;
}

const HOST = "127.0.0.1";
/** How long calls in flight and telemetry may take once the end was asked for. */
const DRAIN_MS = 30_000;

export const command: CommandModule = {
  build(command, io, run) {
    command
      .option("--port <n>", "port to listen on, 0 = any free one", "8787")
      .option("--db <file>", "database file; the objects keep their state beside it (default: .modelrig/dev.db)")
      .option("--routes <dir>", "folder of route bundles (default: routes where it exists)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--json", "print one JSON line when ready")
      .action(run((options: DevOptions) => dev(io, options)));
  },
};

async function dev(io: Io, options: DevOptions): Promise<ExitCode> {
  const port = portOf(options.port);
  const folder = stateFolder(io.cwd);
  const dbFile = resolve(io.cwd, options.db ?? `${folder}/dev.db`);
  const project = { cwd: io.cwd, routes: options.routes, config: options.config };
  const compiled = await compileFor(io, project);
  const variables = environment(io, options.envFile);
  const secrets = secretsFor(compiled, variables);
  const closers: (() => Promise<void>)[] = [];
  try {
    // The port first: it is what most often fails, and nothing has been started then.
    let host: WorkerHost | undefined;
    const front = await listen(port, () => host?.port ?? 0);
    closers.push(() => front.close());
    const database = await openLocalDatabase(io, dbFile);
    closers.push(() => database.close());
    const devToken = randomBytes(24).toString("hex");
    host = await startWorker({
      persist: `${dbFile}-objects`,
      bindings: {
        ...workerBindings(compiled, secrets.values, database, devToken),
        [STORE_KEY_VARIABLE]: storeKey(folder, variables),
      },
      log: (line) => io.stderr.write(`${line}\n`),
    });
    const worker = host;
    closers.push(() => worker.dispose());
    const crons = runCrons(
      worker.crons,
      (cron, at) => void worker.scheduled(cron, at).catch((cause) => cronFailed(io, cron, cause)),
    );
    closers.push(async () => crons.stop());
    const address: WorkerAddress = { url: `http://${HOST}:${worker.port}`, token: devToken };
    const reloads = reloadOnChange(io, {
      ...{ project, envFile: options.envFile, compiled },
      serve: (next, values) => serveCompiled(address, next, values),
    });
    closers.push(() => reloads.stop());

    const url = `http://${HOST}:${front.port}`;
    const { org, key } = database;
    writeDevState(io.cwd, { url, key, org: org.id, db_url: database.url, db_token: database.token });
    if (options.json) printJson(io, { url, key, org: org.id, db_url: database.url });
    else
      printBanner(io, { url, key, org: org.slug, db: dbFile, routes: compiled.routes, missingKeys: secrets.missing });

    await aborted(io.signal);
    return await end(front, address);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Stops accepting, lets calls in flight end and their telemetry reach the database. */
async function end(front: Front, worker: WorkerAddress): Promise<ExitCode> {
  front.stopAccepting();
  const left = await drain(worker, DRAIN_MS).catch((cause: unknown) => {
    throw new CliError("dev.not_drained", "the Worker ended first; calls in flight and telemetry not stored are lost", {
      exitCode: EXIT.partial,
      fix: "send the signal to the modelrig process alone, not to its process group",
      cause,
    });
  });
  if (left.in_flight === 0 && left.queued === 0) return EXIT.done;
  throw new CliError(
    "dev.not_drained",
    `ended with ${left.in_flight} calls in flight and ${left.queued} telemetry records not stored`,
    { exitCode: EXIT.partial },
  );
}

function workerBindings(
  compiled: CompiledBundle,
  secrets: Readonly<Record<string, string>>,
  database: { readonly url: string; readonly token: string },
  devToken: string,
): Record<string, unknown> {
  return {
    ...secrets,
    MODELRIG_COMPILED: compiled,
    MODELRIG_SIM: "1",
    MODELRIG_DEV_TOKEN: devToken,
    TURSO_DATABASE_URL: database.url,
    TURSO_AUTH_TOKEN: database.token,
  };
}

async function listen(port: number, upstreamPort: () => number): Promise<Front> {
  try {
    return await startFront({ host: HOST, port, upstreamPort });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "EADDRINUSE") {
      throw new CliError("dev.port_taken", `port ${port} is taken`, {
        fix: "pass another with --port, or --port 0",
        cause,
      });
    }
    throw new CliError("dev.cannot_listen", `cannot listen on port ${port} (${code ?? "unknown reason"})`, {
      fix: "pass another with --port",
      cause,
    });
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CliError("cli.usage", `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}

function cronFailed(io: Io, cron: string, cause: unknown): void {
  io.stderr.write(`the cycle at "${cron}" failed: ${cause instanceof Error ? cause.message : String(cause)}\n`);
}
