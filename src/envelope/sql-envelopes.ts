/**
 * Keeps one owner's envelopes in SQLite. Every method reads and writes without interruption, because its host runs it
 * in one transaction: no interleaving of calls can exceed a limit. The rules are in `reserve.ts` and `ledger.ts`.
 */
import { OpenBooks } from "./books.ts";
import type { EnvelopeStatus } from "./envelope.ts";
import type { ReservationState } from "./ledger.ts";
import type { EnvelopeAnswer, EnvelopeMessage } from "./messages.ts";
import {
  EnvelopeTables,
  type HeldReservation,
  type ReservationCursor,
  type Sql,
  type UnreconciledReservation,
} from "./tables.ts";

export class SqlEnvelopes {
  readonly #tables: EnvelopeTables;

  constructor(sql: Sql) {
    this.#tables = new EnvelopeTables(sql);
  }

  answer(message: EnvelopeMessage, now: number): EnvelopeAnswer {
    const books = new OpenBooks(this.#tables, [message], now);
    const answer = books.answer(message);
    books.write();
    return answer;
  }

  /** Answers messages one after the other, with the reads and writes of all of them made together. */
  answerAll(messages: readonly EnvelopeMessage[], now: number): EnvelopeAnswer[] {
    const books = new OpenBooks(this.#tables, messages, now);
    const answers = messages.map((message) => books.answer(message));
    books.write();
    return answers;
  }

  /** Counts expired reservations as spent whole, `limit` at most. Returns how many there were. */
  expire(now: number, limit: number): number {
    const due = this.#tables.expired(now, limit);
    if (due.length === 0) return 0;
    this.answerAll(
      due.map((reservationId) => ({ type: "close", reservationId, closing: { type: "expire" } })),
      now,
    );
    return due.length;
  }

  /** Returns undefined where no such reservation is kept. */
  stateOf(reservationId: string): ReservationState | undefined {
    return this.#tables.reservations([reservationId]).get(reservationId)?.state;
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
