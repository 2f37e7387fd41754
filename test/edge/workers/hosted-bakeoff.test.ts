import { introspectWorkflow } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { OrgBakeoffs } from "../../../src/store/evidence/bakeoffs.ts";
import { OrgHostedBakeoffs } from "../../../src/store/evidence/hosted-bakeoffs.ts";
import type { Env } from "../../../workers/bindings.ts";
import { candidate, type Gateway, openGateway, route, upstreamProvider, user } from "../gateway.ts";
import { edgeStore, newKey, newOrg } from "../keys.ts";

const priced = { price: { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" } };
const model = (id: string) => ({ id, contextWindow: 100_000, maxOutput: 100, capabilities: {}, ...priced });
const models = Object.fromEntries(["echo-a", "echo-b", "status-500"].map((id) => [id, model(id)]));
const variant = (name: string, key: string) => ({ name, candidates: [candidate(key)] });
const routes = [
  route("hosted.two", ["up/echo-a", candidate("up/echo-b", { trial: true })], {
    variants: [variant("cheap", "up/echo-b")],
  }),
  route("hosted.moved", ["up/echo-a"]),
  route("hosted.locked", ["locked/echo-a"]),
];
const providers = [
  upstreamProvider("up", inject("upstreamUrl"), { models }),
  upstreamProvider("locked", inject("upstreamUrl"), { models, apiKeyEnv: "NOT_SET" }),
];

// The workflow runs with the bindings of the Worker itself, which are shared by all tests of this file.
const bindings = env as unknown as Env;
const own = { ...bindings };
const deployed = openGateway({ routes, providers });
Object.assign(bindings, deployed.env, {
  ROUTE_BREAKER: own.ROUTE_BREAKER,
  SPEND_ENVELOPES: own.SPEND_ENVELOPES,
  // A later deploy changed this route.
  MODELRIG_COMPILED: {
    ...deployed.env.MODELRIG_COMPILED,
    routes: routes.map((one) => (one.name === "hosted.moved" ? { ...one, hash: "1".repeat(64) } : one)),
  },
});

type Json = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of whatever shape is compared, never trusted
  readonly body: any;
  readonly code: string | undefined;
}

interface Rig {
  readonly gateway: Gateway;
  readonly key: string;
  readonly org: string;
  /** In every input of this rig. */
  readonly marker: string;
  send(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Answer>;
  /** Id of a bake-off of `hosted.two` that was started. */
  start(body?: Json): Promise<string>;
  /** The answer once there is a report, or none to come. */
  ended(id: string, patienceMs?: number): Promise<Answer>;
  /** Requests the upstream saw of each input on each model. */
  paid(): Promise<Map<string, number>>;
}

async function rig(cases = 0): Promise<Rig> {
  const { org, key } = await newOrg();
  const gateway = openGateway({ routes, providers, key, env: { HOSTED_BAKEOFFS: own.HOSTED_BAKEOFFS } });
  const marker = crypto.randomUUID();
  const send: Rig["send"] = async (method, path, body, headers = {}) => {
    const response = await gateway.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const json = (await response.json()) as Json;
    const code = (json["error"] as { code?: string } | null | undefined)?.code;
    return { status: response.status, headers: response.headers, body: json, code };
  };
  for (let index = 0; index < cases; index += 1) {
    const content = `${marker} input ${index}`;
    const request = { messages: user(content) };
    // Every third golden is not what an echo says.
    const expected = index % 3 === 0 ? "something else" : content;
    await send("POST", "/v1/eval-cases", { task: "hosted.two", input: { kind: "messages", request }, expected });
  }
  return {
    ...{ gateway, key, org, marker, send },
    async start(body = {}) {
      const started = await send("POST", "/v1/bakeoffs/run/hosted.two", body);
      expect(started.status, JSON.stringify(started.body)).toBe(202);
      return started.body.id;
    },
    ended: (id, patienceMs = 30_000) =>
      vi.waitFor(
        async () => {
          const answer = await send("GET", `/v1/bakeoffs/${id}`);
          const { schema, state } = answer.body;
          expect(schema ?? state).toMatch(/^(modelrig\.bakeoff\/1|failed|cancelled)$/);
          return answer;
        },
        { timeout: patienceMs, interval: 100 },
      ),
    async paid() {
      const seen = await fetch(`${inject("upstreamUrl")}/seen?marker=${marker}`);
      const { requests } = (await seen.json()) as { requests: { body: { model: string; messages: Json[] } }[] };
      const counts = new Map<string, number>();
      for (const { body } of requests) {
        const call = `${body.model}: ${String(body.messages.at(-1)?.["content"])}`;
        counts.set(call, (counts.get(call) ?? 0) + 1);
      }
      return counts;
    },
  };
}

const stateOf = (one: Rig, id: string) => edgeStore().forOrg(one.org).hostedBakeoffs.get(id);

let workflow: Awaited<ReturnType<typeof introspectWorkflow>>;
beforeEach(async () => {
  workflow = await introspectWorkflow(own.HOSTED_BAKEOFFS as Workflow);
  await workflow.modifyAll(async (all) => {
    await all.disableRetryDelays();
    await all.disableSleeps();
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await deployed.settled();
  await workflow.dispose();
});

describe("a hosted bake-off", () => {
  test("sends a question once, however many eval cases ask it, and counts it so often", {
    timeout: 90_000,
  }, async () => {
    const one = await rig(10);
    for (const spelt of [(text: string) => ` ${text}\n`, (text: string) => [{ type: "text", text }]]) {
      for (let index = 0; index < 10; index += 1) {
        const content = `${one.marker} input ${index}`;
        const request = { messages: user(spelt(content) as string), temperature: index };
        await one.send("POST", "/v1/eval-cases", {
          task: "hosted.two",
          input: { kind: "messages", request },
          expected: content,
        });
      }
    }
    const { body: report } = await one.ended(await one.start({ seed: 3 }));
    expect(report.inputs).toMatchObject({ asked: 200, used: 10, weight: 30 });
    for (const arm of report.arms) expect(arm.sent).toBe(10);
    const requests = [...(await one.paid()).values()].reduce((sum, count) => sum + count, 0);
    expect(requests, "each question on each arm, once").toBe(20);
  });

  test("measures every eval case on every arm and answers its report where it said", { timeout: 90_000 }, async () => {
    const one = await rig(15);
    const started = await one.send("POST", "/v1/bakeoffs/run/hosted.two", { seed: 7 });
    expect(started.status, JSON.stringify(started.body)).toBe(202);
    expect(started.body).toMatchObject({ state: "queued", poll: `/v1/bakeoffs/${started.body.id}` });
    expect(started.headers.get("location")).toBe(started.body.poll);

    const { body: report } = await one.ended(started.body.id);
    expect(report).toMatchObject({
      route: "hosted.two",
      seed: 7,
      partial: false,
      metric: "golden",
      incumbent: "default",
    });
    expect(report.inputs).toMatchObject({ asked: 200, used: 15, messages: 15 });
    expect(report.arms.map((arm: Json) => [arm["arm"], arm["sent"]])).toEqual([
      ["default", 15],
      ["cheap", 15],
    ]);
    for (const arm of report.arms) expect(arm.quality).toMatchObject({ metric: "golden", n: 15 });
    expect([...(await one.paid()).values()], "each once, in two batches").toEqual(Array(30).fill(1));
    // The report is there a moment before the run says that it is done.
    await expect.poll(async () => (await stateOf(one, report.id))?.state).toBe("done");
    expect((await one.send("GET", `/bakeoff/${report.id}`)).body, "by its short path too").toEqual(report);
    expect((await one.send("GET", "/v1/bakeoffs")).body.bakeoffs).toMatchObject([{ id: report.id, partial: false }]);

    await deployed.settled();
    const { body: calls } = await one.send("GET", "/v1/inferences?lane=replay&limit=200");
    expect(calls.inferences).toHaveLength(30);
    expect(calls.inferences[0]).toMatchObject({ lane: "replay", tags: { replay: report.id } });
    const query = "SELECT lane, arm, count(*) FROM inferences WHERE lane = 'replay' GROUP BY lane, arm";
    const { body: asked } = await one.send("POST", "/v1/query", { query });
    expect(asked.rows.map((row: unknown[]) => row.map(String)).sort()).toEqual([
      ["replay", "cheap", "15"],
      ["replay", "default", "15"],
    ]);
  });

  test("whose step dies goes on with what is missing, and ends as if it had not", { timeout: 90_000 }, async () => {
    const one = await rig(15);
    const keep = OrgHostedBakeoffs.prototype.keep;
    let written = 0;
    vi.spyOn(OrgHostedBakeoffs.prototype, "keep").mockImplementation(async function (this: OrgHostedBakeoffs, ...args) {
      const state = await keep.apply(this, args);
      written += 1;
      // Written, and then the process is gone: in the first batch, and again in the second.
      if (written === 7 || written === 28) throw new Error("evicted");
      return state;
    });
    const id = await one.start();
    const { body: report } = await one.ended(id);
    expect(report.partial).toBe(false);
    expect(report.arms.map((arm: Json) => arm["sent"])).toEqual([15, 15]);
    expect([...(await one.paid()).values()], "nothing was paid twice").toEqual(Array(30).fill(1));
  });

  test("whose process is replaced midway pays again for no more than was in flight", { timeout: 90_000 }, async () => {
    const one = await rig(15);
    const keep = OrgHostedBakeoffs.prototype.keep;
    let written = 0;
    vi.spyOn(OrgHostedBakeoffs.prototype, "keep").mockImplementation(async function (this: OrgHostedBakeoffs, ...args) {
      written += 1;
      // It never comes back from this.
      if (written === 5) return new Promise(() => undefined);
      return keep.apply(this, args);
    });
    const id = await one.start();
    await vi.waitFor(() => expect(written).toBeGreaterThanOrEqual(5), { timeout: 30_000, interval: 50 });
    await (await own.HOSTED_BAKEOFFS?.get(id))?.restart();
    const { body: report } = await one.ended(id);
    expect(report.arms.map((arm: Json) => arm["sent"])).toEqual([15, 15]);
    const paid = [...(await one.paid()).values()];
    expect(paid).toHaveLength(30);
    const calls = paid.reduce((sum, count) => sum + count);
    expect(calls, "one was not written, and three more were on their way").toBeGreaterThan(30);
    expect(calls).toBeLessThanOrEqual(34);
  });

  test("with many inputs goes on in another instance, within what one may ask for", { timeout: 180_000 }, async () => {
    const one = await rig();
    const store = edgeStore().forOrg(one.org).evalCases;
    const cases = Array.from({ length: 241 }, (_, index) => ({
      ...({ id: `case-${index}`, task: "hosted.two", corrected: false, origin: "manual", createdAt: index } as const),
      input: { kind: "messages", request: { messages: user(`${one.marker} ${index}`) } } as const,
      expected: `${one.marker} ${index}`,
    }));
    const deed = { by: "test", at: Date.now() };
    while (cases.length > 0) await Promise.all(cases.splice(0, 40).map((made) => store.insert(made, deed)));
    const id = await one.start({ last: 241 });
    const { body: report } = await one.ended(id, 150_000);
    expect(report.arms.map((arm: Json) => [arm["sent"], arm["complete"]])).toEqual([
      [241, true],
      [241, true],
    ]);
    expect(new Set((await one.paid()).values())).toEqual(new Set([1]));
    expect((await stateOf(one, id))?.plan.from).toBe(20);
  });

  test("that cannot write what it paid for asks for nothing more until it can", { timeout: 90_000 }, async () => {
    const one = await rig(10);
    const keep = OrgHostedBakeoffs.prototype.keep;
    let calls = 0;
    vi.spyOn(OrgHostedBakeoffs.prototype, "keep").mockImplementation(async function (this: OrgHostedBakeoffs, ...args) {
      calls += 1;
      if (calls === 5) throw new Error("the database is away");
      return keep.apply(this, args);
    });
    const id = await one.start();
    const { body: report } = await one.ended(id);
    expect(report.arms.map((arm: Json) => arm["sent"])).toEqual([10, 10]);
    const paid = [...(await one.paid()).values()];
    expect(paid).toHaveLength(20);
    expect(
      paid.reduce((sum, count) => sum + count),
      "one sample was lost, and asked for again",
    ).toBe(21);
  });

  test("that is restarted when it is done pays for nothing and says the same", { timeout: 90_000 }, async () => {
    const one = await rig(4);
    const id = await one.start();
    const { body: report } = await one.ended(id);
    const put = vi.spyOn(OrgBakeoffs.prototype, "put");
    await (await own.HOSTED_BAKEOFFS?.get(id))?.restart();
    await vi.waitFor(() => expect(put).toHaveBeenCalled(), { timeout: 30_000, interval: 100 });
    await vi.waitFor(async () => {
      const { body: again } = await one.ended(id);
      expect({ ...again, finished_at: "" }).toEqual({ ...report, finished_at: "" });
    });
    expect([...(await one.paid()).values()]).toEqual(Array(8).fill(1));
  });

  test("ends partial where its money ends, and never spends more", { timeout: 90_000 }, async () => {
    const one = await rig(15);
    // A call reserves its 100 tokens of output, $0.0002, and is billed $0.000025.
    const id = await one.start({ budget_usd: "0.0004", variants: ["cheap"] });
    const { body: report } = await one.ended(id);
    expect(report.partial).toBe(true);
    expect(report.gate.proposes).toBeUndefined();
    for (const arm of report.arms) {
      expect(arm.complete).toBe(false);
      expect(arm.sent).toBeGreaterThan(0);
      expect(Number(arm.spend_usd)).toBeLessThanOrEqual(0.0004);
    }
    const { done, spent_usd: spent } = (await one.send("POST", `/v1/bakeoffs/${id}/cancel`)).body;
    expect(done).toBe((await one.paid()).size);
    expect(Number(spent)).toBeLessThanOrEqual(0.0008);
  });

  test("stops when it is cancelled, with a report of what it measured", { timeout: 90_000 }, async () => {
    const one = await rig(15);
    const keep = OrgHostedBakeoffs.prototype.keep;
    let written = 0;
    let cancelled: Answer | undefined;
    vi.spyOn(OrgHostedBakeoffs.prototype, "keep").mockImplementation(async function (this: OrgHostedBakeoffs, ...args) {
      written += 1;
      if (written === 3) cancelled = await one.send("POST", `/v1/bakeoffs/${args[0]}/cancel`);
      return keep.apply(this, args);
    });
    const id = await one.start();
    const { body: report } = await one.ended(id);
    expect(cancelled?.body).toMatchObject({ id: id, state: "cancelling", planned: 30 });
    expect(report.partial).toBe(true);
    expect((await one.paid()).size).toBeLessThan(15);
    await vi.waitFor(async () => expect((await stateOf(one, id))?.state).toBe("cancelled"));
  });

  test("of a route that changed since fails and says so", { timeout: 60_000 }, async () => {
    const one = await rig(1);
    const { body } = await one.send("POST", "/v1/bakeoffs/run/hosted.moved", { task: "hosted.two" });
    expect(await one.ended(body.id)).toMatchObject({
      status: 200,
      code: "route_changed",
      body: { state: "failed", done: 0 },
    });
    expect((await one.paid()).size).toBe(0);
  });

  test("whose workflow is gone has failed, also when it could not say so itself", { timeout: 60_000 }, async () => {
    const one = await rig(1);
    vi.spyOn(OrgHostedBakeoffs.prototype, "keep").mockImplementation(() => new Promise(() => undefined));
    const id = await one.start();
    await (await own.HOSTED_BAKEOFFS?.get(id))?.terminate();
    expect(await one.ended(id)).toMatchObject({ code: "workflow_gone", body: { state: "failed" } });
  });
});

describe("starting one", () => {
  test("with a key to tell requests by starts one, however often it is sent", { timeout: 60_000 }, async () => {
    const one = await rig(2);
    const start = (body: Json) => one.send("POST", "/bakeoff/hosted.two", body, { "idempotency-key": "monday" });
    const [first, second] = await Promise.all([start({ seed: 1 }), start({ seed: 1 })]);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.id).toBe(first.body.id);
    expect(await start({ seed: 2 })).toMatchObject({ status: 409, code: "idempotency_conflict" });
    await one.ended(first.body.id);
    expect([...(await one.paid()).values()]).toEqual(Array(4).fill(1));
    const other = await rig(1);
    const theirs = await other.send("POST", "/bakeoff/hosted.two", { seed: 1 }, { "idempotency-key": "monday" });
    expect(theirs.body.id, "the keys of another org are others").not.toBe(first.body.id);
    await other.ended(theirs.body.id);
  });

  test("is refused before anything is spent, saying what is wrong", async () => {
    const one = await rig();
    const run = (name: string, body: Json) => one.send("POST", `/v1/bakeoffs/run/${name}`, body);
    expect(await run("hosted.two", {})).toMatchObject({ status: 409, code: "no_eval_cases" });
    expect(await run("hosted.none", {})).toMatchObject({ status: 404, code: "model_not_found" });
    for (const [param, value] of Object.entries({ last: 0, budget_usd: 5, seed: -1, variants: [], surprise: 1 })) {
      const refused = await run("hosted.two", { [param]: value });
      expect(refused, param).toMatchObject({ status: 400, code: "invalid_body" });
      expect(refused.body.error.param, param).toBe(param);
    }
    const input = { kind: "messages", request: { messages: user("x") } };
    await one.send("POST", "/v1/eval-cases", { task: "hosted.two", input, expected: null });
    expect(await run("hosted.two", { variants: ["dear"] })).toMatchObject({ status: 400, code: "invalid_variant" });
    expect(await run("hosted.two", { reference: "up/none" })).toMatchObject({ status: 400, code: "no_reference" });
    const unkeyed = await run("hosted.locked", { task: "hosted.two" });
    expect(unkeyed).toMatchObject({ status: 409, code: "cannot_call" });
    expect(unkeyed.body.error.message).toContain("NOT_SET");
    expect((await one.send("GET", "/v1/bakeoffs/bo_1")).status).toBe(404);
    expect((await one.send("POST", "/v1/bakeoffs/bo_1/cancel")).status).toBe(404);
  });

  test("takes a key that may act on the whole org, and only that org sees it", { timeout: 60_000 }, async () => {
    const one = await rig(1);
    const as = async (permissions: Parameters<typeof newKey>[0], org = one.org) => ({
      authorization: `Bearer ${(await newKey(permissions, org)).key}`,
    });
    const run = (headers: Record<string, string>) => one.send("POST", "/v1/bakeoffs/run/hosted.two", {}, headers);
    expect(await run(await as({ scopes: ["read", "call"] }))).toMatchObject({ status: 403, code: "missing_scope" });
    const rows = await as({ rowScope: { tags: { client: "acme" } } });
    expect(await run(rows)).toMatchObject({ status: 403, code: "row_scope" });
    for (const [method, path] of [
      ["GET", "/v1/bakeoffs/bo_1"],
      ["POST", "/v1/bakeoffs/bo_1/cancel"],
    ] as const) {
      expect(await one.send(method, path, undefined, rows), path).toMatchObject({ status: 403, code: "row_scope" });
    }
    const elsewhere = await as({ routes: ["other.route"] });
    expect(await run(elsewhere)).toMatchObject({ status: 403, code: "route_not_allowed" });

    const started = await run(await as({ scopes: ["oracle-act"] }));
    expect(started.status).toBe(202);
    const { key: stranger } = await newOrg();
    const foreign = { authorization: `Bearer ${stranger}` };
    expect((await one.send("GET", `/v1/bakeoffs/${started.body.id}`, undefined, foreign)).status).toBe(404);
    expect((await one.send("POST", `/v1/bakeoffs/${started.body.id}/cancel`, undefined, foreign)).status).toBe(404);
    await one.ended(started.body.id);
    expect((await one.send("GET", `/v1/bakeoffs/${started.body.id}`, undefined, foreign)).status).toBe(404);
  });
});
