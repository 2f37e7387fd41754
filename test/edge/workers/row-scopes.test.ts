/** A key with a row scope, against everything there is: it reads only its rows, and adds nothing to any other. */
import { beforeAll, describe, expect, test } from "vitest";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anInference } from "../../support/store/inferences.ts";
import { edgeStore, newKey, newOrg } from "../keys.ts";
import { get, type Json, post, send } from "../requests.ts";

let org: string;
let admin: string;
let acme: string;

beforeAll(async () => {
  ({ org, key: admin } = await newOrg());
  const scopes = ["call", "ingest", "grade", "query", "read", "oracle-act"] as const;
  ({ key: acme } = await newKey({ scopes: [...scopes], rowScope: { tags: { client: "acme" } } }, org));
});

const ingest = async (key: string, ...items: readonly unknown[]) => {
  const { status, body } = await post("/v1/ingest", { schema: "modelrig.ingest/1", items }, key);
  expect(status).toBe(200);
  return body["items"] as readonly Json[];
};
const call = (id: string, client: string, run?: string) => ({
  type: "inference",
  inference: recordOf(anInference({ id, run, attempts: [], tags: { client } })),
});
const artifact = (id: string, more: Json) => ({
  type: "artifact",
  artifact: { id, name: "n", type: "other", content: "x", createdAt: 1, ...more },
});
const start = (id: string, client: string) => ({
  type: "run_start",
  run: { id, pipeline: "p", startedAt: 1, tags: { client } },
});
const link = (from: string, source: string) => ({
  type: "link",
  link: { artifact: from, source, relation: "derived_from", createdAt: 1 },
});

describe("reading", () => {
  /** Answered by the scope's own rows, or holding no rows at all: routes, settings, measured models, the gateway's state. */
  const ANSWERED = new Set([
    ...["/v1/runs", "/v1/runs/{id}", "/v1/inferences", "/v1/inferences/{id}", "/v1/artifacts/{id}"],
    ...["/v1/whoami", "/v1/models", "/v1/settings", "/v1/registry", "/v1/diagnosis", "/v1/routes/{name}/live"],
    ...["/health", "/openapi.json", "/llms.txt", "/v1/models/{model}"],
  ]);

  test("what carries no tags is refused, at every endpoint there is", async () => {
    const { body } = await get("/openapi.json", admin);
    const paths = Object.entries(body["paths"] as Record<string, Json>).filter(([, methods]) => "get" in methods);
    expect(paths.length).toBeGreaterThan(ANSWERED.size);
    const open: string[] = [];
    for (const [path] of paths) {
      if (ANSWERED.has(path)) continue;
      const { status, code } = await get(path.replaceAll(/\{\w+\}/g, "x"), acme);
      if (status !== 403 || !["row_scope", "missing_scope"].includes(String(code))) open.push(`${path} ${status}`);
    }
    expect(open).toEqual([]);
  });
});

describe("writing", () => {
  test("puts its tags on every row, by whichever way it is reported", async () => {
    await ingest(acme, call("batch", "beta"), start("batch-run", "beta"));
    const recorded = { id: "one", provider: "openai", model: "m", tags: { client: "beta" } };
    await post("/v1/record", recorded, acme);
    const { inferences, runs } = edgeStore().forOrg(org);
    for (const id of ["batch", "one"]) {
      expect((await inferences.get(id, undefined))?.inference.tags).toEqual({ client: "acme" });
    }
    expect(await runs.get("batch-run", undefined)).toMatchObject({ tags: { client: "acme" } });
  });

  test("a batch ends no run, saves nothing to it and links nothing that the key does not see", async () => {
    await ingest(admin, start("beta", "beta"), call("beta-call", "beta"), artifact("beta-art", { run: "beta" }));
    const items = await ingest(
      acme,
      start("beta", "acme"),
      { type: "run_end", run: { id: "beta", status: "failed", endedAt: 1 } },
      artifact("into-run", { run: "beta" }),
      artifact("into-call", { inference: "beta-call" }),
      artifact("loose", {}),
      start("own", "acme"),
      artifact("own-art", { run: "own" }),
      link("beta-art", "own-art"),
      link("own-art", "beta-art"),
    );
    expect(items.map(({ index, status, code }) => [index, status, code])).toEqual([
      [0, "duplicate", undefined],
      ...[1, 2, 3].map((index) => [index, "refused", "unknown_subject"]),
      [4, "refused", "run_required"],
      ...[7, 8].map((index) => [index, "refused", "unknown_subject"]),
    ]);
    const store = edgeStore().forOrg(org);
    expect(await store.runs.get("beta", undefined)).toMatchObject({ status: "running", tags: { client: "beta" } });
    expect(await store.artifacts.linksOf(["beta-art", "own-art"], undefined)).toEqual([]);
    for (const id of ["into-run", "into-call", "loose"]) {
      expect(await store.artifacts.get(id, undefined)).toBeUndefined();
    }
  });

  test("a batch may bring a run of its own whole, in any order", async () => {
    const items = await ingest(
      acme,
      link("out", "in"),
      artifact("out", { run: "whole", inference: "whole-call" }),
      artifact("in", { run: "whole" }),
      { type: "run_end", run: { id: "whole", status: "succeeded", endedAt: 9 } },
      call("whole-call", "acme", "whole"),
      start("whole", "acme"),
    );
    expect(items).toEqual([]);
    const store = edgeStore().forOrg(org);
    expect(await store.runs.get("whole", undefined)).toMatchObject({ status: "succeeded" });
    expect(await store.artifacts.linksOf(["out"], { tags: { client: "acme" } })).toHaveLength(1);
  });

  test("what is young may belong to something still on its way: it is asked for again", async () => {
    const end = { type: "run_end", run: { id: "soon", status: "succeeded", endedAt: Date.now() } };
    expect(await ingest(acme, end)).toMatchObject([{ status: "later" }]);
    expect(await ingest(acme, start("soon", "acme"), end)).toEqual([]);
  });

  test("an id that belongs to a row it does not see is taken, not silently swallowed", async () => {
    await ingest(admin, call("taken", "beta"));
    const recorded = { id: "taken", provider: "openai", model: "m" };
    expect(await post("/v1/record", recorded, acme)).toMatchObject({ status: 409, code: "id_taken" });
  });

  test("nothing of an eval case comes back by promoting over its id", async () => {
    await send("PUT", "/v1/settings", { custody: "content", artifact_max_bytes: 10, retention_days: null }, admin);
    const input = { kind: "variables", variables: { of: "beta" } };
    await post("/v1/eval-cases", { id: "golden", task: "t", input, expected: "secret" }, admin);
    await ingest(acme, start("r", "acme"), artifact("mine", { run: "r", content: "y" }));
    const promoted = await post("/v1/artifacts/mine/promote", { id: "golden", task: "t", input }, acme);
    expect(promoted).toMatchObject({ status: 409, code: "id_taken" });
  });
});

describe("promoting twice under one id", () => {
  test("answers with what is kept, not with what was asked the second time", async () => {
    await post("/v1/artifacts", { id: "a", name: "n", type: "step_output", content: "x" }, admin);
    const input = { kind: "variables", variables: { n: 1 } };
    const first = await post("/v1/artifacts/a/promote", { id: "c", task: "t", input, corrected: 1 }, admin);
    expect(first.status).toBe(201);
    const again = await post("/v1/artifacts/a/promote", { id: "c", task: "other", input, corrected: 2 }, admin);
    expect(again).toMatchObject({ status: 200, body: { ...first.body, status: "duplicate" } });
  });
});
