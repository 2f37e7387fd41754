/** Reads a routes folder and the configuration file, and compiles them. Shared by commands, `dev`, the build and the SDK. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { type CompileResult, compileAll, type YamlFile } from "../config/compile-all.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface FolderOptions {
  /** Folder that relative names start from, and that faults are shown relative to. */
  readonly cwd: string;
  /** Default `routes`; it may be absent only where it was not asked for. */
  readonly routes?: string | undefined;
  /** Default `modelrig.yaml`, likewise. */
  readonly config?: string | undefined;
}

interface CompiledFolder {
  readonly result: CompileResult;
  /** Text of every file read, by the name faults show. */
  readonly texts: ReadonlyMap<string, string>;
  readonly routesDir: string;
}

/** Faults of the files are in the result; an unreadable folder or file is a `WorkspaceError`. */
export async function compileFolder(options: FolderOptions): Promise<CompiledFolder> {
  const routesDir = resolve(options.cwd, options.routes ?? "routes");
  const texts = new Map<string, string>();
  const source = (path: string): YamlFile => {
    const file = relative(options.cwd, path) || path;
    const text = readText(path);
    texts.set(file, text);
    return { file, text };
  };
  const files = bundleFiles(routesDir, options.routes !== undefined).map(source);
  const configPath = resolve(options.cwd, options.config ?? "modelrig.yaml");
  if (options.config !== undefined && !existsSync(configPath)) {
    throw new WorkspaceError("config.not_found", `there is no configuration file ${configPath}`, { asked: true });
  }
  const configFile = existsSync(configPath) ? source(configPath) : undefined;
  const result = await compileAll(files, configFile, {
    at: new Date(),
    readFile: (path) => readWithin(routesDir, path, texts),
  });
  return { result, texts, routesDir };
}

function bundleFiles(routesDir: string, asked: boolean): string[] {
  if (!existsSync(routesDir) || !statSync(routesDir).isDirectory()) {
    if (!asked) return [];
    throw new WorkspaceError("routes.not_found", `there is no routes folder ${routesDir}`, {
      asked: true,
      fix: "modelrig routes new example.my_task",
    });
  }
  return readdirSync(routesDir)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(routesDir, name));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorkspaceError("routes.unreadable", `cannot read ${path}: ${why}`, { cause });
  }
}

/** A link inside the folder may point out of it; the real path decides. */
function readWithin(routesDir: string, path: string, texts: Map<string, string>): string | undefined {
  const full = join(routesDir, path);
  if (!existsSync(full) || !realpathSync(full).startsWith(realpathSync(routesDir) + sep)) return undefined;
  const text = readText(full);
  texts.set(path, text);
  return text;
}
