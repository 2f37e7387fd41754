import { beforeEach, describe, expect, inject, test } from "vitest";
import { arrive, get as getAs, type Json, post as postAs, send } from "../requests.ts";

/** An org of its own: these tests change its settings. */
const keeper = inject("keys").keeper;
const acme = inject("keys").acmeRows;
const post = (path: string, body: unknown = {}, key = keeper) => postAs(path, body, key);
const get = (path: string, key = keeper) => getAs(path, key);
const decide = (more: Json = {}) =>
  send("PUT", "/v1/settings", { custody: "content", artifact_max_bytes: 64, retention_days: null, ...more }, keeper);

let made = 0;
const fresh = (prefix: string) => {
  made += 1;
  return `${prefix}_kept_${made}`;
};
const save = async (more: Json, key = keeper) => {
  const answer = await post("/v1/artifacts", { name: "n", type: "step_output", ...more }, key);
  return { ...answer, id: String(answer.body["id"]) };
};
const contentOf = async (id: string) => ((await get(`/v1/artifacts/${id}`)).body["artifact"] as Json)["content"];

beforeEach(async () => {
  await decide();
});

describe("settings", () => {
  test("are defaults until somebody decides, and then what was decided", async () => {
    expect((await getAs("/v1/settings")).body).toEqual({
      custody: "hash",
      artifact_max_bytes: 262_144,
      retention_days: null,
    });
    const chosen = { custody: "content", artifact_max_bytes: 7, retention_days: 30 };
    expect((await decide(chosen)).body).toEqual(chosen);
    expect((await get("/v1/settings")).body).toEqual(chosen);
  });
});

describe("an artifact", () => {
  test("keeps its content where the org lets it", async () => {
    const text = await save({ content: "ünïcode 🦀" });
    expect(text).toMatchObject({ status: 201, body: { bytes: 14, withheld: null } });
    expect(await contentOf(text.id)).toBe("ünïcode 🦀");
    const value = await save({ content: { a: [1, null] } });
    expect((await get(`/v1/artifacts/${value.id}`)).body).toMatchObject({
      artifact: { json: true, content: '{"a":[1,null]}' },
    });
  });

  test.each([
    ["keeps nothing but its hash and size", { custody: "hash" }, "x".repeat(10), "custody"],
    ["says that its content was too large", {}, "x".repeat(65), "too_large"],
    ["counts bytes, not characters", {}, "ü".repeat(33), "too_large"],
  ])("%s under %j", async (_what, setting, content, withheld) => {
    await decide(setting);
    const saved = await save({ content });
    expect(saved.body).toMatchObject({ withheld, bytes: new TextEncoder().encode(content).length });
    expect(saved.body["hash"]).toMatch(/^[0-9a-f]{64}$/);
    expect(await contentOf(saved.id)).toBeNull();
  });

  test("may keep its content at its sender's", async () => {
    const saved = await save({ hash: "ab".repeat(32), bytes: 9 });
    expect(saved.body).toMatchObject({ withheld: "not_sent", hash: "ab".repeat(32), bytes: 9 });
  });

  test("sent again changes nothing", async () => {
    const id = fresh("a");
    await save({ id, content: "first" });
    expect(await save({ id, content: "second" })).toMatchObject({
      status: 200,
      body: { status: "duplicate", bytes: 5 },
    });
    expect(await contentOf(id)).toBe("first");
  });

  test("shows what it came from and what came of it", async () => {
    const source = await save({ content: "1" });
    const read = await save({ content: "2" });
    const output = await save({ content: "3", derived_from: [source.id], consumed: [read.id, source.id] });
    expect((await get(`/v1/artifacts/${output.id}`)).body).toMatchObject({
      artifact: { derived_from: [source.id], consumed: expect.arrayContaining([read.id, source.id]) },
      used_by: [],
    });
    expect((await get(`/v1/artifacts/${source.id}`)).body["used_by"]).toEqual([output.id]);
  });

  test("cannot come from one that is not there", async () => {
    expect(await save({ content: "x", derived_from: ["nowhere"] })).toMatchObject({
      status: 404,
      code: "unknown_source",
    });
  });
});

