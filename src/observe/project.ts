/** The project to look at: its folder and its files. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { parseFile, type SourceFile } from "./syntax.ts";

export interface Project {
  /** The folder of the nearest package.json, absolute. */
  readonly root: string;
  /** What was asked to be looked at. */
  readonly files: readonly SourceFile[];
  readonly unreadable: readonly { readonly path: string; readonly why: string }[];
}

const SOURCE = /\.[cm]?[jt]sx?$/;
const NOT_SOURCE = /(\.d\.[cm]?ts|\.(test|spec|stories|config)\.[cm]?[jt]sx?|\.min\.js)$/;
const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  "build",
  "out",
  "coverage",
  "__tests__",
  "vendor",
]);
const MOST_FILES = 5_000;
const LARGEST_FILE = 1_000_000;

export function openProject(cwd: string, asked: string): Project {
  const target = resolve(cwd, asked);
  if (!existsSync(target)) throw usage(`there is no ${asked}`, "modelrig observe src/pipeline --scope NAME");
  const isFolder = statSync(target).isDirectory();
  const root = rootOf(isFolder ? target : dirname(target), isFolder ? target : cwd);
  const paths = isFolder ? withoutIgnored(target, sourcesIn(target, outputOf(root))) : [target];
  if (paths.length > MOST_FILES)
    throw usage(`${asked} holds more than ${MOST_FILES} files`, "name the folder of one pipeline");
  const unreadable: { path: string; why: string }[] = [];
  const files = paths.flatMap((path) => {
    const name = relative(root, path).split(sep).join("/");
    try {
      return parseFile(name, readFileSync(path, "utf8"));
    } catch (cause) {
      unreadable.push({ path: name, why: cause instanceof Error ? cause.message : String(cause) });
      return [];
    }
  });
  return { root, files, unreadable };
}

function usage(message: string, fix: string): WorkspaceError {
  return new WorkspaceError("observe.path", message, { asked: true, fix });
}

function rootOf(from: string, otherwise: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return otherwise;
  }
}

/** What git ignores was made from something else: bundles, generated clients. Without git, or outside it, all stay. */
function withoutIgnored(folder: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return paths;
  const input = paths.map((path) => `${path}\0`).join("");
  const { status, stdout } = spawnSync("git", ["check-ignore", "-z", "--stdin"], {
    cwd: folder,
    input,
    encoding: "utf8",
  });
  // 0 = some are ignored, 1 = none, anything else = no repository, or no git.
  if (status !== 0) return paths;
  const ignored = new Set(stdout.split("\0"));
  const kept = paths.filter((path) => !ignored.has(path));
  // A project that is ignored as a whole was named on purpose.
  return kept.length > 0 ? kept : paths;
}

/** Where the compiler writes, absolute. Settings may hold comments, so they are not read as JSON. */
function outputOf(root: string): string | undefined {
  const file = join(root, "tsconfig.json");
  const written = existsSync(file) ? /"outDir"\s*:\s*"([^"]+)"/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
  const folder = written === undefined ? undefined : resolve(root, written);
  return folder === root ? undefined : folder;
}

function sourcesIn(folder: string, output: string | undefined): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name) && !entry.name.startsWith(".") && path !== output)
        found.push(...sourcesIn(path, output));
    } else if (entry.isFile() && SOURCE.test(entry.name) && !NOT_SOURCE.test(entry.name)) {
      if (statSync(path).size <= LARGEST_FILE) found.push(path);
    }
  }
  return found;
}
