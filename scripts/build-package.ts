/**
 * Builds the two packages that are published, as folders of `dist` (`--out DIR` instead). `modelrig-sdk`: the SDK with all
 * it needs in one piece, as an ES module and as CommonJS, nothing native in it. `modelrig`: the command line, file by file,
 * so that what it finds relative to itself lies as it does beside the sources; it hands the SDK on.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = process.argv.indexOf("--out");
const out = resolve(root, at === -1 ? "dist" : (process.argv[at + 1] ?? "dist"));
const cli = join(out, "modelrig");
const sdk = join(out, "modelrig-sdk");

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

/** Types were checked by the tests; a package is built of what is there. */
function emit(target: string, ...options: string[]): void {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", "tsconfig.package.json", "--noCheck", "--outDir", target, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`tsc ended with ${status}:\n${stdout}${stderr}`);
}

/** Copies a declaration file and all it imports; answers how many. */
function copyTypes(from: string, to: string, entry: string): number {
  const waiting = [entry];
  const seen = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = readFileSync(join(from, file), "utf8");
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(from, file), join(to, file));
    for (const [, specifier = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const imported = relative(from, resolve(from, dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
      if (seen.has(imported)) continue;
      seen.add(imported);
      waiting.push(imported);
    }
  }
  return seen.size;
}

/** SQLite stays in the package `modelrig`, and is loaded from there when it is needed. */
const localParts: Plugin = {
  name: "modelrig:local-parts",
  setup(plugin) {
    plugin.onResolve({ filter: /\/local-parts\.ts$/ }, () => ({ path: "modelrig/local", external: true }));
  },
};

async function bundleSdk(): Promise<void> {
  for (const [format, file] of [
    ["esm", "index.js"],
    ["cjs", "index.cjs"],
  ] as const) {
    await build({
      ...{ absWorkingDir: root, entryPoints: ["src/sdk/index.ts"], outfile: join(sdk, file), format },
      ...{ bundle: true, platform: "node", target: "node20", keepNames: true, logLevel: "warning" },
      // A package's own ES modules: its CommonJS calls `require`, which a bundle made of this one could not resolve.
      mainFields: ["module", "main"],
      conditions: ["import", "module"],
      alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
      plugins: [localParts],
    });
  }
}

function writeManifest(folder: string, own: Readonly<Record<string, unknown>>): void {
  const { version, license } = manifest;
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ ...own, version, license, type: "module" }, null, 2)}\n`,
  );
}

function copyInto(folder: string, names: readonly string[]): void {
  for (const name of names)
    if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
}

async function buildSdk(declarations: string): Promise<number> {
  await bundleSdk();
  const types = copyTypes(declarations, join(sdk, "types"), "sdk/index.d.ts");
  writeFileSync(join(sdk, "types", "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(sdk, "index.d.ts"), 'export * from "./types/sdk/index.js";\n');
  // The same declarations, read as those of CommonJS.
  copyTypes(declarations, join(sdk, "types-cjs"), "sdk/index.d.ts");
  writeFileSync(join(sdk, "types-cjs", "package.json"), '{ "type": "commonjs" }\n');
  writeFileSync(join(sdk, "index.d.cts"), 'export * from "./types-cjs/sdk/index.js";\n');
  copyInto(sdk, ["LICENSE", "NOTICE"]);
  writeManifest(sdk, {
    name: "modelrig-sdk",
    description: "The SDK of modelrig: routes in your own process, and records of the calls you make already.",
    engines: { node: ">=20" },
    main: "./index.cjs",
    types: "./index.d.ts",
    sideEffects: false,
    exports: {
      ".": {
        import: { types: "./index.d.ts", default: "./index.js" },
        require: { types: "./index.d.cts", default: "./index.cjs" },
      },
      "./package.json": "./package.json",
    },
  });
  return types;
}

function buildCli(): void {
  emit(join(cli, "dist"));
  copyInto(cli, ["bin", "migrations", "docs", "README.md", "LICENSE", "NOTICE", "dist/worker", "dist/page"]);
  for (const name of ["index.map", "index.js.map", "meta.json"])
    rmSync(join(cli, "dist/worker", name), { force: true });
  for (const [file, text] of [
    ["index.js", 'export * from "modelrig-sdk";\n'],
    ["index.d.ts", 'export * from "modelrig-sdk";\n'],
    ["index.cjs", 'module.exports = require("modelrig-sdk");\n'],
    ["index.d.cts", 'export * from "modelrig-sdk";\n'],
  ] as const)
    writeFileSync(join(cli, file), text);
  writeManifest(cli, {
    name: "modelrig",
    description: "An LLM gateway you own, at the edge, that proves cheaper models on your own traffic.",
    engines: { node: ">=22.12" },
    bin: { modelrig: "bin/modelrig.js" },
    types: "./index.d.ts",
    exports: {
      ".": {
        import: { types: "./index.d.ts", default: "./index.js" },
        require: { types: "./index.d.cts", default: "./index.cjs" },
      },
      "./local": "./dist/sdk/local/local-parts.js",
      "./package.json": "./package.json",
    },
    dependencies: { ...manifest.dependencies, "modelrig-sdk": manifest.version },
  });
}

for (const folder of [cli, sdk]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const declarations = mkdtempSync(join(tmpdir(), "modelrig-types-"));
try {
  emit(declarations, "--declaration", "--emitDeclarationOnly");
  const types = await buildSdk(declarations);
  buildCli();
  console.log(`built ${relative(root, cli)} and ${relative(root, sdk)} with ${types} type files`);
} finally {
  rmSync(declarations, { recursive: true, force: true });
}
