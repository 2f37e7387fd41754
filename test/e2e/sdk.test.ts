/** The SDK and a real gateway: what is recorded arrives exactly once, and both ways of calling answer the same. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRig, type Rig, type RigConfig } from "../../src/sdk/index.ts";
import { type DevGateway, startGateway } from "../support/hosts/dev-gateway.ts";
import { freshFolder } from "../support/hosts/dev-process.ts";
import { CANDIDATES, NO_RETRY, textRoute } from "../support/hosts/rig.ts";
import { type FlakyFront, startFlakyFront } from "../support/upstreams/flaky-front.ts";
import {
  completion,
  json,
  type ScriptedUpstream,
  startScriptedUpstream,
  streamed,
} from "../support/upstreams/scripted-upstream.ts";

const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false };

let upstream: ScriptedUpstream;
let gateway: DevGateway;
let front: FlakyFront;
let database: Client;
const rigs: Rig[] = [];

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const price = { input_per_million: 1, output_per_million: 2 };
  const m = { price, context_window: 100_000, max_output: 100, capabilities: { native_strict: true } };
  gateway = await startGateway({
    providers: { up: { dialect: "openai", base_url: upstream.baseUrl, models: { m } } },
    routes: {
      // A loaded machine answers late; that is not what is tested here.
      "a.text": textRoute({ timeouts: { attempt_ms: 170_000, call_ms: 175_000 } }),
      "a.json": textRoute({ output: { schema, ladder: ["native_strict"] } }),
      "a.limited": textRoute({ budget: { usd_per_day: 0.002 } }),
      "a.failing": { candidates: CANDIDATES, retry: NO_RETRY, template: { user: "x" } },
    },
  });
  front = await startFlakyFront(gateway.dev.ready.url);
  const state = JSON.parse(readFileSync(join(gateway.dev.cwd, ".modelrig/dev.json"), "utf8")) as { db_token: string };
  database = createClient({ url: gateway.dev.ready.db_url, authToken: state.db_token });
}, 120_000);
afterAll(async () => {
  await Promise.all(rigs.map((rig) => rig.close()));
  database?.close();
  await front?.close();
  await gateway?.dev.stop();
  await upstream?.close();
});

/** In the gateway's own project folder, so that both know the same routes. */
function rigHere(config: RigConfig = {}): Rig {
  const { url, key } = gateway.dev.ready;
  const rig = createRig({ cwd: gateway.dev.cwd, url, key, ...config });
  rigs.push(rig);
  return rig;
}

async function rows(sql: string, ...args: (string | number)[]): Promise<Record<string, unknown>[]> {
  const { rows: found } = await database.execute({ sql, args });
  return found.map((row) => ({ ...row }));
}

function recorder(cwd: string, count: number, close: boolean) {
  const script = fileURLToPath(new URL("../support/hosts/recording-process.ts", import.meta.url));
  const env = { PATH: process.env["PATH"] ?? "", MODELRIG_URL: front.url, MODELRIG_KEY: gateway.dev.ready.key };
  return spawn(process.execPath, [script, cwd, String(count), ...(close ? ["close"] : [])], { env, stdio: "ignore" });
}

