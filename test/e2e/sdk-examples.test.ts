/** Every `@example` of the SDK's public docblocks: it type-checks, and does at a real gateway what it shows. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { type Client, createClient } from "@libsql/client";
import { generateText, wrapLanguageModel } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as sdk from "../../src/sdk/index.ts";
import { type DevGateway, gatewayFolder, startGateway } from "../support/hosts/dev-gateway.ts";
import { documentedSurface } from "../support/sources/documented-examples.ts";
import { projectRoot } from "../support/sources/source-files.ts";
import { type DialectUpstream, startDialectUpstream } from "../support/upstreams/dialect-upstream.ts";

/** Tables in which an example may leave rows. */
const TABLES = ["inferences", "runs", "artifacts", "artifact_links", "grades", "eval_cases"] as const;
type Left = Partial<Record<(typeof TABLES)[number], number>> & { readonly calls?: number };

/** By example: requests to the provider, and rows at the gateway. */
const LEAVES: Readonly<Record<string, Left>> = {
  "RigStream.final 1": { calls: 1, inferences: 1 },
  "RigStream.cancel 1": { calls: 1, inferences: 1 },
  "loadConfigFromEnv 1": {},
  "RigConfigError 1": {},
  "RigError 1": {},
  "ArtifactApi.save 1": { artifacts: 1 },
  "ArtifactApi.link 1": { artifacts: 2, artifact_links: 1 },
  "ArtifactApi.promoteToEval 1": { artifacts: 1, eval_cases: 1 },
  "RunApi.start 1": { calls: 1, inferences: 1, runs: 1 },
  "RunApi.scope 1": { calls: 1, inferences: 1, runs: 1, grades: 1 },
  "RunHandle.end 1": { runs: 1 },
  "createRig 1": { calls: 1, inferences: 1 },
  "Rig.run 1": { calls: 1, inferences: 1 },
  "Rig.run 2": { calls: 1, inferences: 1 },
  "Rig.runBundle 1": { calls: 1, inferences: 1 },
  "Rig.runRaw 1": { calls: 1, inferences: 1 },
  "Rig.runRawStream 1": { calls: 1, inferences: 1 },
  "Rig.recordCall 1": { inferences: 1 },
  "Rig.grade 1": { calls: 1, inferences: 1, grades: 1 },
  "Rig.replay 1": { calls: 2, inferences: 2 },
  "Rig.ready 1": {},
  "Rig.flush 1": { inferences: 1 },
  "Rig.close 1": {},
  "aiSdkMiddleware 1": { calls: 1, inferences: 1 },
  // Its package is none of ours: a model that LangChain itself has for tests answers in its place, without a request.
  "langchainHandler 1": { inferences: 1 },
  "observerRig 1": { runs: 1 },
  "wrapAnthropic 1": { calls: 1, inferences: 1 },
  "wrapGemini 1": { calls: 1, inferences: 1 },
  "wrapOpenAI 1": { calls: 1, inferences: 1 },
};

/** Shown as calls of routes or models; the gateway answers them as the process does. */
const THROUGH_THE_GATEWAY = ["Rig.run 1", "Rig.run 2", "Rig.runRaw 1", "Rig.runRawStream 1", "RigStream.final 1"];

/** Methods that a library calls, not a person. */
const CALLED_BY_LIBRARIES = /^(AiSdkMiddleware|LangchainHandler)\./;

const CLASSIFIED = { text: '{"category":"billing"}' };

const surface = documentedSurface("src/sdk/index.ts");
const examples = surface.flatMap(({ name, examples: codes }) =>
  codes.map((code, index) => ({ name: `${name} ${index + 1}`, code })),
);
const codeOf = (name: string): string => examples.find((example) => example.name === name)?.code ?? "";

let upstream: DialectUpstream;
let gateway: DevGateway;
let database: Client;
const environment = { ...process.env };
const startFolder = process.cwd();

beforeAll(async () => {
  upstream = await startDialectUpstream({ billing: CLASSIFIED, cheaper: CLASSIFIED });
  gateway = await startGateway(projectFiles());
  const state = JSON.parse(readFileSync(join(gateway.dev.cwd, ".modelrig/dev.json"), "utf8")) as { db_token: string };
  database = createClient({ url: gateway.dev.ready.db_url, authToken: state.db_token });
  const { url, key } = gateway.dev.ready;
  Object.assign(process.env, {
    ...{ MODELRIG_URL: url, MODELRIG_KEY: key, OPENAI_API_KEY: "sk-test", ANTHROPIC_API_KEY: "sk-test" },
    ...{ GEMINI_API_KEY: "test", OPENAI_BASE_URL: `${upstream.url}/v1`, ANTHROPIC_BASE_URL: upstream.url },
    GOOGLE_GEMINI_BASE_URL: upstream.url,
  });
}, 120_000);
afterAll(async () => {
  process.chdir(startFolder);
  process.env = environment;
  await sdk.observerRig().close();
  database?.close();
  await gateway?.dev.stop();
  await upstream?.close();
});