describe("from artifact to golden", () => {
  const promoted = (id: string, body: Json = {}) => post(`/v1/artifacts/${id}/promote`, body);

  test("what was asked is found in the lineage, over more than one link", async () => {
    const input = await save({ type: "input", content: { ticket: "T" } });
    const prompt = await save({ type: "prompt", content: "say T", derived_from: [input.id] });
    const raw = await save({ type: "raw_response", content: "{}", derived_from: [prompt.id] });
    const output = await save({ content: { ok: true }, task: "demo.a", derived_from: [raw.id, prompt.id] });
    const answer = await promoted(output.id);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        task: "demo.a",
        input: { kind: "variables", variables: { ticket: "T" } },
        expected: { ok: true },
        corrected: false,
        origin: "artifact",
        artifact: output.id,
      },
    });
    const { status: _status, ...told } = answer.body;
    expect((await get(`/v1/eval-cases/${answer.body["id"]}`)).body).toEqual(told);
  });

  test.each([
    ["a text", "prompt", "hello", { messages: [{ role: "user", content: "hello" }] }],
    ["messages", "prompt", [{ role: "system", content: "s" }], { messages: [{ role: "system", content: "s" }] }],
    [
      "a chat request, without what the replay chooses",
      "prompt",
      { model: "m", stream: true, messages: [{ role: "user", content: "u" }], seed: 1 },
      { messages: [{ role: "user", content: "u" }], seed: 1 },
    ],
  ])("a prompt of %s becomes messages", async (_what, type, content, request) => {
    await decide({ artifact_max_bytes: 500 });
    const prompt = await save({ type, content });
    const output = await save({ content: "out", task: "t", derived_from: [prompt.id] });
    expect((await promoted(output.id)).body).toMatchObject({ input: { kind: "messages", request }, expected: "out" });
  });

  test("a correction takes the place of the content, whatever JSON value it is", async () => {
    const output = await save({ content: "wrong" });
    const input = { kind: "variables", variables: {} };
    for (const corrected of [{ right: true }, "right", null, false]) {
      const answer = await promoted(output.id, { task: "t", corrected, input, origin: "manual" });
      expect(answer.body).toMatchObject({ expected: corrected, corrected: true, origin: "manual", input });
      expect((await get(`/v1/eval-cases/${answer.body["id"]}`)).body["expected"]).toEqual(corrected);
    }
  });

  test("what is missing is said, with the way out", async () => {
    const input = { kind: "variables", variables: {} };
    const output = await save({ content: "x" });
    expect(await promoted(output.id, { input })).toMatchObject({ status: 400, code: "task_required" });
    const lost = await promoted(output.id, { task: "t" });
    expect(lost).toMatchObject({ status: 409, code: "input_not_found" });
    expect(JSON.stringify(lost.body)).toContain("derived_from");
    const two = [await save({ type: "prompt", content: "1" }), await save({ type: "prompt", content: "2" })];
    const both = await save({ content: "x", derived_from: two.map(({ id }) => id) });
    expect(await promoted(both.id, { task: "t" })).toMatchObject({ status: 409, code: "input_ambiguous" });
    await decide({ custody: "hash" });
    const hashed = await save({ content: "x" });
    const refused = await promoted(hashed.id, { task: "t", input });
    expect(refused).toMatchObject({ status: 409, code: "content_not_kept" });
    expect(JSON.stringify(refused.body)).toContain("/v1/settings");
    const prompt = await save({ type: "prompt", content: "secret" });
    await decide();
    const kept = await save({ content: "x", derived_from: [prompt.id] });
    expect(await promoted(kept.id, { task: "t" })).toMatchObject({ status: 409, code: "input_not_kept" });
    expect(await promoted("nowhere", { task: "t" })).toMatchObject({ status: 404, code: "artifact_not_found" });
  });
});

describe("eval cases", () => {
  test("are added once, listed by task page by page, and archived ones are kept apart", async () => {
    const task = fresh("task");
    const add = (id: string, expected: unknown = 1) =>
      post("/v1/eval-cases", { id, task, input: { kind: "variables", variables: { a: 1 } }, expected });
    const ids = [fresh("c"), fresh("c"), fresh("c")];
    for (const id of ids) expect((await add(id)).status).toBe(201);
    expect(await add(ids[0] ?? "", 2)).toMatchObject({ status: 200, body: { expected: 1 } });
    const first = (await get(`/v1/eval-cases?task=${task}&limit=2`)).body;
    const rest = (await get(`/v1/eval-cases?task=${task}&limit=2&after=${first["next"]}`)).body;
    const seen = [...(first["eval_cases"] as Json[]), ...(rest["eval_cases"] as Json[])].map(({ id }) => id);
    expect(seen.sort()).toEqual([...ids].sort());
    const archived = await send("DELETE", `/v1/eval-cases/${ids[1]}`, undefined, keeper);
    expect(archived).toMatchObject({ status: 200, body: { archived_at: expect.any(String) } });
    expect((await send("DELETE", `/v1/eval-cases/${ids[1]}`, undefined, keeper)).body).toEqual(archived.body);
    const listed = async (query: string) =>
      ((await get(`/v1/eval-cases?task=${task}${query}`)).body["eval_cases"] as Json[]).length;
    expect([await listed(""), await listed("&archived=true")]).toEqual([2, 3]);
    expect((await get(`/v1/eval-cases/${ids[1]}`)).status).toBe(200);
    expect((await send("DELETE", "/v1/eval-cases/nowhere", undefined, keeper)).status).toBe(404);
  });
});