describe("what the SDK records", () => {
  it("arrives exactly once, however often its process is killed and its answers are lost", async () => {
    const cwd = freshFolder();
    front.behave({ lost: 1 / 3, lateMs: 30 });
    for (const [run, delay] of [700, 1_100, 1_500, 900].entries()) {
      const child = recorder(cwd, 10_000, false);
      // The first word is written before the clock starts: a loaded machine takes its time to get there.
      await recordedMore(cwd, run);
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill("SIGKILL");
      await once(child, "close");
    }
    front.behave({ lost: 0, lateMs: 0 });
    const last = recorder(cwd, 0, true);
    const [exitCode] = await once(last, "close");
    expect(exitCode).toBe(0);

    const told = readFileSync(join(cwd, "recorded.txt"), "utf8").trim().split("\n");
    const recorded = told.map((line) => line.split(" ")).filter((ids) => ids.length === 4);
    expect(recorded.length).toBeGreaterThan(100);
    expect(front.seen.filter(({ path }) => path === "/v1/ingest").length).toBeGreaterThanOrEqual(4);
    const counted = await Promise.all([
      kept(
        "inferences",
        recorded.map(([, id = ""]) => id),
      ),
      kept(
        "grades",
        recorded.map(([, , id = ""]) => id),
      ),
      kept(
        "artifacts",
        recorded.map(([, , , id = ""]) => id),
      ),
      kept(
        "runs",
        recorded.map(([id = ""]) => id),
      ),
    ]);
    expect(counted).toEqual(Array(4).fill(recorded.length));
    // An attempt belongs to its call once, too; and nothing but what was recorded is there.
    const [attempts] = await rows(
      `select count(*) as calls, max(n) as most from (select count(*) as n from attempts a
       join inferences i on i.id = a.inference where i.lane = 'recorded' group by i.id)`,
    );
    expect(attempts?.["most"]).toBe(1);
    expect(Number(attempts?.["calls"])).toBeLessThanOrEqual(recorded.length + 4);
  }, 180_000);

  it("belongs to the run it was made in: 2,000 calls in 50 overlapping scopes", async () => {
    const rig = rigHere({ closeTimeoutMs: 60_000 });
    upstream.script(completion("ok"));
    const runs = new Map<string, string>();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        rig.artifacts.run.scope({ pipeline: "many", subject: `s${index}` }, async (run) => {
          runs.set(`s${index}`, run.runId);
          for (let call = 0; call < 40; call += 1) {
            await new Promise((resolve) => setTimeout(resolve, (index + call) % 4));
            await rig.run("a.text", { input: { text: "x" }, stepKey: `s${index}` });
          }
        }),
      ),
    );
    await rig.close();
    const found = await rows(
      `select i.run as run, i.step as step, count(*) as calls from inferences i
       join runs r on r.id = i.run where r.pipeline = 'many' group by i.run, i.step`,
    );
    expect(found).toHaveLength(50);
    for (const { run, step, calls } of found) {
      expect(calls).toBe(40);
      expect(run).toBe(runs.get(String(step)));
    }
  }, 180_000);

  it("is not sent while the key belongs to another org, and every flush says so", async () => {
    const warnings: string[] = [];
    const cwd = freshFolder();
    const rig = rigHere({
      cwd,
      routesDir: null,
      expectOrg: "another-org",
      url: front.url,
      onWarning: (line) => void warnings.push(line),
    });
    const before = front.seen.filter(({ path }) => path === "/v1/ingest").length;
    rig.recordCall({ provider: "openai", model: "gpt-5.4-mini" });
    await rig.flush();
    await rig.flush();
    await rig.close();
    expect(warnings.filter((line) => line.startsWith("ORG MISMATCH"))).toHaveLength(3);
    expect(warnings.at(-1)).toMatch(/stay buffered here.*: 1$/);
    expect(front.seen.filter(({ path }) => path === "/v1/ingest").length).toBe(before);
  });
});

/** How many of the ids are in the table. */
async function kept(table: string, ids: readonly string[]): Promise<number> {
  const [row] = await rows(
    `select count(*) as n from ${table} where id in (select value from json_each(?))`,
    JSON.stringify(ids),
  );
  return Number(row?.["n"]);
}

