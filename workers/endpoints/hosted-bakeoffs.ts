import { z } from "@hono/zod-openapi";
import type { Context, Hono } from "hono";
import { startHostedBakeoff } from "../../src/bakeoff/hosted/start-hosted.ts";
import type { BakeoffRequest } from "../../src/bakeoff/plan/start-bakeoff.ts";
import type { HostedBakeoff } from "../../src/bakeoff/ports.ts";
import { type Failure, failure } from "../../src/failure/failure.ts";
import { nanoToUsdText, usdToNano, ZERO_USD } from "../../src/money/nano-usd.ts";
import { registryOf } from "../../src/registry/record.ts";
import type { RecordedCall } from "../../src/replay/recorded-call.ts";
import { canonicalJson } from "../../src/route/canonical.ts";
import { ID_PATTERN } from "../../src/route/identifier.ts";
import { DEFAULT_VARIANT, variantNames } from "../../src/route/narrow.ts";
import type { Route } from "../../src/route/route.ts";
import { recordedCase } from "../../src/runs/eval-case.ts";
import { label } from "../../src/runs/run.ts";
import type { OrgStore } from "../../src/store/store.ts";
import { requireEveryRow } from "../auth.ts";
import { callerOf } from "../caller.ts";
import { type Caller, modelNotFound, requireReach } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { HttpFault, notFound, unavailable } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { logError } from "../log.ts";
import { actorOf, prefixedId } from "./control.ts";
import { parseBody } from "./listing.ts";

const DEFAULT_BUDGET_USD = "5";
const DEFAULT_LAST = 200;
const MOST_INPUTS = 2_000;
const MOST_VARIANTS = 20;
const PAGE = 100;
/** Calls in flight: an invocation has six connections, and samples are written beside the calls. */
const CONCURRENCY = 4;

const id = z.string().regex(ID_PATTERN);
const usd = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,9})?$/)
  .refine((text) => usdToNano(text) > 0, "must be more than nothing")
  .describe("Exact decimal dollars, at most nine places.");

export const hostedBakeoffRequest = z
  .strictObject({
    variants: z.array(id).min(1).max(MOST_VARIANTS).optional().describe("Default: all. What serves is always an arm."),
    task: label.optional().describe("Whose eval cases; default: the route's name."),
    last: z.int().min(1).max(MOST_INPUTS).default(DEFAULT_LAST).describe("Newest eval cases to take."),
    budget_usd: usd.default(DEFAULT_BUDGET_USD).describe("Spend limit of each variant."),
    total_usd: usd.optional().describe("Spend limit of everything together, the reference included."),
    objective: z.enum(["quality-first", "balanced", "cost-first"]).optional(),
    seed: z.int().min(0).max(999_999_999).optional().describe("Order of inputs and arms; default: drawn."),
    reference: id.optional().describe("auto, none, or provider/model instead of the route's own."),
    cluster: z.literal("run").optional().describe("Eval cases of one run belong together, which is so without it too."),
  })
  .openapi("HostedBakeoffRequest");

export const hostedBakeoffStarted = z
  .object({
    id: z.string(),
    state: z.enum(["queued", "running", "cancelling", "cancelled", "done", "failed"]),
    poll: z.string().describe("Answers the state, and the report once there is one."),
  })
  .openapi("HostedBakeoffStarted");

