/** Spend limits of calls that are made elsewhere. */
import { z } from "zod";
import { ENVELOPE_SCOPES } from "../envelope/envelope.ts";
import { identifier, usdText } from "../intake/fields.ts";
import { endpoint } from "./endpoint.ts";
import { errorAnswer } from "./faults.ts";

/** What a call made elsewhere can draw on. Every limit but a replay pass's own is the gateway's. */
const RESERVABLE = ["run", "route-day", "route-month", "key-month", "org-month", "replay-pass"] as const;
export type ReservableScope = (typeof RESERVABLE)[number];

export const SHORTEST_HOLD_MS = 1_000;
export const LONGEST_HOLD_MS = 7_200_000;

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
      .describe("`key-month` and `org-month` hold nothing where no such limit is set."),
    route: identifier.optional().describe("Needed for `run`, `route-day` and `route-month`."),
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
    overrun_usd: z.string().describe("Billed above the reservation; the envelopes stay closed until it fits."),
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
