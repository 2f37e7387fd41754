/**
 * Builds what `modelrig dev` runs: `dist/worker/index.js` (one ES module without routes: those are injected as the
 * binding MODELRIG_COMPILED), `manifest.json` (bindings, queue and crons as wrangler.toml states them) and
 * `meta.json` (esbuild's metafile, which the bundle tests read). Skipped where nothing changed; `--force` overrides.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { CompiledBundle } from "../src/config/config.ts";
import { DEFAULT_CONFIG } from "../src/config/defaults.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist", "worker");
const bundleFile = join(out, "index.js");
const manifestFile = join(out, "manifest.json");

/** What the bundle embeds in the place of compiled routes. */
const NO_ROUTES: CompiledBundle = { schema: "modelrig.compiled/1", routes: [], config: DEFAULT_CONFIG };

const BUNDLE_INPUTS = ["workers", "durable", "src", "package.json", "scripts/build.ts"];
const MANIFEST_INPUTS = ["wrangler.toml", "scripts/build.ts"];

/** Newest modification among files and folders, relative to the root. */
function newest(paths: readonly string[]): number {
  let latest = 0;
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    const status = statSync(full);
    const own = status.isDirectory() ? newest(readdirSync(full).map((name) => join(path, name))) : status.mtimeMs;
    latest = Math.max(latest, own);
  }
  return latest;
}

function isCurrent(target: string, inputs: readonly string[]): boolean {
  return existsSync(target) && statSync(target).mtimeMs >= newest(inputs);
}

async function bundleWorker(): Promise<void> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["workers/index.ts"],
    outfile: bundleFile,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "browser",
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    minify: true,
    keepNames: true,
    sourcemap: "external",
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
    plugins: [
      {
        name: "modelrig:compiled",
        setup(plugin) {
          plugin.onResolve({ filter: /^modelrig:compiled$/ }, ({ path }) => ({ path, namespace: "compiled" }));
          plugin.onLoad({ filter: /.*/, namespace: "compiled" }, () => ({
            contents: JSON.stringify(NO_ROUTES),
            loader: "json",
          }));
        },
      },
    ],
  });
  writeFileSync(join(out, "meta.json"), JSON.stringify(result.metafile));
  const bytes = readFileSync(bundleFile);
  const kilobytes = (size: number): string => `${Math.round(size / 1000)} kB`;
  console.log(`built dist/worker/index.js, ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} gzipped`);
}

/** The part of wrangler's configuration read here; its published types lose it behind an unresolved import. */
interface WranglerConfig {
  readonly compatibility_date?: string;
  readonly compatibility_flags: readonly string[];
  readonly triggers: { readonly crons?: readonly string[] };
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly workflows: readonly { readonly name: string; readonly binding: string; readonly class_name: string }[];
  readonly queues: {
    readonly producers?: readonly { readonly binding: string; readonly queue: string }[];
    readonly consumers?: readonly object[];
  };
}

async function writeManifest(): Promise<void> {
  const { unstable_readConfig } = await import("wrangler");
  const config: WranglerConfig = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const manifest = {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    crons: config.triggers.crons ?? [],
    objects: config.durable_objects.bindings.map(({ name, class_name }) => ({ binding: name, className: class_name })),
    workflows: config.workflows.map(({ name, binding, class_name }) => ({ name, binding, className: class_name })),
    queueProducers: config.queues.producers?.map(({ binding, queue }) => ({ binding, queue })) ?? [],
    queueConsumers: config.queues.consumers ?? [],
  };
  writeFileSync(manifestFile, JSON.stringify(manifest, null, 2));
}

const force = process.argv.includes("--force");
mkdirSync(out, { recursive: true });
const steps: Promise<void>[] = [];
if (force || !isCurrent(bundleFile, BUNDLE_INPUTS)) steps.push(bundleWorker());
if (force || !isCurrent(manifestFile, MANIFEST_INPUTS)) steps.push(writeManifest());
await Promise.all(steps);
