import type { Hono } from "hono";
import {
  cancelHostedBakeoff,
  type HostedBakeoffRequest,
  type HostedBakeoffState,
  hostBakeoff,
} from "../../../src/api/bakeoffs.ts";
import { startHostedBakeoff } from "../../../src/bakeoff/hosted/start-hosted.ts";
import type { BakeoffRequest } from "../../../src/bakeoff/plan/start-bakeoff.ts";
import type { HostedBakeoff } from "../../../src/bakeoff/ports.ts";
import { type Failure, failure } from "../../../src/failure/failure.ts";
import { nanoToUsdText, usdToNano, ZERO_USD } from "../../../src/money/nano-usd.ts";
import { registryOf } from "../../../src/registry/record.ts";
import type { RecordedInput } from "../../../src/replay/recorded-input.ts";
import { canonicalJson } from "../../../src/route/canonical.ts";
import { DEFAULT_VARIANT, variantNames } from "../../../src/route/narrow.ts";
import type { Route } from "../../../src/route/route.ts";
import { recordedCase } from "../../../src/runs/eval-case.ts";
import type { OrgStore } from "../../../src/store/store.ts";
import { type Caller, modelNotFound, requireReach } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault, notFound, unavailable } from "../../http/fault.ts";
import { logError } from "../../log.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { mount } from "../mount.ts";

const PAGE = 100;
/** Calls in flight: an invocation has six connections, and samples are written beside the calls. */
const CONCURRENCY = 4;

/** Bake-offs that run here, over eval cases; `GET /v1/bakeoffs/{id}` is beside the reports. */
export function mountHostedBakeoffs(app: Hono<AppEnv>): void {
  mount(app, hostBakeoff).with(async (request) => {
    const key = request.raw.headers.get("idempotency-key") ?? undefined;
    const { id, state } = await startHosted(request, request.params.route, request.body, key);
    const poll = `/v1/bakeoffs/${id}`;
    return { status: 202, body: { id, state, poll }, headers: { location: poll } };
  });

  mount(app, cancelHostedBakeoff).with(async (request) => {
    const { runtime, principal, params } = request;
    const store = runtime.store().forOrg(principal.org).hostedBakeoffs;
    const hosted = await store.get(params.id);
    if (!hosted) throw notFound("no such hosted bake-off", "bakeoff_not_found", "id");
    requireReach(principal, hosted.route);
    await store.move(hosted.id, ["queued", "running"], "cancelling", actorOf(request));
    return { status: 200, body: await stateJson((await store.get(hosted.id)) ?? hosted, store) };
  });
}

/** What is known of a bake-off that has no report yet. Where its workflow is gone, it has failed. */
export async function hostedStateOf(
  { runtime, principal }: Caller,
  bakeoff: string,
): Promise<HostedBakeoffState | undefined> {
  const store = runtime.store().forOrg(principal.org).hostedBakeoffs;
  const hosted = await store.get(bakeoff);
  if (!hosted) return undefined;
  const open = hosted.state === "queued" || hosted.state === "running" || hosted.state === "cancelling";
  const params = { org: principal.org, id: bakeoff, from: hosted.plan.from };
  if (!open || (await runtime.hostedRuns?.isAlive(params))) return stateJson(hosted, store);
  const more = { ...actorOf({ runtime, principal }), error: "workflow_gone: the workflow of this bake-off is gone" };
  await store.move(bakeoff, ["queued", "running", "cancelling"], "failed", more);
  return stateJson((await store.get(bakeoff)) ?? hosted, store);
}

async function stateJson(
  { id: bakeoff, state, route, planned, error }: HostedBakeoff,
  store: OrgStore["hostedBakeoffs"],
): Promise<HostedBakeoffState> {
  const { done, spent } = await store.progress(bakeoff);
  const [code = "", ...message] = error?.split(": ") ?? [];
  return {
    ...{ id: bakeoff, state, poll: `/v1/bakeoffs/${bakeoff}`, route, done, planned },
    spent_usd: nanoToUsdText(spent),
    error: error === undefined ? null : { code, message: message.join(": ") },
  };
}

