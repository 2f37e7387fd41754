/** The way from an endpoint to the engine that all call endpoints share. */

import type { CallBudget, CallContext, CallInput, CallResult } from "../../src/call/call.ts";
import { executeCall } from "../../src/call/execute.ts";
import { claimsFor } from "../../src/envelope/period.ts";
import { failure } from "../../src/failure/failure.ts";
import type { Principal } from "../../src/identity/principal.ts";
import { mayCall } from "../../src/identity/reach.ts";
import { DEFAULT_VARIANT, type NarrowedRoute, narrow } from "../../src/route/narrow.ts";
import type { Route } from "../../src/route/route.ts";
import { forbidden, HttpFault, notFound } from "../http/fault.ts";
import type { Background, Runtime } from "../runtime.ts";
import type { RequestMarks } from "./request-marks.ts";

export interface Caller {
  readonly runtime: Runtime;
  readonly principal: Principal;
  readonly background: Background;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** The declared route under its live pin, else the named variant. 404 and 403 name what is wrong, not what exists. */
export async function routeFor(caller: Caller, name: string, variant: string): Promise<NarrowedRoute> {
  const { runtime, principal, background } = caller;
  requireReach(principal, name);
  const route = runtime.routes.get(name);
  if (!route) throw modelNotFound(`no route is named ${name}`);
  const pinned = variant === DEFAULT_VARIANT ? await runtime.liveVariant(principal.org, name, background) : undefined;
  const chosen = narrow(route, pinned ?? variant);
  // A pin to a variant that a later deploy removed falls back to the route as declared.
  const narrowed = chosen.ok || pinned === undefined ? chosen : narrow(route, variant);
  if (!narrowed.ok) throw new HttpFault(404, { ...narrowed.error, code: "model_not_found" });
  return narrowed.value;
}

/** A key reaches routes by name, raw models as `raw:provider/model`. */
export function requireReach(principal: Principal, reach: string): void {
  if (!mayCall(principal, reach)) throw forbidden(`this key may not call ${reach}`, "route_not_allowed");
}

export function modelNotFound(message: string): HttpFault {
  return notFound(message, "model_not_found", "model");
}

export function liveContext(principal: Principal, route: NarrowedRoute | undefined, marks: RequestMarks): CallContext {
  return {
    org: principal.org,
    keyId: principal.keyId,
    lane: route ? "live" : "raw",
    route: route?.route.name,
    routeHash: route?.route.hash,
    variant: route?.variant,
    tags: marks.tags,
    run: marks.run,
    step: marks.step,
  };
}

/** Every limit that covers a live call. No claims = no round trip to the envelopes. */
export function callBudget(
  runtime: Runtime,
  principal: Principal,
  route: Route | undefined,
  run: string | undefined,
): CallBudget {
  const { perCall, ...limits } = route?.budget ?? {};
  const claims = claimsFor(
    {
      route: route && { name: route.name, ...limits },
      key: { id: principal.keyId, perMonth: principal.monthlyLimit },
      orgPerMonth: runtime.config.budget.orgPerMonth,
      run,
    },
    runtime.now(),
  );
  return { perCall, claims };
}

/** Runs a call and keeps the isolate alive, and counted as busy, until all of it is over. */
export async function runCall(
  caller: Caller,
  asked: Pick<CallInput, "context" | "policy" | "requestFor" | "dialectOf" | "stream" | "client"> & {
    readonly route: Route | undefined;
  },
): Promise<CallResult> {
  const { runtime, principal, background, signal } = caller;
  if (runtime.activity.draining)
    throw new HttpFault(503, failure("server_error", "this gateway is shutting down"), { connection: "close" });
  const budget = callBudget(runtime, principal, asked.route, asked.context.run);
  const input: CallInput = { ...asked, budget, signal };
  const call = runtime.activity.track(executeCall(input, runtime.callPorts(principal.org, background)));
  // Work that nobody waits for ends with the client's connection: a call left early would never be settled or recorded.
  background(call);
  const result = await call;
  if (result.type === "stream") background(runtime.activity.track(result.done));
  return result;
}