function projectFiles() {
  const price = { input_per_million: 1, output_per_million: 2 };
  const model = { price, context_window: 100_000, max_output: 100 };
  const up = {
    dialect: "openai",
    base_url: `${upstream.url}/v1`,
    models: { billing: model, cheaper: model, text: model },
  };
  const ticket = { type: "object", properties: { ticket: { type: "string" } }, required: ["ticket"] };
  const category = { type: "object", properties: { category: { type: "string" } }, required: ["category"] };
  const route = (...models: readonly string[]) => ({
    candidates: models.map((name) => ({ provider: "up", model: name })),
    ...{ input: ticket, template: { user: "{{ ticket }}" } },
  });
  const variants = [{ name: "cheaper", candidates: [{ provider: "up", model: "cheaper" }] }];
  const output = { schema: category, ladder: ["coached"] };
  return {
    providers: { up, openai: { base_url: `${upstream.url}/v1` } },
    env: { OPENAI_API_KEY: "sk-test" },
    routes: {
      "support.classify": { ...route("billing", "cheaper"), output, variants, capture: true },
      "support.reply": route("text"),
    },
  };
}

async function rows(): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(", ");
  const [row = {}] = (await database.execute(`SELECT ${counts}`)).rows;
  return Object.fromEntries(TABLES.map((table) => [table, Number((row as Record<string, unknown>)[table])]));
}

/** Runs an example in a project folder of its own; returns what it left, without what stayed at zero. */
async function leftBy(code: string, config: sdk.RigConfig = {}): Promise<Left> {
  const [before, asked] = [await rows(), upstream.asked.length];
  process.chdir(gatewayFolder(projectFiles()));
  const rig = sdk.createRig({ ...sdk.loadConfigFromEnv(), ...config });
  const quiet = { write: () => true };
  class ChatOpenAI extends FakeListChatModel {
    constructor({ callbacks }: { readonly callbacks: readonly sdk.LangchainHandler[] }) {
      super({ responses: ["hello"], callbacks: [...callbacks] });
    }
  }
  const scope: Record<string, unknown> = {
    ...sdk,
    ...{ rig, OpenAI, Anthropic, GoogleGenAI, ChatOpenAI, wrapLanguageModel, generateText },
    openai: createOpenAI(),
    console: { log: () => undefined, error: () => undefined },
    process: { env: process.env, stdout: quiet },
  };
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  const body = stripTypeScriptTypes(`(async () => {${code}\n})();`).replace(/^\(/, "return (");
  try {
    await new AsyncFunction(...Object.keys(scope), body)(...Object.values(scope));
  } finally {
    await rig.close();
    await sdk.observerRig().flush();
  }
  const after = await rows();
  const grown = TABLES.map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)] as const);
  return Object.fromEntries([["calls", upstream.asked.length - asked] as const, ...grown].filter(([, n]) => n !== 0));
}

describe("the SDK's documentation", () => {
  it("says of every method, function and class what it does, and shows it", () => {
    const own = surface.filter(({ name, needsExample }) => needsExample && !CALLED_BY_LIBRARIES.test(name));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter(({ says, examples: codes }) => says === "" || codes.length === 0)).toEqual([]);
  });

  it("has a row here for every example", () => {
    expect(examples.map(({ name }) => name).sort()).toEqual(Object.keys(LEAVES).sort());
  });

  it("shows only what type-checks", async () => {
    const folder = mkdtempSync(join(projectRoot, "test", ".examples-"));
    try {
      const header = readFileSync(join(projectRoot, "test/fixtures/examples/header.txt"), "utf8");
      cpSync(join(projectRoot, "test/fixtures/examples/tsconfig.json"), join(folder, "tsconfig.json"));
      for (const { name, code } of examples)
        writeFileSync(join(folder, `${name.replace(/\W/g, "-")}.ts`), `${header}\n${code}\n`);
      const tsc = join(projectRoot, "node_modules/.bin/tsc");
      const { stdout } = await promisify(execFile)(tsc, ["-p", folder]).catch((failed: { stdout: string }) => failed);
      expect(stdout).toBe("");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 300_000);
});

describe("the SDK's examples", () => {
  it.each(examples.map(({ name }) => name))("%s does what it shows", async (name) => {
    expect(await leftBy(codeOf(name))).toEqual(LEAVES[name]);
  });

  it.each(THROUGH_THE_GATEWAY)("%s is answered the same way through the gateway", async (name) => {
    expect(await leftBy(codeOf(name), { via: "gateway" })).toMatchObject({ calls: 1 });
  });
});
