/**
 * The state that a group of messages concerns, read once, changed in memory by the rules in `reserve.ts` and
 * `ledger.ts`, and written once.
 */
import { nanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { EnvelopeClaim, ReserveRequest, ReserveResult } from "./envelope.ts";
import { type Closing, closeReservation } from "./ledger.ts";
import type { CloseMessage, ClosingResult, EnvelopeAnswer, EnvelopeMessage } from "./messages.ts";
import { decideReserve, type EnvelopeBooks, refuseBusy, refuseConflict } from "./reserve.ts";
import {
  type EnvelopeChange,
  type EnvelopeTables,
  keptFor,
  type StoredBalance,
  type StoredReservation,
} from "./tables.ts";

/** Books of one transaction. Call `write` before it ends. */
export class OpenBooks implements EnvelopeBooks {
  readonly #tables: EnvelopeTables;
  readonly #now: number;
  readonly #balances: Map<string, StoredBalance>;
  readonly #reservations: Map<string, StoredReservation>;
  readonly #declared = new Map<string, EnvelopeClaim>();
  readonly #restated = new Map<string, StoredReservation>();
  readonly #changes = new Map<string, EnvelopeChange>();

  constructor(tables: EnvelopeTables, messages: readonly EnvelopeMessage[], now: number) {
    this.#tables = tables;
    this.#now = now;
    const claimed = messages.flatMap((one) => (one.type === "reserve" ? one.request.claims.map(({ id }) => id) : []));
    this.#balances = tables.balances([...new Set(claimed)]);
    this.#reservations = tables.reservations(messages.map(idOf));
  }

  /** Changes nothing where the answer is `invalid`. */
  answer(message: EnvelopeMessage): EnvelopeAnswer {
    try {
      switch (message.type) {
        case "reserve":
          return { type: "reserve", result: this.#reserve(message.request) };
        case "close":
          return { type: "close", result: this.#close(message) };
        case "reconcile": {
          const { reservationId, closing } = message;
          const keyId = this.#reservations.get(reservationId)?.keyId;
          return { type: "close", result: this.#closeKnown(reservationId, closing, keyId) };
        }
      }
    } catch (error) {
      if (error instanceof RangeError) return { type: "invalid", message: error.message };
      throw error;
    }
  }

  balance(envelopeId: string): StoredBalance | undefined {
    return this.#balances.get(envelopeId);
  }

  nextExpiry(envelopeId: string): number | undefined {
    // Read for refusals only, which are rare enough to ask the tables.
    this.write();
    return this.#tables.nextExpiry(envelopeId);
  }

  write(): void {
    this.#tables.declare([...this.#declared.values()], this.#now);
    this.#tables.keep(this.#restated);
    this.#tables.change(this.#changes, this.#now);
    this.#declared.clear();
    this.#restated.clear();
    this.#changes.clear();
  }

  #reserve(request: ReserveRequest): ReserveResult {
    const { reservationId, claims, worstCase, ttlMs, keyId, madeFor } = request;
    const known = this.#reservations.get(reservationId);
    // Its caller gave up before it arrived, so nobody would use or close it.
    if (known && isForbidden(known)) return refuseBusy(request, this, this.#now);
    if (known) return holds(known) && isSame(known, request) ? { granted: true } : refuseConflict(request, this);
    const decision = decideReserve(request, this, this.#now);
    for (const claim of claims) this.#declare(claim);
    if (!decision.granted) return decision;
    const envelopes = claims.map(({ id }) => id);
    const dueAt = this.#now + ttlMs;
    this.#keep(reservationId, { state: "open", worstCase, envelopes, reservedAt: this.#now, dueAt, keyId, madeFor });
    this.#change(envelopes, { spent: ZERO_USD, reserved: worstCase, overrun: ZERO_USD });
    return decision;
  }

  #close({ reservationId, closing, keyId }: CloseMessage): ClosingResult {
    const result = this.#closeKnown(reservationId, closing, keyId);
    if (closing.type === "release" && !this.#reservations.has(reservationId)) this.#forbid(reservationId);
    return result;
  }

  #closeKnown(reservationId: string, closing: Closing, keyId: string | undefined): ClosingResult {
    const known = this.#reservations.get(reservationId);
    if (!known || (keyId !== undefined && known.keyId !== keyId)) return { booked: false, known: false };
    const { worstCase, madeFor, envelopes } = known;
    const actual = closing.type === "settle" ? closing.actual : undefined;
    const excess = keyId === undefined || actual === undefined ? 0 : Math.max(0, actual - worstCase);
    const booking = closeReservation(known, excess > 0 ? { type: "settle", actual: worstCase } : closing);
    if (!booking) return { booked: false, known: true };
    const { state, overrun } = booking;
    this.#keep(reservationId, { ...known, state, dueAt: this.#now + keptFor(state) });
    this.#change(envelopes, booking);
    const unknown = state === "assumed";
    return { booked: true, overrun, excess: nanoUsd(excess), unknown, worstCase, madeFor, keyId: known.keyId };
  }

  #forbid(reservationId: string): void {
    const [reservedAt, dueAt] = [this.#now, this.#now + keptFor("released")];
    const nothing = { worstCase: ZERO_USD, envelopes: [], keyId: undefined, madeFor: undefined };
    this.#keep(reservationId, { state: "released", ...nothing, reservedAt, dueAt });
  }

  #declare(claim: EnvelopeClaim): void {
    const known = this.#balances.get(claim.id);
    if (known?.limit === claim.limit) return;
    this.#declared.set(claim.id, claim);
    this.#balances.set(claim.id, { spent: ZERO_USD, reserved: ZERO_USD, ...known, limit: claim.limit });
  }

  #keep(id: string, reservation: StoredReservation): void {
    this.#reservations.set(id, reservation);
    this.#restated.set(id, reservation);
  }

  #change(envelopes: readonly string[], by: EnvelopeChange): void {
    for (const id of new Set(envelopes)) {
      const balance = this.#balances.get(id);
      if (balance) {
        const [spent, reserved] = [nanoUsd(balance.spent + by.spent), nanoUsd(balance.reserved + by.reserved)];
        this.#balances.set(id, { ...balance, spent, reserved });
      }
      const { spent, reserved, overrun } = this.#changes.get(id) ?? NO_CHANGE;
      this.#changes.set(id, {
        spent: nanoUsd(spent + by.spent),
        reserved: nanoUsd(reserved + by.reserved),
        overrun: nanoUsd(overrun + by.overrun),
      });
    }
  }
}

const NO_CHANGE: EnvelopeChange = { spent: ZERO_USD, reserved: ZERO_USD, overrun: ZERO_USD };

function idOf(message: EnvelopeMessage): string {
  return message.type === "reserve" ? message.request.reservationId : message.reservationId;
}

/** True for the placeholder of a reservation that was released before it was made. */
function isForbidden({ state, envelopes }: StoredReservation): boolean {
  return state === "released" && envelopes.length === 0;
}

/** A reservation that is settled or released holds nothing: a call under its id would be sent unbooked. */
function holds({ state }: StoredReservation): boolean {
  return state === "open" || state === "assumed";
}

function isSame(stored: StoredReservation, { claims, worstCase, keyId }: ReserveRequest): boolean {
  const same = stored.worstCase === worstCase && stored.keyId === keyId && stored.envelopes.length === claims.length;
  return same && claims.every(({ id }, at) => stored.envelopes[at] === id);
}
