/** Spend limits of calls that are made elsewhere. */
import { z } from "zod";
import { ENVELOPE_SCOPES } from "../envelope/envelope.ts";
import { identifier, usdText } from "../intake/fields.ts";
import { isStorable } from "../intake/tag-rule.ts";
import { endpoint } from "./endpoint.ts";
import { errorAnswer } from "./faults.ts";

/** What a call made elsewhere can draw on. Every limit but a replay pass's own is the gateway's. */
const RESERVABLE = ["run", "route-day", "route-month", "key-month", "org-month", "replay-pass"] as const;
export type ReservableScope = (typeof RESERVABLE)[number];

export const SHORTEST_HOLD_MS = 1_000;
export const LONGEST_HOLD_MS = 7_200_000;

const modelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/);

const reserveRequest = z
  .strictObject({
    reservation_id: identifier.describe(
      "Unique per attempt; the attempt's own id lets telemetry correct an assumed bill.",
    ),
    worst_case_usd: usdText,
    scopes: z
      .array(z.enum(RESERVABLE))
      .min(1)
      .max(RESERVABLE.length)
      .describe(
        "`key-month` and `org-month` are always held, where such a limit is set. A key that reaches some routes only holds all limits of its route, whatever it names.",
      ),
    route: identifier
      .optional()
      .describe("Needed for `run`, `route-day` and `route-month`, and by a key that reaches some routes only."),
    model: modelName
      .optional()
      .describe("`provider/model` of a call outside a route, for a key whose reach is limited."),
    run: identifier.optional().describe("Needed for `run`."),
    replay_pass: z
      .strictObject({ id: identifier, limit_usd: usdText })
      .optional()
      .describe("Needed for `replay-pass`."),
    ttl_ms: z
      .int()
      .min(SHORTEST_HOLD_MS)
      .max(LONGEST_HOLD_MS)
      .default(1_860_000)
      .describe("After this it counts as spent until its bill is known."),
  })
  .meta({ id: "ReserveRequest" });

export type EnvelopeReservation = z.output<typeof reserveRequest>;

const heldEnvelope = z.object({
  scope: z.enum(ENVELOPE_SCOPES),
  id: z.string(),
  limit_usd: z.string(),
  resets_at: z.iso.datetime().optional(),
});

export type HeldEnvelope = z.output<typeof heldEnvelope>;

/** 402: which envelope is too small, and its figures. */
export const envelopeRefusal = z
  .object({
    error: errorAnswer.shape.error.extend({
      code: z.enum(["envelope_busy", "envelope_spent", "envelope_too_small"]),
      envelope: z.object({
        scope: z.enum(ENVELOPE_SCOPES),
        id: z.string(),
        limit_usd: z.string(),
        spent_usd: z.string(),
        reserved_usd: z.string(),
        worst_case_usd: z.string(),
      }),
      retry_after_ms: z.number().optional(),
      resets_at: z.iso.datetime().optional(),
    }),
  })
  .meta({ id: "EnvelopeRefusal" });

export const reserveEnvelopes = endpoint({
  operation: "reserveEnvelopes",
  method: "post",
  path: "/v1/envelopes/reserve",
  access: "call",
  summary: "Hold the worst case of a call made elsewhere",
  body: reserveRequest,
  answers: {
    200: {
      description: "OK",
      json: z
        .object({ granted: z.literal(true), envelopes: z.array(heldEnvelope).describe("Those it is held in.") })
        .meta({ id: "ReserveAnswer" }),
    },
  },
  faults: {
    402: "A limit refuses it",
    404: "No such route",
    409: "The gateway keeps no limit for a scope that is asked for, or the id names another reservation",
  },
  fault: { 402: envelopeRefusal },
});

const closing = z
  .object({
    booked: z.boolean().describe("False = it was closed before, or is not known; nothing changed."),
    known: z.boolean(),
    overrun_usd: z
      .string()
      .describe("Billed above the reservation. It is not booked: a settle counts for no more than it reserved."),
  })
  .meta({ id: "ClosingAnswer" });

export type EnvelopeClosing = z.output<typeof closing>;

