import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import type { ClosingResult } from "../../durable/spend-envelopes.ts";
import { ENVELOPE_SCOPES, type EnvelopeClaim, type ReserveResult } from "../../src/envelope/envelope.ts";
import { envelopeClaim } from "../../src/envelope/period.ts";
import { failure } from "../../src/failure/failure.ts";
import { nanoToUsdText, usdToNano } from "../../src/money/nano-usd.ts";
import { ID_PATTERN } from "../../src/route/identifier.ts";
import { callBudget } from "../call-budget.ts";
import { callerOf } from "../caller.ts";
import { type Caller, modelNotFound, requireReach } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, faultBody, HttpFault, unavailable } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { parseBody } from "./listing.ts";

/** What a call made elsewhere can draw on. Every limit but a replay pass's own is the gateway's. */
const RESERVABLE = ["run", "route-day", "route-month", "key-month", "org-month", "replay-pass"] as const;
type Reservable = (typeof RESERVABLE)[number];

const LONGEST_HOLD_MS = 7_200_000;
const id = z.string().regex(ID_PATTERN);
const usd = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,9})?$/)
  .describe("Exact decimal dollars, at most nine places.");

export const reserveRequest = z
  .strictObject({
    reservation_id: id.describe("Unique per attempt; the attempt's own id lets telemetry correct an assumed bill."),
    worst_case_usd: usd,
    scopes: z
      .array(z.enum(RESERVABLE))
      .min(1)
      .describe("`key-month` and `org-month` hold nothing where no such limit is set."),
    route: id.optional().describe("Needed for `run`, `route-day` and `route-month`."),
    run: id.optional().describe("Needed for `run`."),
    replay_pass: z.strictObject({ id, limit_usd: usd }).optional().describe("Needed for `replay-pass`."),
    ttl_ms: z
      .int()
      .min(1_000)
      .max(LONGEST_HOLD_MS)
      .default(1_860_000)
      .describe("After this it counts as spent until its bill is known."),
  })
  .openapi("ReserveRequest");

const heldEnvelope = z.object({
  scope: z.enum(ENVELOPE_SCOPES),
  id: z.string(),
  limit_usd: z.string(),
  resets_at: z.iso.datetime().optional(),
});

export const reserveAnswer = z
  .object({ granted: z.literal(true), envelopes: z.array(heldEnvelope).describe("Those it is held in.") })
  .openapi("ReserveAnswer");

export const settleRequest = z
  .strictObject({
    reservation_id: id,
    actual_usd: usd.nullable().describe("The bill; null = unknown, the whole reservation counts as spent."),
  })
  .openapi("SettleRequest");

export const releaseRequest = z.strictObject({ reservation_id: id }).openapi("ReleaseRequest");

export const closingAnswer = z
  .object({
    booked: z.boolean().describe("False = it was closed before, or is not known; nothing changed."),
    known: z.boolean(),
    overrun_usd: z.string().describe("Billed above the reservation; the envelopes stay closed until it fits."),
  })
  .openapi("ClosingAnswer");

/** `/v1/envelopes/*`: calls made in a process of one's own draw on the same envelopes as the gateway's. */
export function envelopes(app: Hono<AppEnv>): void {
  app.post("/v1/envelopes/reserve", async (c) => {
    const caller = callerOf(c, "call");
    const { runtime, principal, background } = caller;
    const body = await bodyOf(caller, c.req.raw, reserveRequest);
    const claims = claimsOf(caller, body);
    const worstCase = usdToNano(body.worst_case_usd);
    const request = { reservationId: body.reservation_id, claims, worstCase, ttlMs: body.ttl_ms };
    const result: ReserveResult | "unreachable" =
      claims.length === 0 ? { granted: true } : await runtime.envelopes(principal.org, background).reserve(request);
    if (result === "unreachable") throw unreachable();
    if (!result.granted) return refusal(result, c.req.path);
    return c.json({ granted: true, envelopes: claims.map(held) } satisfies z.output<typeof reserveAnswer>);
  });

  app.post("/v1/envelopes/settle", async (c) => {
    const caller = callerOf(c, "call");
    const { reservation_id: reservation, actual_usd: actual } = await bodyOf(caller, c.req.raw, settleRequest);
    const books = caller.runtime.envelopes(caller.principal.org, caller.background);
    return c.json(closing(await books.settle(reservation, actual === null ? undefined : usdToNano(actual))));
  });

  app.post("/v1/envelopes/release", async (c) => {
    const caller = callerOf(c, "call");
    const { reservation_id: reservation } = await bodyOf(caller, c.req.raw, releaseRequest);
    const books = caller.runtime.envelopes(caller.principal.org, caller.background);
    return c.json(closing(await books.release(reservation)));
  });
}

async function bodyOf<T extends z.ZodType>({ runtime }: Caller, request: Request, schema: T): Promise<z.output<T>> {
  return parseBody(schema, await readJsonBody(request, runtime.config.limits));
}

/** One claim per scope asked for, with the limit that this gateway sets. */
function claimsOf({ runtime, principal }: Caller, body: z.output<typeof reserveRequest>): EnvelopeClaim[] {
  const { route: name, run, replay_pass: pass } = body;
  const route = name === undefined ? undefined : runtime.routes.get(name);
  if (name !== undefined) {
    requireReach(principal, name);
    if (!route) throw modelNotFound(`no route is named ${name}`);
  }
  const limits = callBudget(runtime, principal, route, run).claims;
  return [...new Set(body.scopes)].flatMap((scope) => {
    if (scope === "replay-pass") {
      if (!pass) throw needs(scope, "replay_pass");
      return [envelopeClaim(scope, [pass.id], usdToNano(pass.limit_usd), runtime.now())];
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
}

function needs(scope: Reservable, param: string): HttpFault {
  return badRequest(`the scope ${scope} needs ${param}`, "invalid_body", param);
}

function held({ scope, id: name, limit, resetsAt }: EnvelopeClaim): z.output<typeof heldEnvelope> {
  return {
    ...{ scope, id: name, limit_usd: nanoToUsdText(limit) },
    ...(resetsAt !== undefined && { resets_at: new Date(resetsAt).toISOString() }),
  };
}

/** 402 as a refused call gets it, with the figures of the envelope beside. */
function refusal(refused: Extract<ReserveResult, { granted: false }>, path: string): Response {
  const { scope, envelopeId, limit, spent, reserved, worstCase, reason, retryAfterMs } = refused;
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

function closing(result: ClosingResult | "unreachable"): z.output<typeof closingAnswer> {
  if (result === "unreachable") throw unreachable();
  return result.booked
    ? { booked: true, known: true, overrun_usd: nanoToUsdText(result.overrun) }
    : { booked: false, known: result.known, overrun_usd: "0.000000000" };
}

function unreachable(): HttpFault {
  return unavailable("the spend envelopes cannot be reached at the moment", "envelope_unreachable", 1);
}
