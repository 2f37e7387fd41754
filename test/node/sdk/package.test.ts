import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { node20, type PublishedPackage, publishedPackage } from "../../support/hosts/published-package.ts";
import { bufferedItems, CANDIDATES } from "../../support/hosts/rig.ts";
import { completion, type ScriptedUpstream, startScriptedUpstream } from "../../support/upstreams/scripted-upstream.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const examples = join(root, "test/types");

let built: PublishedPackage;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  built = publishedPackage();
  upstream = await startScriptedUpstream();
  cpSync(examples, built.consumer, { recursive: true });
  writeFileSync(join(built.consumer, "package.json"), JSON.stringify({ type: "module", private: true }));
}, 180_000);
afterAll(async () => {
  await upstream?.close();
  built?.remove();
});

async function run(node: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(node, args, { cwd: built.consumer, env: { PATH: "", ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, stdout, stderr };
}

/** The route and the provider that the examples name. */
function writeProject(): void {
  const m = { price: { input_per_million: 1, output_per_million: 2 }, max_output: 100 };
  const providers = { up: { dialect: "openai", base_url: upstream.baseUrl, models: { m } } };
  writeFileSync(join(built.consumer, "modelrig.yaml"), JSON.stringify({ providers }));
  mkdirSync(join(built.consumer, "routes"), { recursive: true });
  const input = { type: "object", properties: { ticket: { type: "string" } }, required: ["ticket"] };
  const template = { user: "{{ ticket }}" };
  const route = { route: "example.support_summarize", candidates: CANDIDATES, input, template };
  writeFileSync(join(built.consumer, "routes/example.support_summarize.yaml"), JSON.stringify(route));
}

describe("the published package", () => {
  it("type-checks the documented examples in a user's project, declarations included", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const check = () => execFileSync(process.execPath, [tsc, "-p", "tsconfig.json"], { cwd: built.consumer });
    expect(check).not.toThrow();
  }, 120_000);

  it("brings types that need no other package", () => {
    const types = join(built.sdk, "types");
    const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) expect(readFileSync(join(types, file), "utf8")).not.toMatch(/from "[^.]/);
  });

  it("runs every documented example on the oldest Node it promises", async ({ skip }) => {
    const node = node20();
    if (node === undefined) skip("there is no Node 20 on this machine (set NODE20)");
    writeProject();
    for (const name of ["examples", "examples-run"]) {
      const { code } = transformSync(readFileSync(join(examples, `${name}.ts`), "utf8"), {
        loader: "ts",
        format: "esm",
      });
      writeFileSync(join(built.consumer, `${name}.js`), code);
    }
    upstream.script(completion("a summary"));
    const { exitCode, stdout, stderr } = await run(node ?? "", ["examples-run.js"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    expect(seen).toMatchObject({
      node: expect.stringMatching(/^v20\./),
      recorded: expect.stringMatching(/^inf_/),
      promoted: expect.stringMatching(/^case_/),
      refusal: expect.stringContaining("raw-only"),
      notNamed: "bad_request",
      warnings: [],
    });
    const items = bufferedItems(built.consumer);
    const calls = items.flatMap((item) => (item.type === "inference" ? [item.inference] : []));
    expect(calls.filter(({ lane }) => lane === "live")).toHaveLength(4);
    expect(calls.filter(({ lane }) => lane === "recorded")).toHaveLength(5);
    const graded = seen["graded"] as { runId: string; inferenceId: string };
    expect(calls.find(({ id }) => id === graded.inferenceId)).toMatchObject({
      run: graded.runId,
      step: "summarize",
      tags: { subject: "acme" },
    });
    expect(
      calls
        .filter(({ step }) => step === "section")
        .map(({ arm }) => arm)
        .sort(),
    ).toEqual(["b", null, null]);
    expect(items.filter(({ type }) => type === "artifact")).toHaveLength(12);
    expect(items.filter(({ type }) => type === "run_end")).toHaveLength(5);
  });

  it("runs its command line without the sources", async () => {
    const help = await run(process.execPath, [join(built.folder, "bin/modelrig.js"), "--help"]);
    expect(help).toMatchObject({ exitCode: 0, stderr: "" });
    expect(help.stdout).toContain("bakeoff");
    writeProject();
    const check = await run(process.execPath, [join(built.folder, "bin/modelrig.js"), "routes", "check"]);
    expect(check).toMatchObject({ exitCode: 0 });
  });

  it("says in one sentence that the command line needs a newer Node", async ({ skip }) => {
    const node = node20();
    if (node === undefined) skip("there is no Node 20 on this machine (set NODE20)");
    const local = join(built.folder, "node_modules/node/bin/node");
    const old = await run(node ?? "", [join(built.folder, "bin/modelrig.js"), "--version"]);
    // In a clone the package `node` stands in; a user's install does not have it.
    if (old.exitCode === 0) expect(local).toContain("node");
    else expect(old).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^modelrig needs Node 22\.12/) });
  });

  it("packs what the command line, the SDK and `dev` need, and nothing of the tests", () => {
    const listed = execFileSync("npm", ["pack", "--ignore-scripts", "--dry-run", "--json"], {
      cwd: built.folder,
      encoding: "utf8",
    });
    const [packed] = JSON.parse(listed) as { files: { path: string }[] }[];
    const paths = new Set(packed?.files.map(({ path }) => path));
    for (const path of [
      "package.json",
      "bin/modelrig.js",
      "bin/workerd-shielded.sh",
      "migrations/0000_init.sql",
      "dist/cli/main.js",
    ]) {
      expect(paths).toContain(path);
    }
    expect([...paths].filter((path) => /^(test|src|workers|routes)\//.test(path))).toEqual([]);
  });
});

describe("modelrig-sdk alone", () => {
  let alone: string;
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: alone, encoding: "utf8" }).trim();
  beforeAll(() => {
    alone = mkdtempSync(join(tmpdir(), "modelrig-alone-"));
    writeFileSync(join(alone, "package.json"), JSON.stringify({ private: true }));
    const packed = execFileSync("npm", ["pack", "--pack-destination", alone], { cwd: built.sdk, encoding: "utf8" });
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${packed.trim()}`], { cwd: alone });
  }, 120_000);
  afterAll(() => rmSync(alone, { recursive: true, force: true }));

  const USE = `
    const rig = createRig({ routesDir: null, env: {}, onWarning: () => undefined });
    const { inferenceId } = rig.recordCall({ provider: "openai", model: "gpt-5.4-mini" });
    console.log(typeof inferenceId, typeof wrapOpenAI);
    void rig.close();`;

  it("is one package with nothing native, and nothing else is installed with it", () => {
    const installed = readdirSync(join(alone, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["modelrig-sdk"]);
    const manifest = JSON.parse(readFileSync(join(built.sdk, "package.json"), "utf8")) as object;
    expect(manifest).toMatchObject({ engines: { node: ">=20" } });
    expect(manifest).not.toHaveProperty("dependencies");
    expect(JSON.parse(readFileSync(join(built.folder, "package.json"), "utf8"))).toMatchObject({
      engines: { node: ">=22.12" },
    });
  });

  it("loads as an ES module, as CommonJS, and from one file that esbuild made of it", async () => {
    writeFileSync(join(alone, "esm.mjs"), `import { createRig, wrapOpenAI } from "modelrig-sdk";${USE}`);
    writeFileSync(join(alone, "cjs.cjs"), `const { createRig, wrapOpenAI } = require("modelrig-sdk");${USE}`);
    expect(node("esm.mjs")).toBe("string function");
    expect(node("cjs.cjs")).toBe("string function");
    const common: BuildOptions = { absWorkingDir: alone, entryPoints: ["esm.mjs"], bundle: true, format: "esm" };
    const external = ["modelrig/local"];
    await build({ ...common, external, platform: "node", outfile: "bundled.mjs" });
    expect(node("bundled.mjs")).toBe("string function");
    const worker: BuildOptions = { platform: "neutral", conditions: ["workerd"], mainFields: ["module", "main"] };
    const forWorkers = build({ ...common, ...worker, external: [...external, "node:*"], outfile: "worker.mjs" });
    await expect(forWorkers).resolves.toMatchObject({ errors: [] });
  });

  it("refuses a call under a limit of this machine in one sentence that names the package it needs", () => {
    const bundle = `{ route: "a.b", candidates: [{ provider: "sim", model: "atlas-small" }], input: { type: "object" },
      template: { user: "x" }, budget: { usd_per_day: 1 } }`;
    writeFileSync(join(alone, "modelrig.yaml"), "sim: { enabled: true, latency: 0 }\n");
    writeFileSync(
      join(alone, "limited.mjs"),
      `import { createRig } from "modelrig-sdk";
      const said = [];
      const rig = createRig({ routesDir: null, env: {}, onWarning: (line) => said.push(line) });
      const refused = await rig.runBundle(${bundle}, { input: {} }).catch((error) => error);
      console.log(JSON.stringify({ failureClass: refused.failureClass, reason: refused.reason, said }));
      await rig.close();`,
    );
    const told = JSON.parse(node("limited.mjs")) as { said: string[] };
    expect(told).toMatchObject({ failureClass: "budget_exhausted", reason: "envelope_unreachable" });
    expect(told.said.join()).toMatch(/need the package modelrig beside modelrig-sdk/);
  });
});
