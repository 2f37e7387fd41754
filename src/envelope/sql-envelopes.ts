/**
 * Keeps one owner's envelopes in SQLite. Every method reads and writes without interruption, because its host runs it
 * in one transaction: no interleaving of calls can exceed a limit. The rules are in `reserve.ts` and `ledger.ts`.
 */
import { type NanoUsd, nanoUsd } from "../money/nano-usd.ts";
import type { EnvelopeStatus, MadeFor, ReserveRequest, ReserveResult } from "./envelope.ts";
import { type Closing, closeReservation, type ReservationState, stateAfter } from "./ledger.ts";
import { decideReserve, type EnvelopeBooks, refuseBusy, refuseConflict } from "./reserve.ts";
import {
  EnvelopeTables,
  type HeldReservation,
  type ReservationCursor,
  type Sql,
  type StoredReservation,
  type UnreconciledReservation,
} from "./tables.ts";

/** Result of closing a reservation. */
export type ClosingResult =
  | {
      readonly booked: true;
      /** Above zero: the bill was larger than its reservation. */
      readonly overrun: NanoUsd;
      /** Above zero: a client reported a larger bill than it reserved, and this excess was not booked. */
      readonly excess: NanoUsd;
      /** The bill is unknown, and the whole reservation counts as spent. */
      readonly unknown: boolean;
      readonly worstCase: NanoUsd;
      readonly madeFor: MadeFor | undefined;
      readonly keyId: string | undefined;
    }
  /** It was closed before, or is unknown (or no longer known). */
  | { readonly booked: false; readonly known: boolean };

export class SqlEnvelopes {
  readonly #tables: EnvelopeTables;

  constructor(sql: Sql) {
    this.#tables = new EnvelopeTables(sql);
  }

  /**
   * Holds the worst case in every envelope or in none. A repeat of a granted reservation is granted and holds nothing
   * more; a repeat of a refused one is decided again; another reservation under a used id is a conflict.
   */
  reserve(request: ReserveRequest, now: number): ReserveResult {
    const balances = this.#tables.balances(request.claims);
    const books: EnvelopeBooks = {
      balance: (id) => balances.get(id),
      nextExpiry: (id) => this.#tables.nextExpiry(id),
    };
    const decision = decideReserve(request, books, now);
    const known =
      decision.granted && this.#tables.insert(request, now)
        ? undefined
        : this.#tables.reservation(request.reservationId);
    if (!known) {
      this.#tables.declare(request.claims, balances, now);
      if (decision.granted) this.#tables.hold(request, now);
      return decision;
    }
    // Its caller gave up before it arrived, so nobody would use or close it.
    if (this.#tables.isForbidden(known)) return refuseBusy(request, books, now);
    return this.#tables.isSame(known, request) ? { granted: true } : refuseConflict(request, books);
  }

  /**
   * Closes a reservation. With `keyId` (for a client) only one that this key made, and for at most the reserved amount.
   */
  close(reservationId: string, closing: Closing, now: number, keyId?: string): ClosingResult {
    const open = this.#tables.takeOpen(reservationId, stateAfter(closing), now, keyId);
    if (open) return this.#book(open, closing, keyId);
    const known = this.#tables.reservation(reservationId);
    if (!known || (keyId !== undefined && known.keyId !== keyId)) return { booked: false, known: false };
    if (!closeReservation(known, closing)) return { booked: false, known: true };
    this.#tables.restate(reservationId, stateAfter(closing), now);
    return this.#book(known, closing, keyId);
  }

  #book(reservation: StoredReservation, closing: Closing, keyId: string | undefined): ClosingResult {
    const { worstCase, madeFor } = reservation;
    const actual = closing.type === "settle" ? closing.actual : undefined;
    const excess = keyId === undefined || actual === undefined ? 0 : Math.max(0, actual - worstCase);
    const booking = closeReservation(reservation, excess > 0 ? { type: "settle", actual: worstCase } : closing);
    if (!booking) return { booked: false, known: true };
    this.#tables.book(reservation, booking);
    const unknown = booking.state === "assumed";
    const { overrun } = booking;
    return { booked: true, overrun, excess: nanoUsd(excess), unknown, worstCase, madeFor, keyId: reservation.keyId };
  }

  /** Records that a reservation released before it was made must not be made any more. */
  forbid(reservationId: string, now: number): void {
    this.#tables.forbid(reservationId, now);
  }

  /** Counts expired reservations as spent whole, `limit` at most. Returns how many there were. */
  expire(now: number, limit: number): number {
    const due = this.#tables.expired(now, limit);
    for (const id of due) this.close(id, { type: "expire" }, now);
    return due.length;
  }

  /** Books a bill that telemetry found. For a client's reservation it counts at most the reserved amount. */
  reconcile(reservationId: string, closing: Closing, now: number): boolean {
    const keyId = this.#tables.reservation(reservationId)?.keyId;
    return this.close(reservationId, closing, now, keyId).booked;
  }

  /** Returns undefined where no such reservation is kept. */
  stateOf(reservationId: string): ReservationState | undefined {
    return this.#tables.reservation(reservationId)?.state;
  }

  /** Returns the figures of all envelopes still kept, or of the given ones. */
  status(ids?: readonly string[]): EnvelopeStatus[] {
    return this.#tables.status(ids);
  }

  /** Returns the reservations that hold money of an envelope, newest first. */
  held(envelopeId: string, limit: number): HeldReservation[] {
    return this.#tables.held(envelopeId, limit);
  }

  unreconciled(limit: number, after?: ReservationCursor): UnreconciledReservation[] {
    return this.#tables.assumed(limit, after);
  }

  nextDue(): ReturnType<EnvelopeTables["nextDue"]> {
    return this.#tables.nextDue();
  }

  pruneReservations(now: number): void {
    this.#tables.pruneReservations(now);
  }

  pruneEnvelopes(now: number): void {
    this.#tables.pruneEnvelopes(now);
  }
}
