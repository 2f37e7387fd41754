/** The envelope rule over plain maps, as any host applies it. */
import type { EnvelopeScope, EnvelopeStatus, ReserveRequest, ReserveResult } from "../../../src/envelope/envelope.ts";
import { type Closing, closeReservation, type Reservation } from "../../../src/envelope/ledger.ts";
import { decideReserve, type EnvelopeBooks, refuseBusy, refuseConflict } from "../../../src/envelope/reserve.ts";
import { type NanoUsd, nanoUsd, ZERO_USD } from "../../../src/money/nano-usd.ts";
import type { EnvelopeLedger } from "./envelope-model.ts";

interface Held extends Reservation {
  readonly envelopes: readonly string[];
  readonly expiresAt: number;
  readonly forbidden: boolean;
}

export class MemoryEnvelopes implements EnvelopeLedger {
  readonly #envelopes = new Map<string, EnvelopeStatus>();
  readonly #reservations = new Map<string, Held>();
  #now = 0;

  reserve(request: ReserveRequest): ReserveResult {
    const books: EnvelopeBooks = {
      balance: (id) => this.#envelopes.get(id),
      nextExpiry: (id) => {
        const open = [...this.#reservations.values()].filter((r) => r.state === "open" && r.envelopes.includes(id));
        return open.length === 0 ? undefined : Math.min(...open.map((r) => r.expiresAt));
      },
    };
    const known = this.#reservations.get(request.reservationId);
    if (known?.forbidden) return refuseBusy(request, books, this.#now);
    if (known) {
      const ids = request.claims.map(({ id }) => id);
      const same = known.worstCase === request.worstCase && known.envelopes.join() === ids.join();
      return same ? { granted: true } : refuseConflict(request, books);
    }
    const decision = decideReserve(request, books, this.#now);
    if (!decision.granted) return decision;
    for (const claim of request.claims) {
      const held = this.#envelopes.get(claim.id) ?? emptyEnvelope(claim.id, claim.scope);
      const reserved = nanoUsd(held.reserved + request.worstCase);
      this.#envelopes.set(claim.id, { ...held, limit: claim.limit, reserved });
    }
    this.#reservations.set(request.reservationId, {
      state: "open",
      worstCase: request.worstCase,
      envelopes: request.claims.map((claim) => claim.id),
      expiresAt: this.#now + request.ttlMs,
      forbidden: false,
    });
    return decision;
  }

  settle(reservationId: string, actual: NanoUsd | undefined): void {
    this.#close(reservationId, { type: "settle", actual });
  }

  release(reservationId: string): void {
    if (this.#reservations.has(reservationId)) {
      this.#close(reservationId, { type: "release" });
      return;
    }
    const forbidden = { state: "released", worstCase: ZERO_USD, envelopes: [], expiresAt: 0, forbidden: true } as const;
    this.#reservations.set(reservationId, forbidden);
  }

  wait(ms: number): void {
    this.#now += ms;
    for (const [id, { state, expiresAt }] of this.#reservations) {
      if (state === "open" && expiresAt <= this.#now) this.#close(id, { type: "expire" });
    }
  }

  restart(): void {}

  status(): EnvelopeStatus[] {
    return [...this.#envelopes.values()];
  }

  #close(reservationId: string, closing: Closing): void {
    const reservation = this.#reservations.get(reservationId);
    const booking = reservation && closeReservation(reservation, closing);
    if (!reservation || !booking) return;
    this.#reservations.set(reservationId, { ...reservation, state: booking.state });
    for (const id of reservation.envelopes) {
      const held = this.#envelopes.get(id) ?? emptyEnvelope(id, "run");
      this.#envelopes.set(id, {
        ...held,
        spent: nanoUsd(held.spent + booking.spent),
        reserved: nanoUsd(held.reserved + booking.reserved),
        overrun: nanoUsd(held.overrun + booking.overrun),
      });
    }
  }
}

function emptyEnvelope(id: string, scope: EnvelopeScope): EnvelopeStatus {
  return { id, scope, limit: ZERO_USD, spent: ZERO_USD, reserved: ZERO_USD, overrun: ZERO_USD };
}
