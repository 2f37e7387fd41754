import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { failure } from "../../../src/failure/failure.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { LANES } from "../../../src/record/lane.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anAttempt, anInference } from "../../support/store/inferences.ts";
import { type Gateway, openGateway } from "../gateway.ts";
import { edgeStore, newKey, newOrg } from "../keys.ts";

interface Listed {
  readonly inferences: readonly Readonly<Record<string, unknown> & { id: string }>[];
  readonly next: string | null;
}

const opened: Gateway[] = [];
const open = (key: string): Gateway => {
  const gateway = openGateway({ key });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

const T0 = 1_750_000_000_000;
let own: Awaited<ReturnType<typeof newOrg>>;

async function insert(...fields: Parameters<typeof anInference>[0][]): Promise<void> {
  await edgeStore().telemetry.insertInferences(
    fields.map((one) => recordOf(anInference({ org: own.org, attempts: [], ...one }))),
  );
}

async function list(query: string, key = own.key): Promise<Listed> {
  const response = await open(key).fetch(`/v1/inferences${query}`);
  expect(response.status).toBe(200);
  return await response.json();
}
const idsOf = ({ inferences }: Listed) => inferences.map(({ id }) => id);

beforeAll(async () => {
  own = await newOrg();
  await insert(
    { id: "a", startedAt: T0, route: "r.one", variant: "cheap", tags: { client: "acme" }, run: "run_a" },
    { id: "b", startedAt: T0 + 1, route: "r.two", lane: "raw", tags: { client: "acme", "sub.part": "x" } },
    { id: "c", startedAt: T0 + 2, tags: { client: "other" }, simulated: true, keyId: "key_c", step: "s_c" },
    { id: "d", startedAt: T0 + 3, tags: {}, conformant: false, served: { provider: "gemini", model: "g" } },
    { id: "e", startedAt: T0 + 4, tags: {}, failure: failure("network", "x"), served: undefined },
    { id: "odd_id/1", startedAt: T0 + 4, tags: { client: 'a"b' }, lane: "recorded" },
  );
});

describe("GET /v1/inferences", () => {
  test("lists the org's calls, newest first, with exact costs and nulls for what is unknown", async () => {
    const all = await list("");
    expect(idsOf(all)).toEqual(["odd_id/1", "e", "d", "c", "b", "a"]);
    expect(all.next).toBeNull();
    expect(all.inferences.at(-1)).toMatchObject({
      ...{ id: "a", ts: new Date(T0).toISOString(), route: "r.one", variant: "cheap", tags: { client: "acme" } },
      ...{ cost_usd: "0.000412500", cost_estimated: false, failure_class: null, tokens: { input: null } },
    });
  });

  test.each([
    ["route=r.one", ["a"]],
    ["variant=cheap", ["a"]],
    ["run=run_a", ["a"]],
    ["lane=raw", ["b"]],
    ["provider=gemini", ["d"]],
    ["model=g", ["d"]],
    ["failure_class=network", ["e"]],
    ["failure_class=none&since=1750000000003", ["odd_id/1", "d"]],
    ["step=s_c", ["c"]],
    ["key=key_c", ["c"]],
    ["simulated=true", ["c"]],
    ["conformant=false", ["d"]],
    ["tag.client=acme", ["b", "a"]],
    ["tag.client=acme&tag.sub.part=x", ["b"]],
    ["tag.sub=x", []],
    ["tag.client=a%22b", ["odd_id/1"]],
    ["since=1750000000001&until=1750000000003", ["c", "b"]],
    [`until=${encodeURIComponent(new Date(T0 + 1).toISOString())}`, ["a"]],
  ])("filters by %s", async (query, ids) => {
    expect(idsOf(await list(`?${query}`))).toEqual(ids);
  });

  test("every row is on exactly one page, whatever the size of the pages", async () => {
    for (const limit of [1, 2, 4, 6, 500]) {
      const seen: string[] = [];
      let after = "";
      for (;;) {
        const page = await list(`?limit=${limit}${after}`);
        expect(page.inferences.length).toBeLessThanOrEqual(limit);
        seen.push(...idsOf(page));
        if (page.next === null) break;
        after = `&after=${encodeURIComponent(page.next)}`;
      }
      expect(seen).toEqual(["odd_id/1", "e", "d", "c", "b", "a"]);
    }
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["after=yesterday", "after"],
    ["since=yesterday", "since"],
    ["lane=fast", "lane"],
    ["simulated=1", "simulated"],
    ["rout=r.one", "rout"],
    ["tag.a%20b=c", "tag.a b"],
    ["route=a&route=b", "route"],
  ])("refuses %s and says which parameter it was", async (query, param) => {
    const response = await open(own.key).fetch(`/v1/inferences?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_query", param } });
  });

  test("a key with a row scope sees only rows that carry its tags, whatever it asks for", async () => {
    const { key } = await newKey({ scopes: ["read"], rowScope: { tags: { client: "acme" } } }, own.org);
    for (const query of ["", "?tag.client=other", "?simulated=true", "?failure_class=network", "?limit=1"]) {
      const { inferences } = await list(query, key);
      for (const { tags } of inferences) expect(tags).toMatchObject({ client: "acme" });
    }
    expect(idsOf(await list("", key))).toEqual(["b", "a"]);
    expect((await open(key).fetch("/v1/inferences/c")).status).toBe(404);
    expect((await open(key).fetch("/v1/inferences/a")).status).toBe(200);
  });

  test("another org sees none of it", async () => {
    const stranger = await newOrg();
    expect(idsOf(await list("", stranger.key))).toEqual([]);
    expect((await open(stranger.key).fetch("/v1/inferences/a")).status).toBe(404);
  });

  test("needs read", async () => {
    const { key } = await newKey({ scopes: ["call", "ingest"] }, own.org);
    for (const path of ["/v1/inferences", "/v1/inferences/a"]) expect((await open(key).fetch(path)).status).toBe(403);
  });

  test("a database that is away is 503 with retry-after, and its address is nobody's business", async () => {
    const gateway = open(own.key);
    expect((await gateway.fetch("/v1/whoami")).status).toBe(200);
    const reached = globalThis.fetch;
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed: http://127.0.0.1:9")));
    const response = await gateway.fetch("/v1/inferences").finally(() => vi.stubGlobal("fetch", reached));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    const text = await response.text();
    expect(text).toContain("database_unavailable");
    expect(text).not.toContain("127.0.0.1");
  });
});

describe("GET /v1/inferences/:id", () => {
  test("shows every attempt, in order, and the grades, newest first", async () => {
    const attempts = [
      anAttempt({ id: "x_0", index: 0, status: 429, failure: failure("capacity_shed", "m"), cost: nanoUsd(0) }),
      anAttempt({ id: "x_1", index: 1, cost: nanoUsd(7) }),
    ];
    await insert({ id: "x", attempts, lane: LANES[0] });
    const grade = { kind: "human" as const, grader: "ann", subject: { kind: "inference" as const, id: "x" } };
    await edgeStore()
      .forOrg(own.org)
      .grades.record(
        [
          { ...grade, id: "g1", score: 0, createdAt: 1 },
          { ...grade, id: "g2", score: 1, comment: "right after all", createdAt: 2 },
        ],
        { by: "test", at: 3 },
      );
    expect(await (await open(own.key).fetch("/v1/inferences/x")).json()).toMatchObject({
      inference: { id: "x", attempts: 2 },
      attempts: [
        { id: "x_0", failure_class: "capacity_shed", status: 429, cost_usd: "0.000000000" },
        { id: "x_1", failure_class: null, cost_usd: "0.000000007", tokens: { input: 1_200, cache_read: 1_000 } },
      ],
      grades: [
        { id: "g2", score: 1, comment: "right after all", grader: "ann" },
        { id: "g1", score: 0, comment: null },
      ],
    });
  });

  test("an id that needs escaping is found", async () => {
    expect((await open(own.key).fetch(`/v1/inferences/${encodeURIComponent("odd_id/1")}`)).status).toBe(200);
  });

  test("an unknown one is 404", async () => {
    const response = await open(own.key).fetch("/v1/inferences/nope");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "inference_not_found" } });
  });
});
