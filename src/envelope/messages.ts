/** What callers ask of an owner's envelopes, and the answers. */
import type { NanoUsd } from "../money/nano-usd.ts";
import type { MadeFor, ReserveRequest, ReserveResult } from "./envelope.ts";
import type { Closing } from "./ledger.ts";

export type EnvelopeMessage =
  /**
   * Holds the worst case in every envelope or in none. A repeat of a granted reservation is granted and holds nothing
   * more; a repeat of a refused one is decided again; another reservation under a used id is a conflict,
   * and so is a repeat once the reservation is settled or released.
   */
  | { readonly type: "reserve"; readonly request: ReserveRequest }
  | CloseMessage
  /** Books a bill that was found later, by the terms of whoever made the reservation. */
  | { readonly type: "reconcile"; readonly reservationId: string; readonly closing: Closing };

/**
 * Closes a reservation. With `keyId` (for a client) only one that this key made, and for at most the reserved amount.
 * An id that is released before it is known can no longer be reserved, so that a release which arrives before its own
 * slow reservation still works.
 */
export interface CloseMessage {
  readonly type: "close";
  readonly reservationId: string;
  readonly closing: Closing;
  readonly keyId?: string | undefined;
}

export type EnvelopeAnswer =
  | { readonly type: "reserve"; readonly result: ReserveResult }
  | { readonly type: "close"; readonly result: ClosingResult }
  /** An amount that cannot be: a mistake of the calling code. Nothing was booked for this message. */
  | { readonly type: "invalid"; readonly message: string };

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

/** Throws where the message was a mistake of the calling code. */
export function reserveResult(answer: EnvelopeAnswer): ReserveResult {
  if (answer.type === "reserve") return answer.result;
  throw unexpected(answer);
}

/** Throws where the message was a mistake of the calling code. */
export function closingResult(answer: EnvelopeAnswer): ClosingResult {
  if (answer.type === "close") return answer.result;
  throw unexpected(answer);
}

function unexpected(answer: EnvelopeAnswer): Error {
  return answer.type === "invalid"
    ? new RangeError(answer.message)
    : new TypeError(`the envelopes answered another message: ${answer.type}`);
}
