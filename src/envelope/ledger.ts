/** How a reservation ends, and how that changes its envelopes. */
import { type NanoUsd, nanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import { checkedAmount } from "./reserve.ts";

/**
 * - `open`: held, the call is running.
 * - `assumed`: counted as spent whole, because it expired or its bill is unknown; a bill that turns up corrects it.
 * - `settled`, `released`: final. Repeats change nothing.
 */
export type ReservationState = "open" | "assumed" | "settled" | "released";

export interface Reservation {
  readonly state: ReservationState;
  readonly worstCase: NanoUsd;
}

export type Closing =
  /** `actual` undefined = the bill is unknown. */
  | { readonly type: "settle"; readonly actual: NanoUsd | undefined }
  /** Nothing was sent. */
  | { readonly type: "release" }
  /** It expired before anyone closed it. */
  | { readonly type: "expire" };

/** Change of each envelope that the reservation draws on. Figures may be negative. */
export interface Booking {
  readonly state: ReservationState;
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
  /** Amount billed above the reservation; already part of `spent`, which closes the envelope. */
  readonly overrun: NanoUsd;
}

/** The state of the reservation afterwards. */
function stateAfter(closing: Closing): ReservationState {
  if (closing.type === "release") return "released";
  return closing.type === "settle" && closing.actual !== undefined ? "settled" : "assumed";
}

/**
 * Returns the changes that end a reservation, or `undefined` when it is closed already. Throws `RangeError` on a
 * negative bill.
 */
export function closeReservation({ state, worstCase }: Reservation, closing: Closing): Booking | undefined {
  if (state === "settled" || state === "released") return undefined;
  const held = state === "open" ? worstCase : ZERO_USD;
  const assumed = state === "assumed" ? worstCase : ZERO_USD;
  const reserved = nanoUsd(0 - held);
  const next = stateAfter(closing);
  if (closing.type === "release") {
    return { state: next, spent: nanoUsd(0 - assumed), reserved, overrun: ZERO_USD };
  }
  const actual = closing.type === "settle" ? closing.actual : undefined;
  if (actual === undefined) {
    return state === "open" ? { state: next, spent: worstCase, reserved, overrun: ZERO_USD } : undefined;
  }
  return {
    state: next,
    spent: nanoUsd(checkedAmount(actual) - assumed),
    reserved,
    overrun: nanoUsd(Math.max(0, actual - worstCase)),
  };
}
