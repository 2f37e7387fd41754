/** Spend envelopes of one process, by the same rule as the gateway's: nothing is granted that could overrun a limit. */
import type { EnvelopePort } from "../call/ports.ts";
import { type Closing, closeReservation, type Reservation } from "../envelope/ledger.ts";
import { decideReserve, type EnvelopeBalance } from "../envelope/reserve.ts";
import { addUsd, type NanoUsd, ZERO_USD } from "../money/nano-usd.ts";

export interface ReplayLedger extends EnvelopePort {
  readonly spent: (envelopeId: string) => NanoUsd;
}

/** `spentBefore` are envelopes that an interrupted run of the same bake-off has drawn on already. */
export function replayLedger(now: () => number, spentBefore: ReadonlyMap<string, NanoUsd> = new Map()): ReplayLedger {
  const balances = new Map<string, EnvelopeBalance>();
  for (const [id, spent] of spentBefore) balances.set(id, { spent, reserved: ZERO_USD });
  const open = new Map<string, Reservation & { readonly envelopes: readonly string[] }>();
  const move = (id: string, spent: NanoUsd, reserved: NanoUsd): void => {
    const before = balances.get(id) ?? { spent: ZERO_USD, reserved: ZERO_USD };
    balances.set(id, { spent: addUsd(before.spent, spent), reserved: addUsd(before.reserved, reserved) });
  };
  const close = (reservationId: string, closing: Closing): void => {
    const reservation = open.get(reservationId);
    const booking = reservation && closeReservation(reservation, closing);
    if (!booking) return;
    open.delete(reservationId);
    for (const id of reservation.envelopes) move(id, booking.spent, booking.reserved);
  };
  return {
    async reserve({ reservationId, claims, worstCase }) {
      if (open.has(reservationId)) return { granted: true };
      const books = { balance: (id: string) => balances.get(id), nextExpiry: () => undefined };
      const decision = decideReserve({ claims, worstCase }, books, now());
      if (!decision.granted) return decision;
      open.set(reservationId, { state: "open", worstCase, envelopes: claims.map(({ id }) => id) });
      for (const { id } of claims) move(id, ZERO_USD, worstCase);
      return decision;
    },
    settle: (reservationId, actual) => close(reservationId, { type: "settle", actual }),
    release: (reservationId) => close(reservationId, { type: "release" }),
    spent: (envelopeId) => balances.get(envelopeId)?.spent ?? ZERO_USD,
  };
}
