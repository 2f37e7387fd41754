import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { failure } from "../../src/failure/failure.ts";
import { writtenTags } from "../../src/identity/authorize.ts";
import type { Principal } from "../../src/identity/principal.ts";
import { tags } from "../../src/record/tag.ts";
import { runOutcome } from "../../src/runs/outcome.ts";
import { label, RUN_STATUSES, type Run, reportedId, runEnd } from "../../src/runs/run.ts";
import { runCost, stepsOf } from "../../src/runs/steps.ts";
import type { OrgStore } from "../../src/store/store.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { HttpFault } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, prefixedId } from "./control.ts";
import { pageOf, pageQuery, parseBody, parseQuery, time } from "./listing.ts";
import {
  artifactJson,
  gradesJson,
  outcomeJson,
  run,
  type runDetail,
  runJson,
  type runList,
  stepJson,
  usdOf,
} from "./run-view.ts";

const MOST_LISTED = 200;

export const runStartRequest = z
  .strictObject({
    id: reportedId.optional().describe("Yours, unique within the org; absent = one is made."),
    pipeline: label,
    episode_key: label.optional().describe("Your own word that groups runs; need not be unique."),
    ...{ environment: label.optional(), subject: label.optional(), feature: label.optional() },
    tags: tags.optional(),
    started_at: time.optional().describe("Absent = now."),
  })
  .openapi("RunStartRequest");

export const runEndRequest = z
  .strictObject({ status: runEnd.shape.status, ended_at: time.optional().describe("Absent = now.") })
  .openapi("RunEndRequest");

export const runReported = z
  .object({
    run,
    status: z.enum(["stored", "duplicate"]).describe("duplicate: it was said before, and what was said first stands."),
  })
  .openapi("RunReported");

export const runQuery = z.strictObject({
  ...{ pipeline: label.optional(), environment: label.optional(), subject: label.optional() },
  ...{ feature: label.optional(), episode_key: label.optional() },
  status: z.enum(RUN_STATUSES).optional(),
  since: time.optional().describe("Of the start, inclusive."),
  until: time.optional().describe("Exclusive."),
  ...pageQuery(MOST_LISTED),
});

/** `/v1/runs`: executions of pipelines. A key with a row scope writes and sees only runs that carry its tags. */
export function runs(app: Hono<AppEnv>): void {
  app.post("/v1/runs", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    const body = parseBody(runStartRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const { id = prefixedId("run"), episode_key: episodeKey, started_at: startedAt, ...rest } = body;
    const store = runtime.store().forOrg(principal.org);
    const start = {
      ...{ id, episodeKey, startedAt: startedAt ?? runtime.now(), ...rest },
      tags: { ...rest.tags, ...writtenTags(principal) },
    };
    const [status = "duplicate"] = await store.runs.start([start], actorOf(runtime, principal));
    const known = await store.runs.get(id, principal.rowScope);
    if (!known) throw idTaken();
    return c.json({ run: runJson(known), status } satisfies z.output<typeof runReported>, statusOf(status));
  });

  app.post("/v1/runs/:id/end", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    const { status: ended, ended_at: endedAt } = parseBody(
      runEndRequest,
      await readJsonBody(c.req.raw, runtime.config.limits),
    );
    const store = runtime.store().forOrg(principal.org);
    const id = c.req.param("id");
    await knownRun(store, id, principal);
    const end = { id, status: ended, endedAt: endedAt ?? runtime.now() };
    const [status = "duplicate"] = await store.runs.end([end], actorOf(runtime, principal));
    const known = await knownRun(store, id, principal);
    return c.json({ run: runJson(known), status } satisfies z.output<typeof runReported>);
  });

  app.get("/v1/runs", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const { after, limit, episode_key: episodeKey, ...rest } = parseQuery(runQuery, c.req.url);
    const from = after && { startedAt: after.at, id: after.id };
    const found = await runtime
      .store()
      .forOrg(principal.org)
      .runs.list({ ...rest, episodeKey, after: from, limit: limit + 1 }, principal.rowScope);
    const { shown, next } = pageOf(found, limit, ({ startedAt }) => startedAt);
    return c.json({ runs: shown.map(runJson), next } satisfies z.output<typeof runList>);
  });

  app.get("/v1/runs/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const store = runtime.store().forOrg(principal.org);
    const known = await knownRun(store, c.req.param("id"), principal);
    return c.json(await detailOf(store, known, principal));
  });
}

async function detailOf(store: OrgStore, known: Run, { rowScope }: Principal): Promise<z.output<typeof runDetail>> {
  const [called, artifacts, grades] = await Promise.all([
    store.runs.steps(known.id, rowScope),
    store.artifacts.ofRun(known.id, rowScope),
    store.grades.ofRun(known, rowScope),
  ]);
  const links = await store.artifacts.linksOf(
    artifacts.map(({ id }) => id),
    rowScope,
  );
  const onRun = grades.filter(({ subject }) => subject.kind === "run");
  const { costNano, unpriced } = runCost(called);
  return {
    run: runJson(known),
    outcome: outcomeJson(runOutcome({ run: known, steps: called, grades: onRun })),
    inferences: called.reduce((sum, { inferences }) => sum + inferences, 0),
    cost_usd: usdOf(costNano),
    unpriced,
    simulated: called.some(({ simulated }) => simulated),
    steps: stepsOf(called, artifacts).map(stepJson),
    artifacts: artifacts.map((artifact) => artifactJson(artifact, links)),
    grades: gradesJson(grades),
  };
}

/** 404 also where the run is there, but not for this key. */
export async function knownRun(store: OrgStore, id: string, { rowScope }: Principal): Promise<Run> {
  const known = await store.runs.get(id, rowScope);
  if (known) return known;
  const message =
    "no such run; start it with POST /v1/runs. One that only its calls name is known a moment after the first of them";
  throw new HttpFault(404, failure("bad_request", message, { code: "run_not_found", param: "id" }), {
    "retry-after": "2",
  });
}

export function statusOf(status: "stored" | "duplicate"): 200 | 201 {
  return status === "stored" ? 201 : 200;
}

function idTaken(): HttpFault {
  const fault = failure("bad_request", "a run that this key may not see has this id", {
    code: "id_taken",
    param: "id",
  });
  return new HttpFault(409, fault);
}
