/**
 * Real clients of several versions against `modelrig dev`, each onto an upstream of every dialect, raw and on a budgeted
 * route. Clients are installed from npm into a temporary folder, which is why this is no part of `npm test`. Arguments
 * name the clients to try (default: all); MODELRIG_CLIENTS names a folder that keeps what was installed.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DevReady, freshFolder, startDev } from "../support/hosts/dev-process.ts";
import { startDialectUpstream } from "../support/upstreams/dialect-upstream.ts";
import { scriptOutput } from "./script-output.ts";

interface Client {
  /** File in `scenarios/`. */
  readonly scenarios: string;
  readonly packages: readonly string[];
  /** Script of a package that puts its binary in place; no other script of a package is run. */
  readonly setUp?: string;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  "openai-4": { scenarios: "openai", packages: ["openai@4"] },
  "openai-5": { scenarios: "openai", packages: ["openai@5"] },
  "openai-6": { scenarios: "openai", packages: ["openai@6"] },
  "openai-7": { scenarios: "openai", packages: ["openai@7"] },
  "anthropic-0.39": { scenarios: "anthropic", packages: ["@anthropic-ai/sdk@0.39"] },
  "anthropic-1": { scenarios: "anthropic", packages: ["@anthropic-ai/sdk@1"] },
  "ai-4": { scenarios: "ai-sdk", packages: ["ai@4", "@ai-sdk/openai@1", "zod@3"] },
  "ai-5": { scenarios: "ai-sdk", packages: ["ai@5", "@ai-sdk/openai@2", "zod@4"] },
  "ai-6": { scenarios: "ai-sdk", packages: ["ai@6", "@ai-sdk/openai@3", "zod@4"] },
  "ai-7": { scenarios: "ai-sdk", packages: ["ai@7", "@ai-sdk/openai@4", "zod@4"] },
  "langchain-1": { scenarios: "langchain", packages: ["@langchain/openai@1", "@langchain/core@1", "zod@4"] },
  "openai-agents": { scenarios: "openai-agents", packages: ["@openai/agents", "zod@4"] },
  llamaindex: {
    scenarios: "llamaindex",
    packages: ["llamaindex", "@llamaindex/openai", "@llamaindex/workflow", "zod@4"],
  },
  mastra: { scenarios: "mastra", packages: ["@mastra/core@1", "@ai-sdk/openai@3", "zod@4"] },
  codex: { scenarios: "codex", packages: ["@openai/codex"] },
  opencode: { scenarios: "opencode", packages: ["opencode-ai"], setUp: "opencode-ai/postinstall.mjs" },
  promptfoo: { scenarios: "promptfoo", packages: ["promptfoo"] },
};

const PROVIDERS = { oai: "openai", res: "openai-responses", ant: "anthropic", gem: "gemini" } as const;
const MODELS = ["text", "steps", "json", "shell", "cut", "stall"] as const;
const scenarios = fileURLToPath(new URL("scenarios/", import.meta.url));

function install(name: string, { packages, setUp }: Client, home: string): string {
  const folder = join(home, name);
  mkdirSync(folder, { recursive: true });
  cpSync(scenarios, folder, { recursive: true });
  if (existsSync(join(folder, "node_modules"))) return folder;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm could not install ${packages.join(" ")}:\n${stderr}`);
  if (setUp !== undefined) {
    const done = spawnSync(process.execPath, [join("node_modules", setUp)], { cwd: folder, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${setUp} failed:\n${done.stderr}`);
  }
  return folder;
}

function workspace(upstream: string): string {
  const cwd = freshFolder();
  mkdirSync(join(cwd, "routes"));
  const names = Object.keys(PROVIDERS);
  for (const name of names) {
    for (const model of MODELS) {
      const route = `clients.${name}_${model}`;
      const text = `route: ${route}\ncandidates:\n  - { provider: ${name}, model: ${model} }\nbudget: { usd_per_day: 100 }\n`;
      writeFileSync(join(cwd, "routes", `${route}.yaml`), text);
    }
  }
  const models = MODELS.map(
    (model) => `      ${model}: { max_output: 4096, price: { input_per_million: 1, output_per_million: 2 } }`,
  );
  const rows = Object.entries(PROVIDERS).map(
    ([name, dialect]) =>
      `  ${name}:\n    dialect: ${dialect}\n    base_url: ${upstream}\n    capabilities: { native_strict: true, json_object: true, tools: true }\n    models:\n${models.join("\n")}`,
  );
  writeFileSync(join(cwd, "modelrig.yaml"), `responses_store: { ttl: 1h }\nproviders:\n${rows.join("\n")}\n`);
  return cwd;
}

/** Responses are kept only where the org allows content to be. */
async function allowContent({ url, key }: DevReady): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ custody: "content", artifact_max_bytes: 1_024, retention_days: null });
  const { status } = await fetch(`${url}/v1/settings`, { method: "PUT", headers, body });
  if (status !== 200) throw new Error(`PUT /v1/settings answered ${status}`);
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(CLIENTS, name));
if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(", ")}; there are ${Object.keys(CLIENTS)}`);
const home = process.env["MODELRIG_CLIENTS"] ?? mkdtempSync(join(tmpdir(), "modelrig-clients-"));
const upstream = await startDialectUpstream();
const dev = await startDev([], { cwd: workspace(upstream.url) });
try {
  await allowContent(dev.ready);
  for (const [name, client] of Object.entries(CLIENTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const folder = install(name, client, home);
    const env = {
      BASE_URL: dev.ready.url,
      KEY: dev.ready.key,
      UPSTREAM: upstream.url,
      PROVIDERS: Object.keys(PROVIDERS).join(","),
    };
    const { cases, faults } = await scriptOutput(join(folder, `${client.scenarios}.mjs`), env);
    console.log(`${name}: ${cases - faults.length} of ${cases}`);
    for (const fault of faults) console.log(`  ${fault}`);
    if (cases === 0 || faults.length > 0) process.exitCode = 1;
  }
} finally {
  await dev.stop();
  await upstream.close();
}
