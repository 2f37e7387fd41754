/** What comes in from elsewhere: batches of an SDK, and single calls reported by plain HTTP. */
import { afterEach, describe, expect, inject, test } from "vitest";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anInference } from "../../support/store/inferences.ts";
import { type Gateway, openGateway, upstreamProvider } from "../gateway.ts";
import { edgeStore, newKey, newOrg } from "../keys.ts";

const opened: Gateway[] = [];
const open = (key: string): Gateway => {
  const gateway = openGateway({ key, providers: [upstreamProvider("up", "http://127.0.0.1:9")] });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

async function post<T>(key: string, path: string, body: unknown, status = 200): Promise<T> {
  const response = await open(key).fetch(path, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  expect(response.status, text).toBe(status);
  return JSON.parse(text) as T;
}

interface Ingested {
  readonly accepted: number;
  readonly items: readonly { readonly index: number; readonly status: string; readonly code?: string }[];
}
const ingest = (key: string, items: readonly unknown[]) =>
  post<Ingested>(key, "/v1/ingest", { schema: "modelrig.ingest/1", items });
const inferenceItem = (fields: Parameters<typeof anInference>[0]) => ({
  type: "inference",
  inference: recordOf(anInference({ attempts: [], ...fields })),
});
const gradeItem = (id: string, kind: string, subject: string, createdAt = Date.now()) => ({
  type: "grade",
  grade: { id, subject: { kind, id: subject }, score: 1, kind: "human", createdAt },
});

describe("POST /v1/ingest", () => {
  test("stores a whole run in any order, says nothing of what it stored, and once is enough", async () => {
    const { org, key } = await newOrg();
    const items = [
      gradeItem("g1", "inference", "i1"),
      { type: "run_end", run: { id: "r1", status: "succeeded", endedAt: 20 } },
      inferenceItem({ id: "i1", run: "r1", startedAt: 10 }),
      { type: "run_start", run: { id: "r1", pipeline: "p", startedAt: 5 } },
      { type: "link", link: { artifact: "a1", source: "a0", relation: "consumed", createdAt: 1 } },
      {
        type: "artifact",
        artifact: { id: "a1", name: "draft", type: "step_output", run: "r1", content: "secret text", createdAt: 1 },
      },
    ];
    expect(await ingest(key, items)).toEqual({ accepted: 6, items: [] });
    expect(await ingest(key, items)).toEqual({
      accepted: 6,
      items: items.map((_, index) => ({ index, status: "duplicate" })),
    });
    const store = edgeStore().forOrg(org);
    expect(await store.runs.get("r1", undefined)).toMatchObject({ status: "succeeded", startedAt: 5, endedAt: 20 });
    expect((await store.inferences.get("i1", undefined))?.grades).toMatchObject([{ id: "g1" }]);
    expect(await store.artifacts.get("a1", undefined)).toMatchObject({ withheld: "custody", bytes: 11 });
  });

  test("one bad item never loses the others, and each says what is wrong without quoting itself", async () => {
    const { org, key } = await newOrg();
    const good = inferenceItem({ id: "good" });
    const withTags = (tags: unknown) => ({ ...good, inference: { ...good.inference, id: "t", tags } });
    const bad: [unknown, string][] = [
      [null, "invalid_item"],
      [{ type: "private words" }, "invalid_item"],
      [{ ...good, inference: { ...good.inference, id: "x", lane: "private words" } }, "invalid_item"],
      [{ ...good, inference: { ...good.inference, id: "x", costNano: -1 } }, "invalid_item"],
      [{ ...good, inference: { ...good.inference, id: "private words" } }, "invalid_item"],
      [withTags(JSON.parse('{"__proto__":"x"}')), "invalid_item"],
      [withTags({ "private words": "x" }), "invalid_item"],
      [{ type: "grade", grade: { ...gradeItem("g", "run", "r").grade, "private words": 1 } }, "invalid_item"],
      [gradeItem("g2", "run", "nobody", 1), "unknown_subject"],
      [{ type: "artifact", artifact: { id: "a", name: "n", type: "other", createdAt: 1 } }, "hash_required"],
    ];
    const items = [...bad.map(([item]) => item), good];
    const { accepted, items: said } = await ingest(key, items);
    expect(accepted).toBe(1);
    expect(said.map(({ index, status, code }) => [index, status, code])).toEqual(
      bad.map(([, code], index) => [index, "refused", code]),
    );
    expect(JSON.stringify(said)).not.toContain("private words");
    expect(await edgeStore().forOrg(org).inferences.list({ limit: 10 }, undefined)).toHaveLength(1);
  });

  test("org and key are the sender's own, and the key's fixed tags win, whatever the record says", async () => {
    const { org } = await newOrg();
    const { key, keyId } = await newKey({ scopes: ["ingest"], fixedTags: { client: "acme" } }, org);
    const tags = { client: "somebody else", feature: "f" };
    const run = { id: "r", pipeline: "p", tags, startedAt: 1 };
    await ingest(key, [
      inferenceItem({ org: "org_edge", keyId: "key_of_another", id: "mine", tags, lane: "replay" }),
      { type: "run_start", run },
    ]);
    const store = edgeStore().forOrg(org);
    expect((await store.inferences.get("mine", undefined))?.inference).toMatchObject({
      ...{ keyId, lane: "replay", tags: { client: "acme", feature: "f" } },
    });
    expect(await store.runs.get("r", undefined)).toMatchObject({ tags: { client: "acme", feature: "f" } });
    expect(await edgeStore().forOrg("org_edge").inferences.get("mine", undefined)).toBeUndefined();
  });

  test("a grade whose subject may be on its way comes later; sent again after it, it is stored", async () => {
    const { key } = await newOrg();
    const grade = gradeItem("g", "artifact", "late");
    expect(await ingest(key, [grade])).toMatchObject({ accepted: 0, items: [{ index: 0, status: "later" }] });
    const artifact = { id: "late", name: "n", type: "other", hash: "0".repeat(64), bytes: 1, createdAt: 1 };
    expect(await ingest(key, [{ type: "artifact", artifact }, grade])).toEqual({ accepted: 2, items: [] });
  });

  test("a key with a row scope cannot grade what it cannot see, not by sending its id along either", async () => {
    const { org, key } = await newOrg();
    await ingest(key, [inferenceItem({ id: "other", tags: { client: "other" } })]);
    const scoped = await newKey({ scopes: ["ingest"], rowScope: { tags: { client: "acme" } } }, org);
    const old = gradeItem("g", "inference", "other", 1);
    expect((await ingest(scoped.key, [old])).items).toMatchObject([{ status: "refused", code: "unknown_subject" }]);
    await ingest(scoped.key, [inferenceItem({ id: "other", tags: { client: "acme" } }), old]);
    expect((await edgeStore().forOrg(org).inferences.get("other", undefined))?.grades).toEqual([]);
  });

  test.each([
    ["no schema", { items: [] }],
    ["another schema", { schema: "modelrig.ingest/9", items: [] }],
    ["no items", { schema: "modelrig.ingest/1" }],
    ["more than 500 items", { schema: "modelrig.ingest/1", items: Array.from({ length: 501 }, () => null) }],
  ])("refuses a body with %s as a whole", async (_kind, body) => {
    const { key } = await newOrg();
    expect(await post(key, "/v1/ingest", body, 400)).toMatchObject({ error: { code: "invalid_body" } });
  });

  test("needs ingest", async () => {
    for (const key of [inject("keys").readOnly, inject("keys").callOnly]) {
      for (const path of ["/v1/ingest", "/v1/record"]) await post(key, path, {}, 403);
    }
  });
});

describe("POST /v1/record", () => {
  const call = { provider: "up", model: "m-1", usage: { input_tokens: 1_000, output_tokens: 10 } };
  interface Recorded {
    readonly inference_id: string;
    readonly cost_usd: string | null;
  }

  test("keeps the call priced by this gateway's own book, as an inference of lane recorded", async () => {
    const { org, key } = await newOrg();
    const answer = await post<Recorded>(key, "/v1/record", {
      ...call,
      ...{ latency_ms: 900, run: "r", step: "s", tags: { client: "acme" }, tier: "priority", finish_reason: "STOP" },
    });
    expect(answer).toEqual({
      inference_id: expect.stringMatching(/^inf_[0-9a-f]{32}$/),
      ...{ cost_usd: "0.001020000", price_version: "test", usage_inconsistent: false, duplicate: false },
    });
    expect(await (await open(key).fetch(`/v1/inferences/${answer.inference_id}`)).json()).toMatchObject({
      inference: {
        ...{ lane: "recorded", provider: "up", model: "m-1", run: "r", step: "s", finish: "stop", tier: "priority" },
        ...{ latency_ms: 900, tags: { client: "acme" }, cost_usd: "0.001020000" },
      },
    });
    expect(await edgeStore().forOrg(org).runs.get("r", undefined)).toMatchObject({ declared: false });
  });

  test("a cost that cannot be known is null", async () => {
    const { key } = await newOrg();
    expect(await post(key, "/v1/record", { ...call, model: "unpriced" })).toMatchObject({ cost_usd: null });
    expect(await post(key, "/v1/record", { provider: "up", model: "m-1" })).toMatchObject({ cost_usd: null });
  });

  test("counts that contradict each other are kept, flagged and billed by the larger reading", async () => {
    const { key } = await newOrg();
    const usage = { input_tokens: 100, cached_tokens: 900, output_tokens: 0 };
    expect(await post(key, "/v1/record", { ...call, usage })).toMatchObject({
      ...{ cost_usd: "0.001000000", usage_inconsistent: true },
    });
  });

  test("reported again under its own id, the first report stands and is told", async () => {
    const { org, key } = await newOrg();
    await post(key, "/v1/record", { ...call, id: "mine-1" });
    const again = await post(key, "/v1/record", {
      ...call,
      id: "mine-1",
      usage: { input_tokens: 9, output_tokens: 9 },
    });
    expect(again).toMatchObject({ inference_id: "mine-1", duplicate: true, cost_usd: "0.001020000" });
    expect(await edgeStore().forOrg(org).inferences.list({ limit: 10 }, undefined)).toHaveLength(1);
  });

  test.each([
    [{ usage: { input_tokens: -1 } }, "usage.input_tokens"],
    [{ provider: "two words" }, "provider"],
    [{ usage: { tokensIn: 1 } }, "usage.tokensIn"],
    [{ failure_class: "bad luck" }, "failure_class"],
    [{ started_at: "1955-11-05T00:00:00Z" }, "started_at"],
  ])("refuses %o and names the field", async (more, param) => {
    const { key } = await newOrg();
    const body = { ...call, ...more };
    expect(await post(key, "/v1/record", body, 400)).toMatchObject({ error: { code: "invalid_body", param } });
  });
});
