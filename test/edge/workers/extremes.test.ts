/** Whatever is taken in can be read again: no time and no figure that a caller reports spoils a list for everyone. */
import { describe, expect, test } from "vitest";
import { LAST_INSTANT } from "../../../src/intake/fields.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anAttempt, anInference } from "../../support/store/inferences.ts";
import { newOrg } from "../keys.ts";
import { get, post, send } from "../requests.ts";

const TIMES = [
  ...["0", String(LAST_INSTANT), String(LAST_INSTANT + 1), "8640000000000000", "9999999999999999"],
  ...["0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-12:00"],
];

async function readable(key: string, ...paths: readonly string[]) {
  const lists = ["/v1/runs", "/v1/inferences", "/v1/runs/r"];
  for (const path of [...lists, ...paths]) {
    const { status, body } = await get(path, key);
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
  }
}

describe("times at the ends of what can be said", () => {
  test.each(TIMES)("%s is refused or shown, wherever a time is taken", async (time) => {
    const { key } = await newOrg();
    await post("/v1/runs", { id: "r", pipeline: "p" }, key);
    const artifact = { name: "n", type: "other", content: "x", run: "r" };
    await post("/v1/artifacts", { ...artifact, id: "known" }, key);
    const answers = await Promise.all([
      post("/v1/runs", { id: "other", pipeline: "p", started_at: time }, key),
      post("/v1/runs/r/end", { status: "succeeded", ended_at: time }, key),
      post("/v1/artifacts", { ...artifact, id: "a", created_at: time }, key),
      post("/v1/grade", { subject: { kind: "run", id: "r" }, score: 1, kind: "human", created_at: time }, key),
      post("/v1/record", { provider: "openai", model: "m", run: "r", started_at: time }, key),
      get(`/v1/runs?since=${time}`, key),
      get(`/v1/inferences?until=${time}`, key),
      get(`/v1/runs?after=${time}_x`, key),
    ]);
    for (const { status, body } of answers) expect(status, JSON.stringify(body)).toBeLessThan(500);
    await readable(key, "/v1/artifacts/known");
  });
});

describe("figures of a batch", () => {
  const most = Number.MAX_SAFE_INTEGER;
  const attempt = { provider: "up", model: "m", startedAt: 1 };
  const extremes: Record<string, Partial<Parameters<typeof anInference>[0]>> = {
    "a start at the end of time": { startedAt: LAST_INSTANT, latencyMs: 604_800_000 },
    "a start after the end of time": { startedAt: LAST_INSTANT + 1 },
    "a latency without end": { latencyMs: most },
    "a latency of a clock set back": { latencyMs: -5, firstByteMs: -5 },
    "a cost beyond any bill": { cost: most as never },
    "an attempt that cost more than any bill": { attempts: [anAttempt({ ...attempt, cost: most as never })] },
    "an attempt without end": { attempts: [anAttempt({ ...attempt, latencyMs: most })] },
  };

  test.each(Object.entries(extremes))("%s leaves the run and its lists readable", async (_, fields) => {
    const { key } = await newOrg();
    const item = (id: string) => ({
      type: "inference",
      inference: recordOf(anInference({ attempts: [], ...fields, id, run: "r" })),
    });
    const batch = {
      schema: "modelrig.ingest/1",
      items: [{ type: "run_start", run: { id: "r", pipeline: "p", startedAt: 1 } }, item("i1"), item("i2")],
    };
    expect(await send("POST", "/v1/ingest", batch, key)).toMatchObject({ status: 200 });
    await readable(key);
    const asked = await post(
      "/v1/query",
      { query: "SELECT day(ts), sum(cost), max(latency_ms) FROM inferences GROUP BY 1" },
      key,
    );
    expect(asked.status).toBe(200);
  });
});
