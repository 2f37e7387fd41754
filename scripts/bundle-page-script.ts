import { build } from "esbuild";

/** Builds the script of a bake-off's page in one piece, to stand within the page's own script element. */
export async function bundlePageScript(root: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/render/browser/page-script.ts"],
    outfile,
    bundle: true,
    format: "iife",
    target: "es2022",
    platform: "browser",
    minify: true,
    supported: { "inline-script": false },
    logLevel: "silent",
  });
}