export const hostedBakeoffState = hostedBakeoffStarted
  .extend({
    route: z.string(),
    done: z.int().describe("Samples measured."),
    planned: z.int(),
    spent_usd: z.string().describe("Known costs so far, exact decimal dollars."),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi("HostedBakeoffState");

export const idempotencyHeader = z.object({
  "idempotency-key": z.string().max(255).optional().describe("Sent again with it, a request starts nothing anew."),
});

/** Bake-offs that run here, over eval cases; `GET /v1/bakeoffs/{id}` is beside the reports. */
export function hostedBakeoffs(app: Hono<AppEnv>): void {
  const run = async (c: Context<AppEnv>): Promise<Response> => {
    const caller = callerOf(c, "oracle-act");
    const made = await startHosted(caller, c.req.param("route") ?? "", c.req.raw);
    const poll = `/v1/bakeoffs/${made.id}`;
    const answer = { id: made.id, state: made.state, poll } satisfies z.output<typeof hostedBakeoffStarted>;
    return c.json(answer, 202, { location: poll });
  };
  app.post("/v1/bakeoffs/run/:route", run);
  app.post("/bakeoff/:route", run);

  app.post("/v1/bakeoffs/:id/cancel", async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    requireEveryRow(principal, "bake-offs");
    const store = runtime.store().forOrg(principal.org).hostedBakeoffs;
    const hosted = await store.get(c.req.param("id"));
    if (!hosted) throw notFound("no such hosted bake-off", "bakeoff_not_found", "id");
    requireReach(principal, hosted.route);
    await store.move(hosted.id, ["queued", "running"], "cancelling", actorOf(runtime, principal));
    return c.json(await stateJson((await store.get(hosted.id)) ?? hosted, store));
  });
}

/** What is known of a bake-off that has no report yet. Where its workflow is gone, it has failed. */
export async function hostedStateOf(
  { runtime, principal }: Caller,
  bakeoff: string,
): Promise<z.output<typeof hostedBakeoffState> | undefined> {
  const store = runtime.store().forOrg(principal.org).hostedBakeoffs;
  const hosted = await store.get(bakeoff);
  if (!hosted) return undefined;
  const open = hosted.state === "queued" || hosted.state === "running" || hosted.state === "cancelling";
  const params = { org: principal.org, id: bakeoff, from: hosted.plan.from };
  if (!open || (await runtime.hostedRuns?.isAlive(params))) return stateJson(hosted, store);
  const more = { ...actorOf(runtime, principal), error: "workflow_gone: the workflow of this bake-off is gone" };
  await store.move(bakeoff, ["queued", "running", "cancelling"], "failed", more);
  return stateJson((await store.get(bakeoff)) ?? hosted, store);
}

async function stateJson(
  { id: bakeoff, state, route, planned, error }: HostedBakeoff,
  store: OrgStore["hostedBakeoffs"],
): Promise<z.output<typeof hostedBakeoffState>> {
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
  request: Request,
): Promise<Pick<HostedBakeoff, "id" | "state">> {
  const { runtime, principal } = caller;
  requireEveryRow(principal, "eval cases");
  requireReach(principal, name);
  const route = runtime.routes.get(name);
  if (!route) throw modelNotFound(`no route is named ${name}`);
  const runs = runtime.hostedRuns;
  if (!runs) throw unavailable("this gateway runs no workflows", "no_workflows", 3_600);
  const body = parseBody(hostedBakeoffRequest, await readJsonBody(request, runtime.config.limits));
  const digest = await sha256(canonicalJson({ name, body }));
  const key = request.headers.get("idempotency-key") ?? undefined;
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
    const more = { ...actorOf(runtime, principal), error: "not_started: the workflow could not be started" };
    // With a key it may be sent again, and then starts what is queued.
    if (key === undefined) await store.hostedBakeoffs.move(bakeoff, ["queued"], "failed", more);
    throw unavailable("the bake-off could not be started", "not_started", 5);
  }
  return hosted;
}

type Body = z.output<typeof hostedBakeoffRequest>;

async function createHosted(
  caller: Caller,
  route: Route,
  body: Body,
  made: { readonly id: string; readonly digest: string },
): Promise<Pick<HostedBakeoff, "id" | "state" | "plan">> {
  const { runtime, principal, background } = caller;
  const store = runtime.store().forOrg(principal.org);
  const actor = actorOf(runtime, principal);
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
  body: Body,
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
async function* evalCases(store: OrgStore, task: string, route: Route): AsyncGenerator<RecordedCall> {
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
