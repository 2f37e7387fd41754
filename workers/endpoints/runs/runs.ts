import type { Hono } from "hono";
import { endRun, getRun, listRuns, type RunDetail, startRun } from "../../../src/api/runs.ts";
import { failure } from "../../../src/failure/failure.ts";
import { can, writtenTags } from "../../../src/identity/authorize.ts";
import type { Principal } from "../../../src/identity/principal.ts";
import { runOutcome } from "../../../src/runs/outcome.ts";
import type { Run } from "../../../src/runs/run.ts";
import { runCost, stepsOf } from "../../../src/runs/steps.ts";
import type { OrgStore } from "../../../src/store/store.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault } from "../../http/fault.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { requireHappened } from "../clock.ts";
import { mount } from "../mount.ts";
import { pageOf } from "../page.ts";
import { usdOrNull } from "../wording.ts";
import { artifactJson, gradesJson, outcomeJson, runJson, stepJson } from "./run-view.ts";
import { writeReply } from "./write-reply.ts";

/** `/v1/runs`: executions of pipelines. A key with a row scope writes and sees only runs that carry its tags. */
export function mountRuns(app: Hono<AppEnv>): void {
  mount(app, startRun).with(async (request) => {
    const { runtime, principal, body } = request;
    const { id = prefixedId("run"), episode_key: episodeKey, started_at: startedAt, ...rest } = body;
    requireHappened(runtime.now(), { started_at: startedAt });
    const store = runtime.store().forOrg(principal.org);
    const start = {
      ...{ id, episodeKey, startedAt: startedAt ?? runtime.now(), ...rest },
      tags: { ...rest.tags, ...writtenTags(principal) },
    };
    const [status = "duplicate"] = await store.runs.start([start], actorOf(request));
    const known = await store.runs.get(id, principal.rowScope);
    if (!known) throw idTaken();
    return writeReply(id, status, shownTo(principal, known));
  });

  mount(app, endRun).with(async (request) => {
    const { runtime, principal, params, body } = request;
    requireHappened(runtime.now(), { ended_at: body.ended_at });
    const store = runtime.store().forOrg(principal.org);
    await knownRun(store, params.id, principal);
    const end = { id: params.id, status: body.status, endedAt: body.ended_at ?? runtime.now() };
    const [status = "duplicate"] = await store.runs.end([end], actorOf(request));
    const known = await knownRun(store, params.id, principal);
    return { status: 200, body: { id: params.id, status, ...shownTo(principal, known) } };
  });

  mount(app, listRuns).with(async ({ runtime, principal, query }) => {
    const { after, limit, episode_key: episodeKey, ...rest } = query;
    const from = after && { startedAt: after.at, id: after.id };
    const found = await runtime
      .store()
      .forOrg(principal.org)
      .runs.list({ ...rest, episodeKey, after: from, limit: limit + 1 }, principal.rowScope);
    const { shown, next } = pageOf(found, limit, ({ startedAt }) => startedAt);
    return { status: 200, body: { runs: shown.map(runJson), next } };
  });

  mount(app, getRun).with(async ({ runtime, principal, params }) => {
    const store = runtime.store().forOrg(principal.org);
    const known = await knownRun(store, params.id, principal);
    return { status: 200, body: await detailOf(store, known, principal) };
  });
}

function shownTo(principal: Principal, known: Run) {
  return can(principal, "read") ? { run: runJson(known) } : {};
}

async function detailOf(store: OrgStore, known: Run, { rowScope }: Principal): Promise<RunDetail> {
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
    cost_usd: usdOrNull(costNano),
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

function idTaken(): HttpFault {
  const fault = failure("bad_request", "a run that this key may not see has this id", {
    code: "id_taken",
    param: "id",
  });
  return new HttpFault(409, fault);
}
