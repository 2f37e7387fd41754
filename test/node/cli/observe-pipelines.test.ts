import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayFolder } from "../../support/hosts/dev-gateway.ts";
import { type DevProcess, startDev } from "../../support/hosts/dev-process.ts";
import { type ObservedPipeline, observedPipeline, type PipelineName } from "../../support/hosts/observed-pipeline.ts";
import { type PublishedPackage, publishedPackage } from "../../support/hosts/published-package.ts";
import { type PipelineUpstream, startPipelineUpstream } from "../../support/upstreams/pipeline-upstream.ts";

let built: PublishedPackage;
let upstream: PipelineUpstream;
let gateway: DevProcess;
beforeAll(async () => {
  built = publishedPackage();
  upstream = await startPipelineUpstream();
  gateway = await startDev([], { cwd: gatewayFolder({ providers: {}, routes: {} }) });
  const settings = {
    method: "PUT",
    body: JSON.stringify({ custody: "content", artifact_max_bytes: 262_144, retention_days: null }),
  };
  expect((await ask("/v1/settings", settings)).status).toBe(200);
}, 180_000);
afterAll(async () => {
  await gateway?.stop();
  await upstream?.close();
  built?.remove();
});

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  // A connection kept open may be closed by the other side while a compiler blocks this process.
  const headers = {
    authorization: `Bearer ${gateway.ready.key}`,
    "content-type": "application/json",
    connection: "close",
  };
  return fetch(`${gateway.ready.url}${path}`, { ...init, headers });
}

interface Pipeline {
  readonly name: PipelineName;
  /** Files that the diffs change. */
  readonly changed: readonly string[];
}

const PIPELINES: readonly Pipeline[] = [
  { name: "openai-sdk", changed: ["src/client.ts"] },
  { name: "ai-sdk", changed: ["src/model.ts"] },
  { name: "langchain", changed: ["models.js"] },
];

/** Telemetry passes a queue: waits until all calls are there. */
async function recorded(pipeline: string, calls: number): Promise<{ calls: number; tokens: number }> {
  const query = `SELECT count(*), sum(input_tokens) FROM attempts WHERE tag.pipeline = '${pipeline}'`;
  for (let tries = 0; ; tries += 1) {
    const answer = (await (await ask("/v1/query", { method: "POST", body: JSON.stringify({ query }) })).json()) as {
      rows?: readonly Record<string, number>[];
    };
    const [count = 0, tokens = 0] = Object.values(answer.rows?.[0] ?? {});
    if (count >= calls) return { calls: count, tokens };
    if (tries > 200) throw new Error(`the gateway shows ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe.each(PIPELINES)("a pipeline in the shape of $name", ({ name, changed }) => {
  let pipeline: ObservedPipeline;
  let before: Map<string, string>;
  let plain: { readonly stdout: string; readonly requests: readonly string[] };

  const run = async (env: Readonly<Record<string, string>> = {}) => {
    upstream.reset();
    const ran = await pipeline.run({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: upstream.baseUrl, ...env });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    return { stdout: ran.stdout, requests: upstream.requests.toSorted() };
  };

  beforeAll(async () => {
    pipeline = observedPipeline(name, built);
    before = pipeline.files();
    expect(pipeline.typeCheck()).toMatchObject({ exitCode: 0, stdout: "" });
    plain = await run();
  }, 120_000);

  it("is left as it is: OBSERVE.md is written beside it", async () => {
    const { exit, out } = await pipeline.observe("--scope", name, "--json");
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ written: ["OBSERVE.md"] });
    const after = pipeline.files();
    for (const [path, text] of before) expect(after.get(path), path).toBe(text);
    expect([...after.keys()].filter((path) => !before.has(path))).toEqual(["OBSERVE.md"]);
  });

  it("takes the diffs of OBSERVE.md, and type-checks with them", () => {
    expect(pipeline.gitApply("--check", "OBSERVE.md")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pipeline.gitApply("OBSERVE.md")).toMatchObject({ exitCode: 0, stderr: "" });
    const after = pipeline.files();
    expect([...before.keys()].filter((path) => after.get(path) !== before.get(path))).toEqual(changed);
    expect(pipeline.typeCheck()).toMatchObject({ exitCode: 0, stdout: "" });
  }, 60_000);

  it("does the same without a key, byte for byte, and keeps nothing", async () => {
    expect(await run()).toEqual(plain);
    expect(existsSync(join(pipeline.folder, ".modelrig"))).toBe(false);
  }, 60_000);

  it("does the same with a key, and the gateway shows its calls and their tokens", async () => {
    expect(await run({ MODELRIG_URL: gateway.ready.url, MODELRIG_KEY: gateway.ready.key })).toEqual(plain);
    // Every request to a model, the failed one included.
    const { length } = plain.requests;
    const seen = await recorded(name, length);
    expect(seen.calls).toBe(length);
    expect(seen.tokens).toBeGreaterThan(1_000);
  }, 60_000);

  it("goes on with a malformed key, and says so", async () => {
    upstream.reset();
    const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: upstream.baseUrl, MODELRIG_URL: gateway.ready.url };
    const ran = await pipeline.run({ ...env, MODELRIG_KEY: "'rig_sk_quoted'" });
    expect(ran).toMatchObject({ exitCode: 0, stdout: plain.stdout });
    expect(ran.stderr).toMatch(/the key is malformed/);
  }, 60_000);
});

describe("clients of every package", () => {
  it("type-check with the lines that are put in, against the packages' own types", async () => {
    const pipeline = observedPipeline("every-client", built);
    const { exit, out } = await pipeline.observe("--scope", "every-client", "--json");
    expect(exit).toBe(0);
    const { clients } = JSON.parse(out) as { clients: { placed: boolean }[] };
    expect(clients.map(({ placed }) => placed)).toEqual(Array(6).fill(true));
    expect(pipeline.gitApply("OBSERVE.md")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pipeline.typeCheck()).toMatchObject({ exitCode: 0, stdout: "" });
  }, 60_000);
});
