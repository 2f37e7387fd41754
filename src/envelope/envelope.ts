import type { NanoUsd } from "../money/nano-usd.ts";

export const ENVELOPE_SCOPES = [
  "call",
  "run",
  "route-day",
  "route-month",
  "key-month",
  "org-month",
  "replay-pass",
  "reference-cycle",
  "probe",
  "judge-day",
  "watch-month",
  "optimize-month",
] as const;
export type EnvelopeScope = (typeof ENVELOPE_SCOPES)[number];

/** One limit a reservation must fit. `id` names the envelope and its period, e.g. `route-day:example.a:2026-11-29`. */
export interface EnvelopeClaim {
  readonly scope: EnvelopeScope;
  readonly id: string;
  readonly limit: NanoUsd;
  /** End of the period as epoch ms; absent for scopes without one (run, replay-pass). */
  readonly resetsAt?: number | undefined;
}

export interface ReserveRequest {
  /**
   * Unique per attempt. A repeat is safe: a granted reservation stays granted once, a refused one is decided again. A
   * repeat with other claims, another amount or another key is refused as a conflict.
   */
  readonly reservationId: string;
  readonly claims: readonly EnvelopeClaim[];
  readonly worstCase: NanoUsd;
  /** Epoch ms after which the reservation counts as spent until it is reconciled. */
  readonly ttlMs: number;
  /** What the call is for; shown in alerts and lists. */
  readonly madeFor?: MadeFor | undefined;
  /**
   * Key of the client that made the reservation. Only that key can close it, for at most the reserved amount. Absent =
   * the gateway itself.
   */
  readonly keyId?: string | undefined;
}

export interface MadeFor {
  readonly route?: string | undefined;
  /** `provider/model`. */
  readonly candidate: string;
}

export type ReserveResult =
  | { readonly granted: true }
  | {
      readonly granted: false;
      readonly scope: EnvelopeScope;
      readonly envelopeId: string;
      readonly limit: NanoUsd;
      readonly spent: NanoUsd;
      readonly reserved: NanoUsd;
      readonly worstCase: NanoUsd;
      /**
       * busy: fits once running calls settle; spent: not in this period; too_small: never; conflict: the id is already
       * used.
       */
      readonly reason: "envelope_busy" | "envelope_spent" | "envelope_too_small" | "reservation_conflict";
      readonly retryAfterMs?: number | undefined;
      readonly resetsAt?: number | undefined;
    };

/** Figures of one envelope. When a reservation is granted, spent + reserved never exceeds the limit. */
export interface EnvelopeStatus {
  readonly id: string;
  readonly scope: EnvelopeScope;
  readonly limit: NanoUsd;
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
  /** Amount billed above reservations; keeps the envelope closed until its total fits again. */
  readonly overrun: NanoUsd;
  readonly resetsAt?: number | undefined;
}
