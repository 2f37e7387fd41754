import { resolve } from "node:path";
import type { CompiledBundle } from "../../config/config.ts";
import { compileFolder, type FolderOptions } from "../../workspace/compile-folder.ts";
import { environment } from "../../workspace/env-file.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import type { Io } from "../command.ts";
import { printFaults } from "../output/faults.ts";
import { secretsFor, type WorkerSecrets } from "./secrets.ts";
import { watchFiles } from "./watch-files.ts";

interface ReloadOptions {
  readonly project: FolderOptions;
  readonly envFile: string | undefined;
  /** What the Worker started with. */
  readonly compiled: CompiledBundle;
  /** Makes the Worker serve it. */
  readonly serve: (compiled: CompiledBundle, secrets: WorkerSecrets["values"]) => Promise<void>;
}

/**
 * Serves routes and configuration anew when their files change, and says what changed. What does not compile is shown and
 * not served.
 */
export function reloadOnChange(
  io: Io,
  { project, envFile, compiled, serve }: ReloadOptions,
): { stop(): Promise<void> } {
  const paths = [project.routes ?? "routes", project.config ?? "modelrig.yaml"].map((path) =>
    resolve(project.cwd, path),
  );
  let served = compiled;
  const reload = async (): Promise<void> => {
    const next = await compiledOrFaults(io, project);
    if (next === undefined) {
      io.stderr.write("not reloaded: what compiled before is still served\n");
      return;
    }
    const changes = changesBetween(served, next);
    if (changes.length === 0) return;
    const secrets = secretsFor(next, environment(io, envFile));
    await serve(next, secrets.values);
    served = next;
    io.stderr.write(`reloaded ${changes.join(", ")}\n`);
    for (const name of secrets.missing) io.stderr.write(`${name} is not set; candidates that need it are skipped\n`);
  };
  return watchFiles(paths, () =>
    reload().catch((cause: unknown) => {
      io.stderr.write(`not reloaded: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    }),
  );
}

async function compiledOrFaults(io: Io, project: FolderOptions): Promise<CompiledBundle | undefined> {
  try {
    const { result, texts } = await compileFolder(project);
    printFaults(io, result.ok ? result.warnings : result.error, texts);
    return result.ok ? result.value : undefined;
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    io.stderr.write(`${cause.message}\n`);
    return undefined;
  }
}

/** What a person reads: each route that differs, and the configuration. Empty where both serve the same. */
function changesBetween(before: CompiledBundle, after: CompiledBundle): readonly string[] {
  const old = new Map(before.routes.map((route) => [route.name, JSON.stringify(route)]));
  const names = new Set(after.routes.map(({ name }) => name));
  const routes = after.routes.flatMap((route) => {
    const was = old.get(route.name);
    if (was === undefined) return [`${route.name} (new)`];
    return was === JSON.stringify(route) ? [] : [route.name];
  });
  const gone = [...old.keys()].filter((name) => !names.has(name)).map((name) => `${name} (removed)`);
  const config = JSON.stringify(before.config) === JSON.stringify(after.config) ? [] : ["the configuration"];
  return [...routes, ...gone, ...config];
}
