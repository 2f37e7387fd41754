/** The engine's envelope port over an org's `SpendEnvelopes` object. Fails closed: no answer means no grant. */
import type { EnvelopePort } from "../src/call/ports.ts";
import type { ReserveRequest, ReserveResult } from "../src/envelope/envelope.ts";
import type { NanoUsd } from "../src/money/nano-usd.ts";
import { retrying, withDeadline } from "./remote.ts";
import type { ClosingResult, SpendEnvelopes } from "./spend-envelopes.ts";

/** Something about money that a person should hear of. */
export type EnvelopeAlert =
  /** The bill was larger than the reservation; the envelopes stay closed until it fits. */
  | { readonly type: "overrun"; readonly reservationId: string; readonly overrun: NanoUsd }
  /** The bill could not be delivered: the reservation will expire and count as spent whole until reconciled. */
  | { readonly type: "unsettled"; readonly reservationId: string; readonly error: unknown };

const RESERVE_DEADLINE_MS = 2_000;
const CLOSE_DEADLINE_MS = 5_000;
/** Within the 30 s that background work has after a response. */
const CLOSE_RETRY_DELAYS_MS = [100, 500, 2_000, 5_000];

export function envelopePort(
  namespace: DurableObjectNamespace<SpendEnvelopes>,
  org: string,
  background: (work: Promise<unknown>) => void,
  onAlert: (alert: EnvelopeAlert) => void,
): EnvelopePort {
  // A stub is unusable after it threw, so each message takes a fresh one; making one is free.
  const envelopes = () => namespace.getByName(org);

  const close = async (reservationId: string, send: () => Promise<ClosingResult>): Promise<void> => {
    try {
      const result = await retrying(CLOSE_RETRY_DELAYS_MS, () => withDeadline(CLOSE_DEADLINE_MS, send()));
      if (result.booked && result.overrun > 0) onAlert({ type: "overrun", reservationId, overrun: result.overrun });
    } catch (error) {
      onAlert({ type: "unsettled", reservationId, error });
    }
  };
  const release = (reservationId: string) => background(close(reservationId, () => envelopes().release(reservationId)));

  return {
    reserve: (request) => reserving(envelopes, request, release),
    settle: (reservationId, actual) =>
      background(close(reservationId, () => envelopes().settle(reservationId, actual))),
    release,
  };
}

/** The same for callers elsewhere, who learn what became of a closing and ask again themselves where they do not. */
export interface RemoteEnvelopes {
  reserve(request: ReserveRequest): Promise<ReserveResult | "unreachable">;
  settle(reservationId: string, actual: NanoUsd | undefined): Promise<ClosingResult | "unreachable">;
  release(reservationId: string): Promise<ClosingResult | "unreachable">;
}

export function remoteEnvelopes(
  namespace: DurableObjectNamespace<SpendEnvelopes>,
  org: string,
  background: (work: Promise<unknown>) => void,
  onAlert: (alert: EnvelopeAlert) => void,
): RemoteEnvelopes {
  const envelopes = () => namespace.getByName(org);
  const inBackground = envelopePort(namespace, org, background, onAlert);
  const close = async (reservationId: string, send: () => Promise<ClosingResult>) => {
    try {
      const result = await withDeadline(CLOSE_DEADLINE_MS, retrying([50], send));
      if (result.booked && result.overrun > 0) onAlert({ type: "overrun", reservationId, overrun: result.overrun });
      return result;
    } catch {
      return "unreachable";
    }
  };
  return {
    reserve: (request) => reserving(envelopes, request, inBackground.release),
    settle: (reservationId, actual) =>
      close(reservationId, async () => await envelopes().settle(reservationId, actual)),
    release: (reservationId) => close(reservationId, async () => await envelopes().release(reservationId)),
  };
}

async function reserving(
  envelopes: () => DurableObjectStub<SpendEnvelopes>,
  request: ReserveRequest,
  release: (reservationId: string) => void,
): Promise<ReserveResult | "unreachable"> {
  // An object that is being moved or restarted throws once and is there again; asking twice is safe.
  const asked = retrying<ReserveResult>([50], async () => await envelopes().reserve(request));
  try {
    return await withDeadline(RESERVE_DEADLINE_MS, asked);
  } catch {
    // It may have been granted all the same. Nothing will be sent on it, so it must not stay held.
    release(request.reservationId);
    return "unreachable";
  }
}
