/** The route's file in the repository, and the change of it that makes a variant the default. Nothing is written. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { servedDigest } from "../../bakeoff/evidence/served-payload.ts";
import { compileAll } from "../../config/compile-all.ts";
import type { CompiledBundle } from "../../config/config.ts";
import type { Failure, Result } from "../../failure/failure.ts";
import { DEFAULT_VARIANT, narrow } from "../../route/narrow.ts";
import { unifiedPatch } from "../../swap/patch.ts";
import { promoteVariant } from "../../swap/promote.ts";
import type { SwapPromise } from "../../swap/swap.ts";
import { CliError, EXIT } from "../command.ts";

interface RouteFile {
  /** Relative to the root of its git repository, with forward slashes; `git apply` runs there. */
  readonly path: string;
  readonly absolute: string;
  readonly text: string;
}

interface SwapProject {
  readonly cwd: string;
  readonly routes?: string | undefined;
  readonly config?: string | undefined;
}

interface SwapPatch {
  readonly path: string;
  readonly patch: string;
  readonly promised: SwapPromise;
  readonly notes: readonly string[];
}

export function findRouteFile(project: SwapProject, route: string): RouteFile {
  const folder = resolve(project.cwd, project.routes ?? "routes");
  const absolute = [".yaml", ".yml"].map((ending) => join(folder, route + ending)).find((file) => existsSync(file));
  if (absolute === undefined) {
    throw new CliError("swap.no_file", `there is no file of route ${route} in ${folder}`, {
      exitCode: EXIT.usage,
      fix: "run this in the repository that holds the routes, or pass --routes",
    });
  }
  const path = relative(repositoryRoot(absolute) ?? project.cwd, absolute)
    .split(sep)
    .join("/");
  return { path, absolute, text: readFileSync(absolute, "utf8") };
}

/** The patch, checked: the changed file compiles, and its default asks first what the variant was measured to ask. */
export async function promotionPatch(
  bundle: CompiledBundle,
  project: SwapProject,
  route: string,
  variant: string,
): Promise<SwapPatch> {
  const compiled = bundle.routes.find(({ name }) => name === route);
  if (!compiled) throw new CliError("swap.no_route", `no route is named ${route}`, { exitCode: EXIT.usage });
  const file = findRouteFile(project, route);
  const narrowed = unwrap(narrow(compiled, variant));
  const { text, notes } = unwrap(promoteVariant(file.text, narrowed));
  const after = await recompiled(bundle, project, file, text);
  // The variant's candidates come first, in its order; what stands behind them is the fallback that was declared before.
  const first = { ...after, candidates: after.candidates.slice(0, narrowed.candidates.length) };
  if ((await servedDigest(first)) !== (await servedDigest(narrowed))) {
    throw new CliError("swap.not_equivalent", `the changed ${file.path} would not serve as ${variant} was measured`, {
      fix: "change the file by hand",
    });
  }
  const serves = await servedDigest(unwrap(narrow(after, DEFAULT_VARIANT)));
  const promised = { route_hash: after.hash, serves };
  return { path: file.path, patch: unifiedPatch(file.path, file.text, text), promised, notes };
}

async function recompiled(bundle: CompiledBundle, project: SwapProject, file: RouteFile, text: string) {
  const config = resolve(project.cwd, project.config ?? "modelrig.yaml");
  const configFile = existsSync(config) ? { file: config, text: readFileSync(config, "utf8") } : undefined;
  const folder = dirname(file.absolute);
  const result = await compileAll([{ file: file.path, text }], configFile, {
    at: new Date(),
    readFile: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined),
  });
  const route = result.ok ? result.value.routes[0] : undefined;
  if (route && bundle.routes.some(({ name }) => name === route.name)) return route;
  throw new CliError("swap.invalid", `the changed ${file.path} would not be a valid route`, {
    fix: "change the file by hand",
  });
}

function repositoryRoot(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function unwrap<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value;
  throw new CliError("swap.cannot_promote", result.error.message, { exitCode: EXIT.no });
}
