/**
 * Builds what the published package holds besides the Worker: the command line, file by file, so that what it finds
 * relative to itself lies as it does beside the sources; the SDK in one piece, which is what starts fastest; and the
 * SDK's types, those that its own surface reaches. `--out DIR` instead of `dist`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = process.argv.indexOf("--out");
const out = resolve(root, at === -1 ? "dist" : (process.argv[at + 1] ?? "dist"));

/** Types were checked by the tests; a package is built of what is there. */
function emit(target: string, ...options: string[]): void {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", "tsconfig.package.json", "--noCheck", "--outDir", target, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`tsc ended with ${status}:\n${stdout}${stderr}`);
}

/** Copies a declaration file and all it imports. */
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

async function bundleSdk(): Promise<void> {
  rmSync(join(out, "sdk"), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ["src/sdk/index.ts"],
    outdir: join(out, "sdk"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    keepNames: true,
    logLevel: "warning",
  });
}

const declarations = mkdtempSync(join(tmpdir(), "modelrig-types-"));
try {
  emit(out);
  emit(declarations, "--declaration", "--emitDeclarationOnly");
  rmSync(join(out, "types"), { recursive: true, force: true });
  const types = copyTypes(declarations, join(out, "types"), "sdk/index.d.ts");
  await bundleSdk();
  const shown = relative(root, out) || ".";
  console.log(`built ${shown}/cli, ${shown}/sdk/index.js and ${types} type files in ${shown}/types`);
} finally {
  rmSync(declarations, { recursive: true, force: true });
}
