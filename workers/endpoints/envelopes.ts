import type { Hono } from "hono";
import {
  type EnvelopeClosing,
  type EnvelopeReservation,
  type HeldEnvelope,
  type ReservableScope,
  releaseReservation,
  reserveEnvelopes,
  settleReservation,
} from "../../src/api/envelopes.ts";
import type { EnvelopeClaim, ReserveResult } from "../../src/envelope/envelope.ts";
import type { ClosingResult } from "../../src/envelope/messages.ts";
import { envelopeClaim } from "../../src/envelope/period.ts";
import { failure } from "../../src/failure/failure.ts";
import { nanoToUsdText, usdToNano } from "../../src/money/nano-usd.ts";
import { type Caller, callBudget, modelNotFound, requireReach } from "../calls/call-access.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, faultBody, forbidden, HttpFault, unavailable } from "../http/fault.ts";
import { mount } from "./mount.ts";

/** `/v1/envelopes/*`: calls made in a process of one's own draw on the same envelopes as the gateway's. */
export function mountEnvelopes(app: Hono<AppEnv>): void {
  mount(app, reserveEnvelopes).with(async (caller) => {
    const { runtime, principal, background, body } = caller;
    const claims = claimsOf(caller, body);
    const worstCase = usdToNano(body.worst_case_usd);
    const { route, model: candidate = "elsewhere" } = body;
    const made = { keyId: principal.keyId, madeFor: { route, candidate } };
    const request = { reservationId: body.reservation_id, claims, worstCase, ttlMs: body.ttl_ms, ...made };
    const result: ReserveResult | "unreachable" =
      claims.length === 0 ? { granted: true } : await runtime.envelopes(principal.org, background).reserve(request);
    if (result === "unreachable") throw unreachable();
    if (!result.granted) return { response: refusal(result, reserveEnvelopes.path) };
    return { status: 200, body: { granted: true, envelopes: claims.map(held) } };
  });

  mount(app, settleReservation).with(async (caller) => {
    const { reservation_id: reservation, actual_usd: actual } = caller.body;
    const books = caller.runtime.envelopes(caller.principal.org, caller.background);
    const settled = await books.settle(
      reservation,
      actual === null ? undefined : usdToNano(actual),
      caller.principal.keyId,
    );
    return { status: 200, body: closing(settled) };
  });

  mount(app, releaseReservation).with(async (caller) => {
    const books = caller.runtime.envelopes(caller.principal.org, caller.background);
    return { status: 200, body: closing(await books.release(caller.body.reservation_id, caller.principal.keyId)) };
  });
}

/** The key's and the org's own limits, and one claim per scope asked for, each with the limit that this gateway sets. */
function claimsOf({ runtime, principal }: Caller, body: EnvelopeReservation): EnvelopeClaim[] {
  const { route: name, model, run, replay_pass: pass } = body;
  const route = name === undefined ? undefined : runtime.routes.get(name);
  if (name !== undefined) {
    requireReach(principal, name);
    if (!route) throw modelNotFound(`no route is named ${name}`);
  } else if (principal.routes !== undefined) {
    // What a key may not call it may not hold money for.
    if (model === undefined) throw forbidden("this key reaches some routes only: name the route", "route_not_allowed");
    requireReach(principal, `raw:${model}`);
  }
  const limits = callBudget(runtime, principal, route, run).claims;
  const always = limits.filter(
    ({ scope }) => scope === "key-month" || scope === "org-month" || principal.routes !== undefined,
  );
  const asked = [...new Set(body.scopes)].filter((scope) => !always.some((one) => one.scope === scope));
  const claims = asked.flatMap((scope) => {
    if (scope === "replay-pass") {
      if (!pass) throw needs(scope, "replay_pass");
      // Under the key's id, so that nobody fills another's pass.
      return [envelopeClaim(scope, [principal.keyId, pass.id], usdToNano(pass.limit_usd), runtime.now())];
    }
    const ofRoute = scope !== "key-month" && scope !== "org-month";
    if (ofRoute && !route) throw needs(scope, "route");
    if (scope === "run" && run === undefined) throw needs(scope, "run");
    const claim = limits.find((one) => one.scope === scope);
    if (claim) return [claim];
    if (!ofRoute) return [];
    // The caller's own bundle sets a limit that nobody would keep.
    const message = `the gateway's bundle of ${name} sets no limit for ${scope}; deploy the same routes`;
    throw new HttpFault(409, failure("bad_request", message, { code: "limit_unknown", param: "scopes" }));
  });
  return [...claims, ...always];
}

function needs(scope: ReservableScope, param: string): HttpFault {
  return badRequest(`the scope ${scope} needs ${param}`, "invalid_body", param);
}

function held({ scope, id: name, limit, resetsAt }: EnvelopeClaim): HeldEnvelope {
  return {
    ...{ scope, id: name, limit_usd: nanoToUsdText(limit) },
    ...(resetsAt !== undefined && { resets_at: new Date(resetsAt).toISOString() }),
  };
}

/** 402 as a refused call gets it, with the figures of the envelope beside. */
function refusal(refused: Extract<ReserveResult, { granted: false }>, path: string): Response {
  const { scope, envelopeId, limit, spent, reserved, worstCase, reason, retryAfterMs } = refused;
  if (reason === "reservation_conflict") {
    const message = "this reservation_id stands for another reservation: other claims, another amount or another key";
    throw new HttpFault(409, failure("bad_request", message, { code: reason, param: "reservation_id" }));
  }
  const resetsAt = refused.resetsAt === undefined ? undefined : new Date(refused.resetsAt).toISOString();
  const figures = {
    ...{ scope, id: envelopeId, limit_usd: nanoToUsdText(limit), spent_usd: nanoToUsdText(spent) },
    ...{ reserved_usd: nanoToUsdText(reserved), worst_case_usd: nanoToUsdText(worstCase) },
  };
  const fault = new HttpFault(
    402,
    failure("budget_exhausted", `the envelope ${envelopeId} cannot take it`, { reason, retryAfterMs, resetsAt }),
  );
  const { error } = faultBody(fault, path);
  return Response.json(
    {
      error: { ...(error as object), envelope: figures, retry_after_ms: retryAfterMs, resets_at: resetsAt },
    },
    {
      status: fault.status,
      headers: retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) },
    },
  );
}

function closing(result: ClosingResult | "unreachable"): EnvelopeClosing {
  if (result === "unreachable") throw unreachable();
  return result.booked
    ? { booked: true, known: true, overrun_usd: nanoToUsdText(result.excess) }
    : { booked: false, known: result.known, overrun_usd: "0.000000000" };
}

function unreachable(): HttpFault {
  return unavailable("the spend envelopes cannot be reached at the moment", "envelope_unreachable", 1);
}