describe("a key that sees only the rows of client acme", () => {
  const aRun = async (client: string, more: Json = {}) => {
    const id = fresh("r");
    await post("/v1/runs", { id, pipeline: "p", tags: { client }, ...more });
    return id;
  };
  const call = async (run: string | undefined, client: string) => {
    const id = fresh("call");
    await arrive({ org: "org_keeper", id, run, tags: { client } });
    return id;
  };

  test("reads runs of acme, and of those only the calls, artifacts and grades of acme", async () => {
    const key = fresh("ticket");
    const [own, other] = [await aRun("acme", { episode_key: key }), await aRun("beta")];
    const [ownCall, otherCall] = [await call(own, "acme"), await call(own, "beta")];
    const ownArtifact = await save({ run: own, content: "a" });
    const hidden = await save({ run: own, inference: otherCall, content: "b", derived_from: [ownArtifact.id] });
    for (const subject of [
      { kind: "run", id: own },
      { kind: "run", id: key },
      { kind: "inference", id: ownCall },
      { kind: "inference", id: otherCall },
      { kind: "artifact", id: ownArtifact.id },
      { kind: "artifact", id: hidden.id },
    ]) {
      expect((await post("/v1/grade", { subject, score: 1, kind: "human", comment: subject.id })).status).toBe(201);
    }
    const { body } = await get(`/v1/runs/${own}`, acme);
    expect(body).toMatchObject({ inferences: 1, artifacts: [{ id: ownArtifact.id }] });
    expect((body["grades"] as Json[]).map(({ comment }) => comment).sort()).toEqual(
      [own, key, ownCall, ownArtifact.id].sort(),
    );
    expect((await get(`/v1/artifacts/${ownArtifact.id}`, acme)).body["used_by"]).toEqual([]);
    for (const path of [`/v1/runs/${other}`, `/v1/artifacts/${hidden.id}`])
      expect((await get(path, acme)).status).toBe(404);
    const listed = (await get("/v1/runs?limit=200", acme)).body["runs"] as Json[];
    expect(new Set(listed.map(({ tags }) => (tags as Json)["client"]))).toEqual(new Set(["acme"]));
  });

  test("does not see what nothing ties to acme: runs nobody tagged, artifacts of no run, grades by a shared key", async () => {
    const implied = fresh("r");
    await call(implied, "acme");
    const loose = await save({ content: "x" });
    const key = fresh("ticket");
    const own = await aRun("acme", { episode_key: key });
    await aRun("beta", { episode_key: key });
    await post("/v1/grade", { subject: { kind: "run", id: key }, score: 0, kind: "human", comment: "of beta" });
    expect((await get(`/v1/runs/${implied}`, acme)).status).toBe(404);
    expect((await get(`/v1/artifacts/${loose.id}`, acme)).status).toBe(404);
    expect((await get(`/v1/runs/${own}`, acme)).body).toMatchObject({ grades: [], outcome: { basis: "status" } });
    expect((await get(`/v1/runs/${own}`)).body).toMatchObject({ outcome: { basis: "human" } });
  });

  test("writes only what it could see again", async () => {
    const { body } = await post("/v1/runs", { pipeline: "p", tags: { client: "beta", more: "x" } }, acme);
    expect(body).toMatchObject({ run: { tags: { client: "acme", more: "x" } } });
    const other = await aRun("beta");
    const otherArtifact = await save({ run: other, content: "x" });
    expect(await post("/v1/runs", { id: other, pipeline: "p" }, acme)).toMatchObject({ status: 409, code: "id_taken" });
    expect((await post(`/v1/runs/${other}/end`, { status: "failed" }, acme)).status).toBe(404);
    expect(await save({ content: "x" }, acme)).toMatchObject({ status: 400, code: "run_required" });
    expect((await save({ run: other, content: "x" }, acme)).status).toBe(404);
    expect((await post(`/v1/artifacts/${otherArtifact.id}/promote`, { task: "t" }, acme)).status).toBe(404);
    for (const subject of [
      { kind: "run", id: other },
      { kind: "artifact", id: otherArtifact.id },
      { kind: "inference", id: await call(undefined, "beta") },
    ]) {
      expect((await post("/v1/grade", { subject, score: 0, kind: "human" }, acme)).status).toBe(404);
    }
    expect((await get(`/v1/runs/${other}`)).body).toMatchObject({ run: { status: "running" }, grades: [] });
  });

  test("has no way to eval cases, which carry no tags", async () => {
    for (const answer of [
      await get("/v1/eval-cases", acme),
      await get("/v1/eval-cases/x", acme),
      await post("/v1/eval-cases", {}, acme),
      await send("DELETE", "/v1/eval-cases/x", undefined, acme),
    ]) {
      expect(answer).toMatchObject({ status: 403, code: "row_scope" });
    }
  });
});