async function startHosted(
  caller: Caller,
  name: string,
  body: HostedBakeoffRequest,
  key: string | undefined,
): Promise<Pick<HostedBakeoff, "id" | "state">> {
  const { runtime, principal } = caller;
  const route = runtime.routes.get(name);
  if (!route) throw modelNotFound(`no route is named ${name}`);
  const runs = runtime.hostedRuns;
  if (!runs) throw unavailable("this gateway runs no workflows", "no_workflows", 3_600);
  const digest = await sha256(canonicalJson({ name, body }));
  const bakeoff =
    key === undefined ? prefixedId("bo") : `bo_${(await sha256(`${principal.org}\n${key}`)).slice(0, 32)}`;
  const store = runtime.store().forOrg(principal.org);
  const known = key === undefined ? undefined : await store.hostedBakeoffs.get(bakeoff);
  const hosted = known ?? (await createHosted(caller, route, body, { id: bakeoff, digest }));
  if (hosted.plan.digest !== digest) {
    const message = "another bake-off was started with this idempotency key";
    throw new HttpFault(
      409,
      failure("bad_request", message, { code: "idempotency_conflict", param: "idempotency-key" }),
    );
  }
  if (hosted.state !== "queued") return hosted;
  try {
    await runs.start({ org: principal.org, id: bakeoff, from: hosted.plan.from });
  } catch (error) {
    logError("workflow not started", error, { bakeoff });
    const more = { ...actorOf({ runtime, principal }), error: "not_started: the workflow could not be started" };
    // With a key it may be sent again, and then starts what is queued.
    if (key === undefined) await store.hostedBakeoffs.move(bakeoff, ["queued"], "failed", more);
    throw unavailable("the bake-off could not be started", "not_started", 5);
  }
  return hosted;
}

async function createHosted(
  caller: Caller,
  route: Route,
  body: HostedBakeoffRequest,
  made: { readonly id: string; readonly digest: string },
): Promise<Pick<HostedBakeoff, "id" | "state" | "plan">> {
  const { runtime, principal, background } = caller;
  const store = runtime.store().forOrg(principal.org);
  const actor = actorOf({ runtime, principal });
  const task = body.task ?? route.name;
  const request = requestOf(body, { id: made.id, now: actor.at, incumbent: await incumbentOf(store, route) });
  const source = { calls: evalCases(store, task, route), what: `eval cases of ${task}` };
  const started = await startHostedBakeoff(request, route, source, {
    org: principal.org,
    registry: registryOf(await store.capabilities.newest()),
    ports: runtime.callPorts(principal.org, background),
    key: { id: principal.keyId, tags: { ...principal.fixedTags }, monthly_nano: principal.monthlyLimit },
    digest: made.digest,
  });
  if (!started.ok) throw refusalOf(started.error, task);
  const { hosted: plan, planned } = started.value;
  const bakeoff = { id: made.id, route: route.name, planned, createdAt: actor.at, plan };
  const fresh = await store.hostedBakeoffs.create(bakeoff, actor);
  const kept = fresh ? undefined : await store.hostedBakeoffs.get(made.id);
  return kept ?? { ...bakeoff, state: "queued" };
}

function requestOf(
  body: HostedBakeoffRequest,
  fresh: { readonly id: string; readonly now: number; readonly incumbent: string },
): BakeoffRequest {
  return {
    id: fresh.id,
    incumbent: fresh.incumbent,
    variants: body.variants,
    reference: body.reference,
    objective: body.objective,
    sampling: { last: body.last, failuresFirst: false, cluster: body.cluster },
    repeats: 1,
    budget_nano: usdToNano(body.budget_usd),
    ...(body.total_usd !== undefined && { total_nano: usdToNano(body.total_usd) }),
    // Every eval case has an expected output, and a judge is asked only where few inputs have one.
    judge_day_nano: ZERO_USD,
    concurrency: CONCURRENCY,
    seed: body.seed ?? crypto.getRandomValues(new Uint32Array(1)).map((word) => word % 1_000_000)[0] ?? 0,
    keep_outputs: 0,
    started_at: new Date(fresh.now).toISOString(),
  };
}

async function incumbentOf(store: OrgStore, route: Route): Promise<string> {
  const pins = await store.routePins.current();
  const pinned = pins.find((pin) => pin.route === route.name)?.variant;
  return pinned !== undefined && variantNames(route).includes(pinned) ? pinned : DEFAULT_VARIANT;
}

/** Newest first. Payloads are read page by page and let go. */
async function* evalCases(store: OrgStore, task: string, route: Route): AsyncGenerator<RecordedInput> {
  for (let after: { createdAt: number; id: string } | undefined; ; ) {
    const page = await store.evalCases.list({ task, after, limit: PAGE });
    for (const one of page) yield recordedCase(one, route);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

function refusalOf(fault: Failure, task: string): HttpFault {
  if (fault.code === "cannot_call") return new HttpFault(409, fault);
  if (fault.code !== "no_inputs") return new HttpFault(400, fault);
  const message = `there are no eval cases of ${task}: promote artifacts to eval cases, or add some (POST /v1/eval-cases)`;
  return new HttpFault(409, failure("bad_request", message, { code: "no_eval_cases", param: "task" }));
}

async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