export const settleReservation = endpoint({
  operation: "settleReservation",
  method: "post",
  path: "/v1/envelopes/settle",
  access: "call",
  summary: "Book the bill in place of a reservation",
  body: z
    .strictObject({
      reservation_id: identifier,
      actual_usd: usdText.nullable().describe("The bill; null = unknown, the whole reservation counts as spent."),
    })
    .meta({ id: "SettleRequest" }),
  answers: { 200: { description: "OK", json: closing } },
});

export const releaseReservation = endpoint({
  operation: "releaseReservation",
  method: "post",
  path: "/v1/envelopes/release",
  access: "call",
  summary: "Hand a reservation back: nothing was sent",
  body: z.strictObject({ reservation_id: identifier }).meta({ id: "ReleaseRequest" }),
  answers: { 200: { description: "OK", json: closing } },
});

const shownEnvelope = z.object({
  id: z.string(),
  scope: z.enum(ENVELOPE_SCOPES),
  limit_usd: z.string(),
  spent_usd: z.string().describe("Bills, and reservations whose bill is unknown."),
  reserved_usd: z.string().describe("Held for calls that are running."),
  overrun_usd: z.string().describe("Billed above reservations; part of what was spent."),
  resets_at: z.iso.datetime().nullable(),
});

export type ShownEnvelope = z.output<typeof shownEnvelope>;

export const listEnvelopes = endpoint({
  operation: "listEnvelopes",
  everyRow: "envelopes of the whole org",
  method: "get",
  path: "/v1/envelopes",
  access: "admin",
  summary: "Limits of the org, and what is spent and held of each",
  answers: {
    200: {
      description: "OK",
      json: z.object({ envelopes: z.array(shownEnvelope) }).meta({ id: "EnvelopeList" }),
    },
  },
});

export const MOST_RESERVATIONS = 500;

const shownReservation = z.object({
  reservation_id: z.string(),
  state: z.enum(["running", "unknown"]),
  reserved_usd: z.string(),
  reserved_at: z.iso.datetime(),
  route: z.string().nullable(),
  candidate: z.string().nullable(),
  key: z.string().nullable().describe("Key that reserved from elsewhere; null = a call of the gateway."),
  envelopes: z.array(z.string()).describe("All it is held in."),
});

export type ShownReservation = z.output<typeof shownReservation>;

export const listReservations = endpoint({
  operation: "listReservations",
  everyRow: "envelopes of the whole org",
  method: "get",
  path: "/v1/envelopes/reservations",
  access: "admin",
  summary: "What holds money of an envelope: running calls, and calls whose bill is unknown",
  query: z.strictObject({ envelope: z.string().min(1).max(600).describe("Id of the envelope.") }),
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          envelope: shownEnvelope,
          unknown_usd: z.string().describe("Sum of the reservations shown whose bill is unknown."),
          reservations: z.array(shownReservation).describe(`Newest first, at most ${MOST_RESERVATIONS}.`),
        })
        .meta({ id: "ReservationList" }),
    },
  },
  faults: { 404: "No such envelope" },
});

export const adjustReservation = endpoint({
  operation: "adjustReservation",
  everyRow: "envelopes of the whole org",
  method: "post",
  path: "/v1/envelopes/adjust",
  access: "admin",
  summary: "Book what the provider billed for a call whose bill is unknown",
  body: z
    .strictObject({
      reservation_id: identifier,
      billed_usd: usdText.describe("What the provider billed."),
      bill: z
        .string()
        .min(3)
        .max(500)
        .refine(isStorable)
        .describe("The provider's bill this is taken from. Kept in the audit log."),
    })
    .meta({ id: "AdjustRequest" }),
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          reservation_id: z.string(),
          reserved_usd: z.string(),
          billed_usd: z.string(),
          overrun_usd: z.string().describe("Billed above the reservation; the envelopes stay closed until it fits."),
        })
        .meta({ id: "AdjustAnswer" }),
    },
  },
  faults: { 404: "No such reservation is kept", 409: "Its bill is known already, or its call is still running" },
});
