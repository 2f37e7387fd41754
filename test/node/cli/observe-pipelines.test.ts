import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayFolder } from "../../support/dev-gateway.ts";
import { type DevProcess, startDev } from "../../support/dev-process.ts";
import { type ObservedPipeline, observedPipeline, type PipelineName } from "../../support/observed-pipeline.ts";
import { type PipelineUpstream, startPipelineUpstream } from "../../support/pipeline-upstream.ts";
import { type PublishedPackage, publishedPackage } from "../../support/published-package.ts";

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

interface Step {
  readonly step: string;
  readonly inferences: number;
  readonly cost_usd: string | null;
  readonly input_tokens: number | null;
}

interface RunView {
  readonly run: { readonly pipeline: string; readonly environment: string; readonly status: string };
  readonly cost_usd: string | null;
  readonly grades: readonly object[];
  readonly steps: readonly Step[];
  readonly artifacts: readonly {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly step: string;
  }[];
}

/** Telemetry passes a queue: waits until the run is there with all its calls. */
async function runOf(pipeline: string, calls: number): Promise<RunView> {
  for (let tries = 0; ; tries += 1) {
    const { runs } = (await (await ask(`/v1/runs?pipeline=${pipeline}`)).json()) as { runs: { id: string }[] };
    const view = runs[0] ? ((await (await ask(`/v1/runs/${runs[0].id}`)).json()) as RunView) : undefined;
    const seen = view?.steps.reduce((sum, { inferences }) => sum + inferences, 0) ?? 0;
    if (view && runs.length === 1 && seen >= calls && view.run.status !== "running") return view;
    if (tries > 200) throw new Error(`the gateway shows ${JSON.stringify(view ?? runs)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Expected {
  readonly name: PipelineName;
  /** Files that the diffs change. */
  readonly changed: readonly string[];
  readonly seam: string;
  /** Model calls that are answered, by step. */
  readonly calls: Readonly<Record<string, number>>;
  readonly byHand: number;
}

const PIPELINES: readonly Expected[] = [
  {
    name: "openai-sdk",
    changed: ["src/pipeline.ts", "src/steps.ts"],
    seam: "src/record-step.ts",
    calls: { sortCommits: 1, explainChanges: 2, writeNotes: 1, titleOf: 1, embed: 1 },
    byHand: 0,
  },
  {
    name: "ai-sdk",
    changed: ["src/desk.ts"],
    seam: "src/record-step.ts",
    calls: { classify: 1, research: 2, reply: 1, vectorOf: 1 },
    byHand: 0,
  },
  {
    name: "langchain",
    changed: ["reading-list.js"],
    seam: "record-step.js",
    calls: { summarize: 2, rank: 2, critique: 2, tell: 1, tellSlowly: 1 },
    byHand: 1,
  },
];

describe.each(PIPELINES)("a pipeline in the shape of $name", ({ name, changed, seam, calls, byHand }) => {
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
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

  it("is left as it is: a seam and OBSERVE.md are written beside it", async () => {
    const { exit, out } = await pipeline.observe("--scope", name, "--json");
    expect(exit).toBe(0);
    const document = JSON.parse(out) as { calls: { placed: boolean }[]; written: string[] };
    expect(document.written).toEqual([seam, "OBSERVE.md"]);
    expect(document.calls.filter(({ placed }) => !placed)).toHaveLength(byHand);
    const after = pipeline.files();
    for (const [path, text] of before) expect(after.get(path), path).toBe(text);
    expect([...after.keys()].filter((path) => !before.has(path)).toSorted()).toEqual(["OBSERVE.md", seam].toSorted());
  });

  it("takes the diffs of OBSERVE.md, and type-checks with them", () => {
    expect(pipeline.gitApply("--check", "OBSERVE.md")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pipeline.gitApply("OBSERVE.md")).toMatchObject({ exitCode: 0, stderr: "" });
    const after = pipeline.files();
    expect([...before.keys()].filter((path) => after.get(path) !== before.get(path)).toSorted()).toEqual(changed);
    expect(pipeline.typeCheck()).toMatchObject({ exitCode: 0, stdout: "" });
  }, 60_000);

  it("does the same without a key, byte for byte, and keeps nothing", async () => {
    expect(await run()).toEqual(plain);
    expect(await run({ MODELRIG_URL: gateway.ready.url })).toEqual(plain);
    expect(existsSync(join(pipeline.folder, ".modelrig"))).toBe(false);
  }, 60_000);

  it("does the same with a key, and is one run of priced steps at the gateway", async () => {
    const env = { MODELRIG_URL: gateway.ready.url, MODELRIG_KEY: gateway.ready.key, NODE_ENV: "staging" };
    expect(await run(env)).toEqual(plain);
    const view = await runOf(name, total);
    expect(view.run).toMatchObject({ pipeline: name, environment: "staging", status: "succeeded" });
    expect(Object.fromEntries(view.steps.map(({ step, inferences }) => [step, inferences]))).toEqual(calls);
    for (const { step, cost_usd } of view.steps) expect(Number(cost_usd), step).toBeGreaterThan(0);
    expect(Number(view.cost_usd)).toBeCloseTo(
      view.steps.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0),
      9,
    );
  }, 60_000);

  it("keeps what each step asked and answered, with its lineage", async () => {
    const { artifacts } = await runOf(name, total);
    for (const step of Object.keys(calls)) {
      const types = artifacts.filter((one) => one.step === step).map(({ type }) => type);
      expect(new Set(types), step).toEqual(new Set(["prompt", "raw_response", "step_output"]));
    }
    for (const { id } of artifacts.filter(({ type }) => type === "step_output")) {
      const promoted = await ask(`/v1/artifacts/${id}/promote`, { method: "POST", body: "{}" });
      expect(promoted.status).toBe(201);
    }
  });

  it("goes on with a malformed key, and says so", async () => {
    upstream.reset();
    const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: upstream.baseUrl, MODELRIG_URL: gateway.ready.url };
    const ran = await pipeline.run({ ...env, MODELRIG_KEY: "'rig_sk_quoted'" });
    expect(ran).toMatchObject({ exitCode: 0, stdout: plain.stdout });
    expect(ran.stderr).toMatch(/the key is malformed/);
  }, 60_000);
});

describe("calls of every client, streams and parsed answers included", () => {
  it("type-check with their records against the clients' own types", async () => {
    const pipeline = observedPipeline("every-client", built);
    const { exit, out } = await pipeline.observe("--scope", "every-client", "--json");
    expect(exit).toBe(0);
    const { calls } = JSON.parse(out) as { calls: { placed: boolean }[] };
    expect(calls.map(({ placed }) => placed)).toEqual(Array(11).fill(true));
    expect(pipeline.gitApply("OBSERVE.md")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pipeline.typeCheck()).toMatchObject({ exitCode: 0, stdout: "" });
  }, 60_000);
});

describe("a schema that was asked for and checked", () => {
  it("is a grade on the output of its step", async () => {
    const { artifacts, grades } = await runOf("ai-sdk", 5);
    const output = artifacts.find(({ name }) => name === "classify.output");
    expect(output).toMatchObject({ conformant: true });
    expect(grades).toMatchObject([
      { subject: { kind: "artifact", id: output?.id }, score: 1, kind: "deterministic", grader: "schema-check" },
    ]);
  });
});