async function recordedMore(cwd: string, run: number): Promise<void> {
  const lines = (): number => {
    try {
      return readFileSync(join(cwd, "recorded.txt"), "utf8").split("\n").length;
    } catch {
      return 0;
    }
  };
  const before = run === 0 ? 0 : lines();
  while (lines() <= before) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("both ways of calling", () => {
  const ways = [
    ["in this process", {}],
    ["through the gateway", { via: "gateway" }],
  ] as const;

  it.each(ways)("%s: answer the same", async (_name, config) => {
    const rig = rigHere(config);
    upstream.script(completion('{"a":1}'));
    const result = await rig.run("a.json", { input: { text: "x" }, tags: { client: "c" }, stepKey: "s" });
    expect(result).toMatchObject({
      output: { a: 1 },
      text: '{"a":1}',
      meta: {
        route: "a.json",
        variant: "default",
        served: "up/m",
        rung: "native_strict",
        attempts: 1,
        conformant: true,
        finish: "stop",
        costUsd: "0.000025000",
        usage: { tokensIn: 11, tokensOut: 7 },
        simulated: false,
        stepKey: "s",
      },
    });
    const raw = await rig.runRaw({
      provider: "up",
      model: "m",
      messages: [{ role: "user", content: "x" }],
      responseSchema: schema,
    });
    expect(raw).toMatchObject({
      output: { a: 1 },
      meta: { served: "up/m", rung: "native_strict", costUsd: "0.000025000" },
    });
  });

  it.each(ways)("%s: stream the same", async (_name, config) => {
    const rig = rigHere(config);
    upstream.script(streamed([{ content: '{"a":' }, { content: "2}" }]));
    const stream = await rig.run("a.json", { input: { text: "x" }, stream: true });
    let text = "";
    for await (const piece of stream) text += piece;
    expect(text).toBe('{"a":2}');
    await expect(stream.final).resolves.toMatchObject({ output: { a: 2 }, meta: { served: "up/m", finish: "stop" } });
  });

  it.each(ways)("%s: fail the same", async (_name, config) => {
    const rig = rigHere(config);
    upstream.script(json(429, { error: { message: "slow down" } }));
    await expect(rig.run("a.text", { input: { text: "x" } })).rejects.toMatchObject({
      name: "RigError",
      failureClass: "capacity_shed",
      inferenceId: expect.stringMatching(/^inf_/),
      attempts: [{ provider: "up", model: "m", failureClass: "capacity_shed" }],
    });
    upstream.script(completion("not json"));
    await expect(rig.run("a.json", { input: { text: "x" } })).rejects.toMatchObject({
      failureClass: "content_invalid",
    });
    await expect(rig.run("a.text", { input: {} })).rejects.toMatchObject({
      failureClass: "bad_request",
      param: "/input",
    });
    upstream.script(streamed([{ content: '{"a":' }, { content: '"no"}' }]));
    const stream = await rig.run("a.json", { input: { text: "x" }, stream: true });
    await expect(stream.final).rejects.toMatchObject({ failureClass: "content_invalid" });
  });
});

describe("spend limits of calls made here", () => {
  it("are the org's own: what the gateway spent is spent here too", async () => {
    upstream.script(completion("ok"));
    const here = rigHere();
    const there = rigHere({ via: "gateway" });
    let answered = 0;
    for (;;) {
      const rig = answered % 2 === 0 ? here : there;
      const error = await rig.run("a.limited", { input: { text: "x" } }).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      if (error !== undefined) {
        expect(error).toMatchObject({ failureClass: "budget_exhausted" });
        break;
      }
      answered += 1;
    }
    expect(answered).toBeGreaterThan(2);
    await expect(here.run("a.limited", { input: { text: "x" } })).rejects.toMatchObject({
      failureClass: "budget_exhausted",
    });
  });

  it("refuse the call where the gateway cannot be asked", async () => {
    const warnings: string[] = [];
    const { cwd } = gateway.dev;
    // Nobody listens there.
    const dead = "http://127.0.0.1:47999";
    const rig = rigHere({ cwd, url: dead, closeTimeoutMs: 100, onWarning: (line) => void warnings.push(line) });
    const before = upstream.seen.length;
    await expect(rig.run("a.limited", { input: { text: "x" } })).rejects.toMatchObject({
      failureClass: "budget_exhausted",
      reason: "envelope_unreachable",
    });
    expect(upstream.seen.length).toBe(before);
    // A route without limits asks nobody.
    upstream.script(completion("ok"));
    await expect(rig.run("a.text", { input: { text: "x" } })).resolves.toMatchObject({ output: "ok" });
  });
});

describe("a promoted artifact", () => {
  it("becomes an eval case under the id that the rig answered, once", async () => {
    const rig = rigHere({ routesDir: null });
    const output = rig.artifacts.artifact.save({ a: 1 }, { name: "out", type: "step_output", task: "a.json" });
    if (!output) throw new Error("not saved");
    const caseId = rig.artifacts.artifact.promoteToEval(output, { variables: { text: "x" }, corrected: { a: 2 } });
    await rig.close();
    const found = await rows("select id, task, corrected from eval_cases where artifact = ?", output.id);
    expect(found).toEqual([{ id: caseId, task: "a.json", corrected: 1 }]);
  });
});
