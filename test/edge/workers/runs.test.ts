import { uuidv7obj } from "uuidv7";
import { describe, expect, inject, test } from "vitest";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { arrive, get, type Json, post, send } from "../requests.ts";

let made = 0;
const fresh = (prefix: string) => {
  made += 1;
  return `${prefix}_edge_${made}`;
};

describe("a run", () => {
  test("is started, ended and read with its steps, artifacts, grades, cost and outcome", async () => {
    const id = fresh("r");
    const started = await post("/v1/runs", {
      id,
      pipeline: "support",
      episode_key: `${id}-ticket`,
      environment: "production",
      tags: { client: "acme" },
      started_at: "2026-11-29T12:00:00.000Z",
    });
    expect(started).toMatchObject({ status: 201, body: { status: "stored", run: { id, status: "running" } } });
    const inference = fresh("call");
    await arrive({ id: inference, run: id, step: "summarize", cost: nanoUsd(5) });
    const prompt = await post("/v1/artifacts", {
      run: id,
      step: "fetch",
      name: "doc",
      type: "input",
      content: { a: 1 },
    });
    const output = await post("/v1/artifacts", {
      run: id,
      step: "summarize",
      name: "summary",
      type: "step_output",
      content: "text",
      derived_from: [prompt.body["id"]],
    });
    await post("/v1/grade", { subject: { kind: "run", id: `${id}-ticket` }, score: 1, kind: "human" });
    await post("/v1/grade", { subject: { kind: "inference", id: inference }, score: 0.5, kind: "model" });
    await post("/v1/grade", { subject: { kind: "artifact", id: output.body["id"] }, score: 0, kind: "deterministic" });
    const ended = await post(`/v1/runs/${id}/end`, { status: "failed", ended_at: "2026-11-29T12:00:03.000Z" });
    expect(ended).toMatchObject({
      status: 200,
      body: { status: "stored", run: { status: "failed", duration_ms: 3_000 } },
    });
    const { status, body } = await get(`/v1/runs/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      run: { id, declared: true, pipeline: "support", tags: { client: "acme" } },
      outcome: { rule: "run-outcome@v1", outcome: "pass", basis: "human", failure_class: null },
      inferences: 1,
      cost_usd: "0.000000005",
      unpriced: 0,
    });
    expect(body["steps"]).toMatchObject([
      { step: "summarize", inferences: 1, cost_usd: "0.000000005" },
      { step: "fetch", inferences: 0, cost_usd: null, latency_ms: null, input_tokens: null },
    ]);
    expect(body["artifacts"]).toMatchObject([
      { id: prompt.body["id"], withheld: "custody", derived_from: [] },
      { id: output.body["id"], derived_from: [prompt.body["id"]], consumed: [] },
    ]);
    const grades = body["grades"] as Json[];
    expect(grades.map(({ subject }) => (subject as Json)["kind"]).sort()).toEqual(["artifact", "inference", "run"]);
  });

  test("that only its calls name is known, and a later start fills it in", async () => {
    const id = fresh("r");
    await arrive({ run: id });
    expect((await get(`/v1/runs/${id}`)).body).toMatchObject({
      run: { declared: false, pipeline: null },
      outcome: { outcome: "pass", basis: "steps" },
    });
    expect((await post("/v1/runs", { id, pipeline: "late" })).status).toBe(201);
    expect((await get(`/v1/runs/${id}`)).body).toMatchObject({ run: { declared: true, pipeline: "late" } });
  });

  test("said twice is a duplicate, and what was said first stands", async () => {
    const { body } = await post("/v1/runs", { pipeline: "one" });
    const { id } = body["run"] as { id: string };
    expect(id).toMatch(/^run_/);
    expect(await post("/v1/runs", { id, pipeline: "two" })).toMatchObject({
      status: 200,
      body: { status: "duplicate", run: { pipeline: "one" } },
    });
    await post(`/v1/runs/${id}/end`, { status: "succeeded" });
    expect(await post(`/v1/runs/${id}/end`, { status: "failed" })).toMatchObject({
      status: 200,
      body: { status: "duplicate", run: { status: "succeeded" } },
    });
  });

  test("may have an id of every letter that ids may have", async () => {
    const id = `${fresh("r")}/a:b@c.d-e`;
    await post("/v1/runs", { id, pipeline: "p" });
    expect((await get(`/v1/runs/${encodeURIComponent(id)}`)).body).toMatchObject({ run: { id } });
    expect((await post(`/v1/runs/${encodeURIComponent(id)}/end`, { status: "failed" })).status).toBe(200);
  });

  test("that is unknown is a 404 that says how runs become known", async () => {
    for (const answer of [await get("/v1/runs/none"), await post("/v1/runs/none/end", { status: "failed" })]) {
      expect(answer).toMatchObject({ status: 404, code: "run_not_found" });
      expect(answer.headers.get("retry-after")).toBe("2");
    }
  });

  test("is listed newest first, page by page, under filters", async () => {
    const pipeline = fresh("pages");
    for (const at of [1, 2, 2, 3]) await post("/v1/runs", { pipeline, started_at: String(at) });
    const seen: unknown[] = [];
    let after = "";
    for (let page = 0; page < 3; page += 1) {
      const { body } = await get(`/v1/runs?pipeline=${pipeline}&limit=2${after}`);
      seen.push(...(body["runs"] as Json[]).map((run) => Date.parse(String(run["started_at"]))));
      if (body["next"] === null) break;
      after = `&after=${encodeURIComponent(String(body["next"]))}`;
    }
    expect(seen).toEqual([3, 2, 2, 1]);
  });
});

describe("a body or query that cannot be accepted", () => {
  test.each([
    ["POST", "/v1/runs", {}, "invalid_body", "pipeline"],
    ["POST", "/v1/runs", { pipeline: "p", id: "a b" }, "invalid_body", "id"],
    ["POST", "/v1/runs", { pipeline: "p", extra: 1 }, "invalid_body", "extra"],
    ["POST", "/v1/runs", { pipeline: "p", tags: JSON.parse('{"__proto__":"x"}') }, "invalid_body", "tags"],
    ["POST", "/v1/grade", { subject: { kind: "run", id: "x" }, score: 1.5, kind: "human" }, "invalid_body", "score"],
    ["POST", "/v1/artifacts", { name: "n", type: "other" }, "hash_required", null],
    ["POST", "/v1/artifacts", { name: "n", type: "other", content: "{", json: true }, "not_json", null],
    ["POST", "/v1/artifacts", { name: "n", type: "other", content: "x", bytes: 2 }, "hash_mismatch", null],
    ["POST", "/v1/eval-cases", { task: "t", input: { kind: "variables", variables: {} } }, "invalid_body", "expected"],
    [
      "POST",
      "/v1/eval-cases",
      { task: "t", expected: 1, input: { kind: "messages", request: { messages: [{}], model: "m" } } },
      "invalid_body",
      "input.request",
    ],
    ["PUT", "/v1/settings", { custody: "content" }, "invalid_body", "artifact_max_bytes"],
    ["GET", "/v1/runs?status=open", undefined, "invalid_query", "status"],
    ["GET", "/v1/runs?after=x", undefined, "invalid_query", "after"],
    ["GET", "/v1/runs?limit=1&limit=2", undefined, "invalid_query", "limit"],
    ["GET", "/v1/eval-cases?taks=x", undefined, "invalid_query", "taks"],
  ])("%s %s %j is refused, and the field named", async (method, path, body, code, param) => {
    const answer = await send(method, path, body);
    expect(answer).toMatchObject({ status: 400, code });
    expect((answer.body["error"] as Json)["param"]).toBe(param);
  });
});

describe("scopes", () => {
  test.each([
    ["POST", "/v1/runs"],
    ["POST", "/v1/runs/x/end"],
    ["POST", "/v1/artifacts"],
    ["POST", "/v1/artifacts/x/promote"],
    ["POST", "/v1/grade"],
    ["POST", "/v1/eval-cases"],
    ["DELETE", "/v1/eval-cases/x"],
    ["PUT", "/v1/settings"],
  ])("%s %s is not for a key that reads", async (method, path) => {
    expect(await send(method, path, method === "DELETE" ? undefined : {}, inject("keys").readOnly)).toMatchObject({
      status: 403,
      code: "missing_scope",
    });
  });

  test.each(["/v1/runs", "/v1/runs/x", "/v1/artifacts/x", "/v1/eval-cases", "/v1/eval-cases/x", "/v1/settings"])(
    "GET %s needs read",
    async (path) => {
      expect((await get(path, inject("keys").callOnly)).status).toBe(403);
      expect((await get(path, inject("keys").readOnly)).status).toBe(path.endsWith("/x") ? 404 : 200);
    },
  );
});

describe("POST /v1/grade", () => {
  const graded = (subject: { kind: string; id: string }, more: Json = {}) =>
    post("/v1/grade", { subject, score: 1, kind: "human", ...more });

  test("is kept once however often it is sent, and the latest of a grader counts", async () => {
    const id = fresh("r");
    await post("/v1/runs", { id, pipeline: "p" });
    const first = { id: fresh("g"), created_at: "1" };
    expect(await graded({ kind: "run", id }, first)).toMatchObject({ status: 201, body: { status: "stored" } });
    expect(await graded({ kind: "run", id }, { ...first, score: 0 })).toMatchObject({
      status: 200,
      body: { id: first.id, status: "duplicate" },
    });
    await graded({ kind: "run", id }, { score: 0, created_at: "2" });
    const { body } = await get(`/v1/runs/${id}`);
    expect(body).toMatchObject({ outcome: { outcome: "fail", basis: "human" } });
    expect((body["grades"] as Json[]).map(({ score, counts }) => [score, counts])).toEqual([
      [0, true],
      [1, false],
    ]);
  });

  test("a model and a person of one name are two graders, in the run and in a query", async () => {
    const id = fresh("r");
    await post("/v1/runs", { id, pipeline: "p" });
    await graded({ kind: "run", id }, { score: 0.25, created_at: "1" });
    await graded({ kind: "run", id }, { score: 0.75, kind: "model", created_at: "2" });
    await graded({ kind: "run", id }, { score: 1, kind: "model", created_at: "3" });
    const { body } = await get(`/v1/runs/${id}`);
    const counting = (body["grades"] as Json[]).filter(({ counts }) => counts).map(({ score }) => score);
    const asked = await post("/v1/query", {
      query: `SELECT score FROM grades WHERE subject = '${id}' ORDER BY score DESC`,
    });
    expect(counting).toEqual([1, 0.25]);
    expect((asked.body["rows"] as unknown[][]).flat()).toEqual(counting);
  });

  test.each(["run", "artifact", "inference"])("refuses an unknown %s at once, and keeps nothing", async (kind) => {
    const answer = await graded({ kind, id: "nowhere" });
    expect(answer).toMatchObject({ status: 404, code: "unknown_subject" });
    expect(answer.headers.get("retry-after")).toBeNull();
  });

  test("waits for the record of a call that was made a moment ago", async () => {
    const id = `inf_${uuidv7obj().toHex()}`;
    const grading = graded({ kind: "inference", id });
    await arrive({ id });
    expect(await grading).toMatchObject({ status: 201 });
  });

  test("says so where such a record has not arrived in time", async () => {
    const answer = await graded({ kind: "inference", id: `inf_${uuidv7obj().toHex()}` });
    expect(answer).toMatchObject({ status: 404, code: "unknown_subject" });
    expect(answer.headers.get("retry-after")).toBe("2");
  });
});
