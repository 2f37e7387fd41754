/**
 * Builds what `modelrig dev` runs into `dist/worker`: `index.js`, which a call needs, and the parts that it imports when
 * they are first asked for; `manifest.json` (the list of these modules; bindings, queue and crons as wrangler.toml states
 * them); `meta.json` (esbuild's metafile, which the bundle tests read);
 * `THIRD_PARTY_NOTICES.txt` (licences of the packages in it). It holds no routes: those are injected as the
 * binding MODELRIG_COMPILED. `--deploy` builds the same modules into `dist/deploy`, with `dist/compiled.json` in them,
 * which is what `wrangler deploy` uploads. Beside them `dist/page/script.js`, the script of a bake-off's page. Skipped
 * where nothing changed; `--force` overrides.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";
import type { CompiledBundle } from "../src/config/config.ts";
import { DEFAULT_CONFIG } from "../src/config/defaults.ts";
import { bundlePageScript } from "./bundle-page-script.ts";
import { lazyPrices } from "./lazy-prices.ts";
import { bundledPackages, thirdPartyNotices } from "./third-party-notices.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const deploys = process.argv.includes("--deploy");
const out = join(root, "dist", deploys ? "deploy" : "worker");
const pageScript = join(root, "dist", "page", "script.js");
const manifestFile = join(out, "manifest.json");

/** What the bundle embeds in the place of compiled routes. */
const NO_ROUTES: CompiledBundle = { schema: "modelrig.compiled/1", routes: [], config: DEFAULT_CONFIG };

const SCRIPTS = [
  "scripts/build.ts",
  "scripts/bundle-page-script.ts",
  "scripts/lazy-prices.ts",
  "scripts/third-party-notices.ts",
];
const INPUTS = ["workers", "durable", "src", "package.json", "wrangler.toml", ...SCRIPTS];

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

const compiled: Plugin = {
  name: "modelrig:compiled",
  setup(plugin) {
    plugin.onResolve({ filter: /^modelrig:compiled$/ }, ({ path }) => ({ path, namespace: "compiled" }));
    plugin.onLoad({ filter: /.*/, namespace: "compiled" }, () => ({
      contents: deploys ? readFileSync(join(root, "dist", "compiled.json"), "utf8") : JSON.stringify(NO_ROUTES),
      loader: "json",
    }));
  },
};

/** Returns the names of the modules, the entry first. */
async function bundleWorker(): Promise<readonly string[]> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [{ in: "workers/index.ts", out: "index" }],
    outdir: out,
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    target: "es2024",
    platform: "browser",
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    minify: true,
    sourcemap: "external",
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
    plugins: [compiled, lazyPrices],
  });
  writeFileSync(join(out, "meta.json"), JSON.stringify(result.metafile));
  writeFileSync(join(out, "THIRD_PARTY_NOTICES.txt"), thirdPartyNotices(root, bundledPackages(result.metafile)));
  const files = readdirSync(out).filter((name) => name.endsWith(".js") && name !== "index.js");
  const modules = ["index.js", ...files.sort()];
  const size = (names: readonly string[]): string => {
    const texts = names.map((name) => readFileSync(join(out, name)));
    const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;
    const gzipped = gzipSync(Buffer.concat(texts)).length;
    return `${kilobytes(texts.reduce((sum, text) => sum + text.length, 0))}, ${kilobytes(gzipped)} gzipped`;
  };
  const first = staticallyImported(result.metafile);
  console.log(`built ${modules.length} modules, ${size(modules)}; a call needs ${first.length}, ${size(first)}`);
  return modules;
}

/** The entry and what it imports before it runs. */
function staticallyImported({ outputs }: Metafile): readonly string[] {
  const prefix = `dist/${deploys ? "deploy" : "worker"}/`;
  const reached = new Set([`${prefix}index.js`]);
  for (const path of reached) {
    for (const { path: to, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && to in outputs) reached.add(to);
    }
  }
  return [...reached].map((path) => path.slice(prefix.length));
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

async function writeManifest(modules: readonly string[]): Promise<void> {
  const { unstable_readConfig } = await import("wrangler");
  const config: WranglerConfig = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const manifest = {
    modules,
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

const force = process.argv.includes("--force") || deploys;
if (force || !isCurrent(manifestFile, INPUTS)) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const modules = await bundleWorker();
  if (!deploys) await writeManifest(modules);
}
if (!deploys && (force || !isCurrent(pageScript, ["src", ...SCRIPTS]))) await bundlePageScript(root, pageScript);
