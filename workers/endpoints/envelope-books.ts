/** The books of the envelopes as people read and correct them. */
import type { Hono } from "hono";
import {
  adjustReservation,
  listEnvelopes,
  listReservations,
  MOST_RESERVATIONS,
  type ShownEnvelope,
  type ShownReservation,
} from "../../src/api/envelopes.ts";
import type { EnvelopeStatus } from "../../src/envelope/envelope.ts";
import type { HeldReservation } from "../../src/envelope/tables.ts";
import { failure } from "../../src/failure/failure.ts";
import { addUsd, nanoToUsdText, usdToNano, ZERO_USD } from "../../src/money/nano-usd.ts";
import type { AppEnv } from "../context.ts";
import { HttpFault, notFound, unavailable } from "../http/fault.ts";
import { actorOf } from "./actor.ts";
import { mount } from "./mount.ts";
import { isoOf } from "./wording.ts";

export function mountEnvelopeBooks(app: Hono<AppEnv>): void {
  mount(app, listEnvelopes).with(async ({ runtime, principal, background }) => {
    const envelopes = answered(await runtime.envelopes(principal.org, background).status());
    return { status: 200, body: { envelopes: envelopes.map(envelopeJson) } };
  });

  mount(app, listReservations).with(async ({ runtime, principal, background, query }) => {
    const books = runtime.envelopes(principal.org, background);
    const [status, held] = await Promise.all([
      books.status([query.envelope]),
      books.held(query.envelope, MOST_RESERVATIONS),
    ]);
    const [envelope] = answered(status);
    if (!envelope) throw notFound("no such envelope", "envelope_not_found", "envelope");
    const reservations = answered(held);
    const unknown = reservations.filter(({ state }) => state === "assumed").map(({ worstCase }) => worstCase);
    const body = {
      envelope: envelopeJson(envelope),
      unknown_usd: nanoToUsdText(addUsd(ZERO_USD, ...unknown)),
      reservations: reservations.map(reservationJson),
    };
    return { status: 200, body };
  });

  mount(app, adjustReservation).with(async (request) => {
    const { runtime, principal, background } = request;
    const { reservation_id: id, billed_usd: text, bill } = request.body;
    const billed = usdToNano(text);
    const billedUsd = nanoToUsdText(billed);
    const books = runtime.envelopes(principal.org, background);
    const state = answered(await books.stateOf(id));
    if (state === undefined) throw notFound("no such reservation is kept", "reservation_not_found", "reservation_id");
    if (state === "open") throw conflict("the call of this reservation is still running", "call_running");
    if (state !== "assumed") throw conflict("the bill of this reservation is known already", "bill_known");
    // The log first: a correction that then cannot be booked is asked for again, one that was not logged never is.
    const detail = { billed_usd: billedUsd, bill };
    const audit = { ...actorOf(request), action: "envelope.adjusted", subject: id, detail };
    await runtime.store().forOrg(principal.org).inferences.correctBill(id, billed, audit);
    const booked = answered(await books.adjust(id, billed));
    if (!booked.booked) throw conflict("the bill of this reservation came in at the same time", "bill_known");
    const [reserved, overrun] = [nanoToUsdText(booked.worstCase), nanoToUsdText(booked.overrun)];
    return {
      status: 200,
      body: { reservation_id: id, reserved_usd: reserved, billed_usd: billedUsd, overrun_usd: overrun },
    };
  });
}

function conflict(message: string, code: string): HttpFault {
  return new HttpFault(409, failure("bad_request", message, { code, param: "reservation_id" }));
}

function envelopeJson({ id, scope, limit, spent, reserved, overrun, resetsAt }: EnvelopeStatus): ShownEnvelope {
  return {
    ...{ id, scope, limit_usd: nanoToUsdText(limit), spent_usd: nanoToUsdText(spent) },
    ...{ reserved_usd: nanoToUsdText(reserved), overrun_usd: nanoToUsdText(overrun) },
    resets_at: resetsAt === undefined ? null : isoOf(resetsAt),
  };
}

function reservationJson(one: HeldReservation): ShownReservation {
  return {
    reservation_id: one.reservationId,
    state: one.state === "open" ? "running" : "unknown",
    reserved_usd: nanoToUsdText(one.worstCase),
    reserved_at: isoOf(one.reservedAt),
    route: one.madeFor?.route ?? null,
    candidate: one.madeFor?.candidate ?? null,
    key: one.keyId ?? null,
    envelopes: [...one.envelopes],
  };
}

function answered<T>(value: T | "unreachable"): T {
  if (value !== "unreachable") return value;
  throw unavailable("the spend envelopes cannot be reached at the moment", "envelope_unreachable", 1);
}
