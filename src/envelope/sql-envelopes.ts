/**
 * The books of one owner's envelopes in SQLite. Every method reads and writes without a pause in between: its host runs it
 * in one transaction, so no interleaving of calls can pass a limit. The rule is `reserve.ts` and `ledger.ts`.
 */
import type { NanoUsd } from "../money/nano-usd.ts";
import type { EnvelopeStatus, ReserveRequest, ReserveResult } from "./envelope.ts";
import { type Closing, closeReservation } from "./ledger.ts";
import { decideReserve, type EnvelopeBooks, refuseBusy } from "./reserve.ts";
import { EnvelopeTables, type Sql, type UnreconciledReservation } from "./tables.ts";

/** What closing a reservation came to. */
export type ClosingResult =
  /** `overrun` above zero: the bill was larger than its reservation. */
  | { readonly booked: true; readonly overrun: NanoUsd }
  /** Closed before, or not known (any more). */
  | { readonly booked: false; readonly known: boolean };

export class SqlEnvelopes {
  readonly #tables: EnvelopeTables;

  constructor(sql: Sql) {
    this.#tables = new EnvelopeTables(sql);
  }

  /**
   * Holds the worst case in every envelope or in none. A repeat of a granted reservation is answered as granted and
   * holds nothing more; a repeat of a refused one is decided anew.
   */
  reserve(request: ReserveRequest, now: number): ReserveResult {
    const known = this.#tables.reservation(request.reservationId);
    if (known && !this.#tables.isForbidden(known)) return { granted: true };
    const balances = this.#tables.balances(request.claims);
    const books: EnvelopeBooks = {
      balance: (id) => balances.get(id),
      nextExpiry: (id) => this.#tables.nextExpiry(id),
    };
    // Its caller gave up on it before it arrived, and nobody is left to use or close it.
    if (known) return refuseBusy(request, books, now);
    const decision = decideReserve(request, books, now);
    this.#tables.declare(request.claims, balances, now);
    if (decision.granted) this.#tables.insert(request, now);
    return decision;
  }

  close(reservationId: string, closing: Closing, now: number): ClosingResult {
    const reservation = this.#tables.reservation(reservationId);
    const booking = reservation && closeReservation(reservation, closing);
    if (!reservation || !booking) return { booked: false, known: reservation !== undefined };
    this.#tables.book(reservationId, reservation, booking, now);
    return { booked: true, overrun: booking.overrun };
  }

  /** A reservation that was released before it was made must not be made any more. */
  forbid(reservationId: string, now: number): void {
    this.#tables.forbid(reservationId, now);
  }

  /** Counts reservations whose time is over as spent whole; answers how many there were, `limit` at most. */
  expire(now: number, limit: number): number {
    const due = this.#tables.expired(now, limit);
    for (const id of due) this.close(id, { type: "expire" }, now);
    return due.length;
  }

  /** Figures of all envelopes still kept, or of those asked for. */
  status(ids?: readonly string[]): EnvelopeStatus[] {
    return this.#tables.status(ids);
  }

  unreconciled(limit: number): UnreconciledReservation[] {
    return this.#tables.assumed(limit);
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
