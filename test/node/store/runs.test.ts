import { createClient } from "@libsql/client/web";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import type { RunFilter } from "../../../src/runs/ports.ts";
import type { RunStart } from "../../../src/runs/run.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { anAttempt, anInference } from "../../support/store/inferences.ts";

let local: Awaited<ReturnType<typeof localStore>>;
beforeAll(async () => {
  local = await localStore();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

const deed = { by: "key_1", at: 5 };
const ALL = undefined;
let orgs = 0;
const freshOrg = () => {
  orgs += 1;
  return local.store.forOrg(`org_runs_${orgs}`);
};
const aStart = (more: Partial<RunStart> = {}): RunStart => ({ id: "r", pipeline: "support", startedAt: 100, ...more });
const aCall = (org: string, more: Parameters<typeof anInference>[0] = {}) =>
  recordOf(anInference({ org, run: "r", step: undefined, ...more }));

describe("a run", () => {
  it("keeps what its first start said, whatever a later one says", async () => {
    const { runs } = freshOrg();
    const first = aStart({
      episodeKey: "t-1",
      environment: "production",
      subject: "acme",
      feature: "summary",
      tags: { client: "acme" },
    });
    expect(await runs.start([first], deed)).toEqual(["stored"]);
    expect(await runs.start([aStart({ pipeline: "other", startedAt: 1 })], deed)).toEqual(["duplicate"]);
    expect(await runs.get("r", ALL)).toEqual({ ...first, declared: true, status: "running", endedAt: undefined });
  });

  it("is known from the calls that name it, and a start fills it in", async () => {
    const { org, runs } = freshOrg();
    await local.store.telemetry.insertInferences([
      aCall(org, { startedAt: 70 }),
      aCall(org, { startedAt: 50 }),
      aCall(org, { startedAt: 60 }),
    ]);
    expect(await runs.get("r", ALL)).toMatchObject({ declared: false, status: "running", startedAt: 50 });
    await local.store.telemetry.insertInferences([aCall(org, { startedAt: 40 })]);
    expect(await runs.start([aStart({ startedAt: 45 })], deed)).toEqual(["stored"]);
    expect(await runs.get("r", ALL)).toMatchObject({ declared: true, pipeline: "support", startedAt: 45 });
    await local.store.telemetry.insertInferences([aCall(org, { startedAt: 1 })]);
    expect((await runs.get("r", ALL))?.startedAt).toBe(45);
  });

  it("ends once: an end after another end changes nothing", async () => {
    const { runs } = freshOrg();
    await runs.start([aStart()], deed);
    expect(await runs.end([{ id: "r", status: "failed", endedAt: 200 }], deed)).toEqual(["stored"]);
    expect(await runs.end([{ id: "r", status: "succeeded", endedAt: 300 }], deed)).toEqual(["duplicate"]);
    expect(await runs.get("r", ALL)).toMatchObject({ status: "failed", endedAt: 200 });
  });

  it("may end before its start arrives", async () => {
    const { runs } = freshOrg();
    expect(await runs.end([{ id: "r", status: "succeeded", endedAt: 200 }], deed)).toEqual(["stored"]);
    expect(await runs.start([aStart()], deed)).toEqual(["stored"]);
    expect(await runs.get("r", ALL)).toMatchObject({
      declared: true,
      status: "succeeded",
      startedAt: 100,
      endedAt: 200,
    });
  });

  it("answers a batch item by item, and of two that are the same the first is stored", async () => {
    const { runs } = freshOrg();
    await runs.start([aStart({ id: "b" })], deed);
    const batch = ["a", "b", "a", "c"].map((id, index) => aStart({ id, pipeline: `p${index}` }));
    expect(await runs.start(batch, deed)).toEqual(["stored", "duplicate", "duplicate", "stored"]);
    expect((await runs.get("a", ALL))?.pipeline).toBe("p0");
    expect(await runs.start([], deed)).toEqual([]);
  });

  it("leaves a trace of every change, and none where nothing changed", async () => {
    const { runs, audit } = freshOrg();
    await runs.start([aStart()], deed);
    await runs.start([aStart()], deed);
    await runs.end([{ id: "r", status: "failed", endedAt: 200 }], deed);
    await runs.end([{ id: "r", status: "failed", endedAt: 200 }], deed);
    await runs.start([aStart({ id: "x" }), aStart({ id: "y" })], deed);
    expect((await audit.list(10)).map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ["run.started", "2 items", { ids: ["x", "y"] }],
      ["run.ended", "r", undefined],
      ["run.started", "r", undefined],
    ]);
  });
});

describe("the list of runs", () => {
  it("is newest first, and its pages hold every run once, also where many began in the same millisecond", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (starts, limit) => {
          const { runs } = freshOrg();
          const made = starts.map((startedAt, index) => aStart({ id: `r${index}`, startedAt }));
          await runs.start(made, deed);
          const seen: { id: string; startedAt: number }[] = [];
          for (;;) {
            const page = await runs.list({ limit, after: seen.at(-1) }, ALL);
            seen.push(...page.map(({ id, startedAt }) => ({ id, startedAt })));
            if (page.length < limit) break;
          }
          const expected = made
            .map(({ id, startedAt }) => ({ id, startedAt }))
            .sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is narrowed by each of its filters", async () => {
    const { runs } = freshOrg();
    const one = {
      pipeline: "support",
      environment: "production",
      subject: "acme",
      feature: "summary",
      episodeKey: "t-1",
    };
    await runs.start(
      [aStart({ id: "match", ...one, startedAt: 100 }), aStart({ id: "other", pipeline: "x", startedAt: 200 })],
      deed,
    );
    await runs.end([{ id: "match", status: "failed", endedAt: 150 }], deed);
    const filters: Omit<RunFilter, "limit">[] = [
      ...Object.entries(one).map(([key, value]) => ({ [key]: value })),
      { status: "failed" },
      { since: 100, until: 200 },
    ];
    for (const filter of filters) {
      expect((await runs.list({ ...filter, limit: 10 }, ALL)).map(({ id }) => id)).toEqual(["match"]);
    }
  });

  it("finds its page by index", async () => {
    const client = createClient(local.connection);
    const { rows } = await client.execute(
      "explain query plan select * from runs where org = 'o' and (started_at, id) < (5, 'a') order by started_at desc, id desc limit 5",
    );
    expect(rows.map((row) => row["detail"]).join("; ")).toMatch(
      /^SEARCH runs USING INDEX runs_org_started \(org=\? AND \(started_at,id\)<\(\?,\?\)\)$/,
    );
    client.close();
  });
});

describe("the steps of a run", () => {
  it("are the sums of its calls by step, in order of their first call, those without a step last", async () => {
    const { org, runs } = freshOrg();
    const failure = { class: "capacity_shed", message: "busy" } as const;
    await local.store.telemetry.insertInferences([
      aCall(org, { startedAt: 1, step: undefined }),
      aCall(org, { startedAt: 30, latencyMs: 5, step: "write" }),
      aCall(org, { startedAt: 10, latencyMs: 5, step: "plan", failure, cost: nanoUsd(3) }),
      aCall(org, { startedAt: 20, latencyMs: 7, step: "plan", cost: nanoUsd(4) }),
    ]);
    const steps = await runs.steps("r", ALL);
    expect(steps.map(({ step }) => step)).toEqual(["plan", "write", null]);
    expect(steps[0]).toEqual({
      step: "plan",
      inferences: 2,
      attempts: 2,
      failed: 1,
      startedAt: 10,
      endedAt: 27,
      latencyMs: 12,
      inputTokens: 2_400,
      outputTokens: 180,
      costNano: 7n,
      unpriced: 0,
      simulated: false,
      lastFailure: undefined,
    });
  });

  it("keep an unknown cost unknown, and a known one beside it", async () => {
    const { org, runs } = freshOrg();
    const unpriced = { cost: undefined, attempts: [anAttempt({ cost: undefined, usage: undefined })] };
    await local.store.telemetry.insertInferences([
      aCall(org, { step: "none", ...unpriced }),
      aCall(org, { step: "some", ...unpriced }),
      aCall(org, { step: "some", cost: nanoUsd(0) }),
    ]);
    expect(await runs.steps("r", ALL)).toMatchObject([
      { step: "none", costNano: null, unpriced: 1, inputTokens: null, outputTokens: null },
      { step: "some", costNano: 0n, unpriced: 1, inputTokens: 1_200 },
    ]);
  });

  it("end as the call ended that began last; one that broke its schema failed", async () => {
    const { org, runs } = freshOrg();
    const failure = { class: "network", message: "" } as const;
    await local.store.telemetry.insertInferences([
      aCall(org, { startedAt: 2, step: "retried" }),
      aCall(org, { startedAt: 1, step: "retried", failure }),
      aCall(org, { startedAt: 1, step: "lost" }),
      aCall(org, { startedAt: 2, step: "lost", failure }),
      aCall(org, { startedAt: 3, step: "malformed", conformant: false }),
    ]);
    expect((await runs.steps("r", ALL)).map(({ step, lastFailure }) => [step, lastFailure])).toEqual([
      ["lost", "network"],
      ["retried", undefined],
      ["malformed", "content_invalid"],
    ]);
  });
});

describe("a row scope", () => {
  it("shows only runs and calls that carry every one of its tags", async () => {
    const { org, runs } = freshOrg();
    const rows = { tags: { client: "acme", region: "eu" } };
    const tags = { client: "acme", region: "eu", more: "x" };
    await runs.start(
      [
        aStart({ tags }),
        aStart({ id: "half", tags: { client: "acme" } }),
        aStart({ id: "other", tags: { client: "beta", region: "eu" } }),
        aStart({ id: "none" }),
      ],
      deed,
    );
    await local.store.telemetry.insertInferences([
      aCall(org, { step: "mine", tags }),
      aCall(org, { step: "mine", tags: { client: "beta", region: "eu" } }),
      aCall(org, { run: "implied", tags }),
    ]);
    expect((await runs.list({ limit: 10 }, rows)).map(({ id }) => id)).toEqual(["r"]);
    expect(await runs.get("r", rows)).toBeDefined();
    for (const id of ["half", "other", "none", "implied"]) expect(await runs.get(id, rows)).toBeUndefined();
    expect(await runs.steps("r", rows)).toMatchObject([{ step: "mine", inferences: 1 }]);
  });

  it("that names no tag shows nothing", async () => {
    const { runs } = freshOrg();
    await runs.start([aStart({ tags: { client: "acme" } })], deed);
    expect(await runs.list({ limit: 10 }, { tags: {} })).toEqual([]);
    expect(await runs.get("r", { tags: {} })).toBeUndefined();
  });
});
