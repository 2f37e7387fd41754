/** A copy of a pipeline's fixture beside the published package, observed, patched and run. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { main } from "../../../src/cli/main.ts";
import { fakeIo } from "./fake-io.ts";
import type { PublishedPackage } from "./published-package.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const tsc = join(root, "node_modules/typescript/bin/tsc");

const PACKAGES = ["openai", "ai", "@ai-sdk", "@anthropic-ai", "zod"];

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ObservedPipeline {
  readonly folder: string;
  observe(...args: string[]): Promise<{ readonly exit: number; readonly out: string; readonly err: string }>;
  /** Every file but those of `node_modules`, by path. */
  files(): Map<string, string>;
  gitApply(...args: string[]): Ran;
  typeCheck(): Ran;
  run(env: Readonly<Record<string, string>>): Promise<Ran>;
}

export type PipelineName = "openai-sdk" | "ai-sdk" | "langchain" | "every-client";

/** How a fixture is brought to run: compiled by its own settings, bundled, or as it is. */
const START: Readonly<Record<PipelineName, { readonly build?: (folder: string) => Ran; readonly main: string }>> = {
  "openai-sdk": {
    build: (folder) => sync(process.execPath, [tsc, "-p", "tsconfig.json"], folder),
    main: "built/main.js",
  },
  "ai-sdk": { build: bundle, main: "built/main.mjs" },
  langchain: { main: "main.js" },
  "every-client": { main: "src/every-client.ts" },
};

function bundle(folder: string): Ran {
  buildSync({
    ...{ absWorkingDir: folder, entryPoints: ["src/main.ts"], outfile: "built/main.mjs" },
    ...{ bundle: true, packages: "external", platform: "node", format: "esm" },
  });
  return { exitCode: 0, stdout: "", stderr: "" };
}

export function observedPipeline(name: PipelineName, { consumer }: PublishedPackage): ObservedPipeline {
  const folder = join(consumer, name);
  cpSync(join(root, "test/fixtures/pipelines", name), folder, { recursive: true });
  sync("git", ["init", "-q"], folder);
  writeFileSync(join(folder, ".gitignore"), "node_modules\nbuilt\n.modelrig\n");
  for (const one of PACKAGES) link(join(root, "node_modules", one), join(folder, "node_modules", one));
  if (name === "langchain")
    cpSync(join(root, "test/fixtures/langchain"), join(folder, "node_modules"), { recursive: true });
  return {
    folder,
    async observe(...args) {
      const io = fakeIo({ cwd: folder });
      const exit = await main(["observe", ...args], io);
      return { exit, out: io.out(), err: io.err() };
    },
    files: () => filesOf(folder),
    gitApply: (...args) => sync("git", ["apply", ...args], folder),
    typeCheck: () => sync(process.execPath, [tsc, "--noEmit", "-p", "tsconfig.json"], folder),
    async run(env) {
      const { build, main: entry } = START[name];
      const built = build?.(folder);
      if (built && built.exitCode !== 0) return built;
      const child = spawn(process.execPath, [entry], { cwd: folder, env: { PATH: "", NODE_NO_WARNINGS: "1", ...env } });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => {
        stdout += chunk.toString("utf8");
      });
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk.toString("utf8");
      });
      const [exitCode] = (await once(child, "close")) as [number | null];
      return { exitCode, stdout, stderr };
    },
  };
}

function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

function sync(command: string, args: readonly string[], cwd: string): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { exitCode: status, stdout, stderr };
}

export function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .map((entry) => ({ entry, path: relative(folder, join(entry.parentPath, entry.name)) }))
      .filter(({ entry, path }) => entry.isFile() && !/^(node_modules|built|\.modelrig|\.git)\//.test(path))
      .map(({ path }) => [path, readFileSync(join(folder, path), "utf8")]),
  );
}
