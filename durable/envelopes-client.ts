/** The engine's envelope port over an org's `SpendEnvelopes` object. Fails closed: no answer means no grant. */
import type { EnvelopePort } from "../src/call/ports.ts";
import type { Clock } from "../src/call/time/clock.ts";
import { GroupSender } from "../src/call/time/group-sender.ts";
import type { EnvelopeStatus, MadeFor, ReserveRequest, ReserveResult } from "../src/envelope/envelope.ts";
import type { ReservationState } from "../src/envelope/ledger.ts";
import {
  type CloseMessage,
  type ClosingResult,
  closingResult,
  type EnvelopeAnswer,
  type EnvelopeMessage,
  reserveResult,
} from "../src/envelope/messages.ts";
import type { HeldReservation } from "../src/envelope/tables.ts";
import type { NanoUsd } from "../src/money/nano-usd.ts";
import { retrying, withDeadline } from "./remote.ts";
import type { SpendEnvelopes } from "./spend-envelopes.ts";

/** A money event that an operator should see. Amounts are nano-dollars. */
export type EnvelopeAlert =
  /** The bill was larger than the reservation; the envelopes stay closed until it fits. */
  | (BookedAlert & { readonly type: "overrun"; readonly overrun: NanoUsd })
  /** A client reported a larger bill than it reserved; the excess was not booked. */
  | (BookedAlert & { readonly type: "excess"; readonly excess: NanoUsd })
  /** The bill is unknown: the whole reservation counts as spent until an operator enters the provider's bill. */
  | (BookedAlert & { readonly type: "unknown" })
  /** The bill could not be delivered: the reservation will expire and count as spent whole until reconciled. */
  | { readonly type: "unsettled"; readonly reservationId: string; readonly error: unknown };

interface BookedAlert {
  readonly reservationId: string;
  readonly reserved: NanoUsd;
  readonly madeFor: MadeFor | undefined;
  /** Key of the client that made the reservation. */
  readonly keyId: string | undefined;
}

function alertsOf(reservationId: string, result: ClosingResult): readonly EnvelopeAlert[] {
  if (!result.booked) return [];
  const { overrun, excess, unknown, worstCase: reserved, madeFor, keyId } = result;
  const about = { reservationId, reserved, madeFor, keyId };
  return [
    ...(overrun > 0 ? [{ ...about, type: "overrun", overrun } as const] : []),
    ...(excess > 0 ? [{ ...about, type: "excess", excess } as const] : []),
    ...(unknown ? [{ ...about, type: "unknown" } as const] : []),
  ];
}

const RESERVE_DEADLINE_MS = 2_000;
const EXCHANGE_DEADLINE_MS = 5_000;
/** Within the 30 s that background work has after a response. */
const CLOSE_RETRY_DELAYS_MS = [100, 500, 2_000, 5_000];

/** A call waits for its reservation, so it waits for others only while a message is on its way, and not for long. */
const RESERVE_WAIT = { lingerMs: 2, unhurried: false, patienceMs: 1_000 };
/**
 * Nobody waits for a bill to be booked, so it travels with the next reservation where one comes soon. A repeat cannot
 * tell what the first message booked, so it is sent only once the first must have failed.
 */
const CLOSE_WAIT = { lingerMs: 25, unhurried: true, patienceMs: EXCHANGE_DEADLINE_MS + 1_000 };
const MOST_MESSAGES = 200;
/** Most orgs whose senders an isolate keeps. */
const MOST_SENDERS = 1_000;

type Sender = GroupSender<EnvelopeMessage, EnvelopeAnswer>;

/** Messages of one isolate to the envelopes of its orgs. Make one per isolate and keep it. */
export class EnvelopeSenders {
  readonly #namespace: DurableObjectNamespace<SpendEnvelopes>;
  readonly #clock: Clock;
  readonly #senders = new Map<string, Sender>();

  constructor(namespace: DurableObjectNamespace<SpendEnvelopes>, clock: Clock) {
    this.#namespace = namespace;
    this.#clock = clock;
  }

  of(org: string): Sender {
    const known = this.#senders.get(org);
    if (known) return known;
    const sender: Sender = new GroupSender({
      // A stub is unusable after it threw, so each message takes a fresh one; making one is free.
      send: (messages) => withDeadline(EXCHANGE_DEADLINE_MS, this.#namespace.getByName(org).exchange(messages)),
      capacity: { items: MOST_MESSAGES, size: MOST_MESSAGES },
      sizeOf: () => 1,
      clock: this.#clock,
    });
    // A sender that is forgotten still serves the calls that wait on it.
    if (this.#senders.size >= MOST_SENDERS) this.#senders.clear();
    this.#senders.set(org, sender);
    return sender;
  }
}

export function envelopePort(
  sender: Sender,
  background: (work: Promise<unknown>) => void,
  onAlert: (alert: EnvelopeAlert) => void,
): EnvelopePort {
  const close = async (message: CloseMessage): Promise<void> => {
    const { reservationId } = message;
    try {
      const result = closingResult(await retrying(CLOSE_RETRY_DELAYS_MS, () => sender.send(message, CLOSE_WAIT)));
      for (const alert of alertsOf(reservationId, result)) onAlert(alert);
    } catch (error) {
      onAlert({ type: "unsettled", reservationId, error });
    }
  };
  const release = (reservationId: string, keyId?: string) =>
    background(close({ type: "close", reservationId, closing: { type: "release" }, keyId }));

  return {
    async reserve(request) {
      // An object that is moved or restarted throws once and then works again; repeating the request is safe.
      const asked = retrying([50], () => sender.send({ type: "reserve", request }, RESERVE_WAIT));
      try {
        return reserveResult(await withDeadline(RESERVE_DEADLINE_MS, asked));
      } catch {
        // The object may have granted it. Nothing will be sent for it, so it is released.
        release(request.reservationId, request.keyId);
        return "unreachable";
      }
    },
    settle: (reservationId, actual) =>
      background(close({ type: "close", reservationId, closing: { type: "settle", actual } })),
    release: (reservationId) => release(reservationId),
  };
}

/** The same for clients, which receive the result of closing a reservation and repeat the request themselves. */
export interface RemoteEnvelopes {
  /** Reserves for the key in `request.keyId`; only that key can close the reservation. */
  reserve(request: ReserveRequest & { readonly keyId: string }): Promise<ReserveResult | "unreachable">;
  settle(reservationId: string, actual: NanoUsd | undefined, keyId: string): Promise<ClosingResult | "unreachable">;
  release(reservationId: string, keyId: string): Promise<ClosingResult | "unreachable">;
  /** Books the provider's bill for a reservation whose bill is unknown, whichever key made it. */
  adjust(reservationId: string, billed: NanoUsd): Promise<ClosingResult | "unreachable">;
  stateOf(reservationId: string): Promise<ReservationState | undefined | "unreachable">;
  status(ids?: readonly string[]): Promise<readonly EnvelopeStatus[] | "unreachable">;
  held(envelopeId: string, limit: number): Promise<readonly HeldReservation[] | "unreachable">;
}

export function remoteEnvelopes(
  namespace: DurableObjectNamespace<SpendEnvelopes>,
  org: string,
  sender: Sender,
  background: (work: Promise<unknown>) => void,
  onAlert: (alert: EnvelopeAlert) => void,
): RemoteEnvelopes {
  const envelopes = () => namespace.getByName(org);
  const inBackground = envelopePort(sender, background, onAlert);
  const ask = async <T>(read: () => Promise<T>): Promise<T | "unreachable"> => {
    try {
      return await withDeadline(EXCHANGE_DEADLINE_MS, retrying([50], read));
    } catch {
      return "unreachable";
    }
  };
  const close = async (reservationId: string, send: () => Promise<ClosingResult>) => {
    const result = await ask(send);
    if (result !== "unreachable") for (const alert of alertsOf(reservationId, result)) onAlert(alert);
    return result;
  };
  return {
    reserve: (request) => inBackground.reserve(request),
    settle: (id, actual, keyId) => close(id, async () => await envelopes().settle(id, actual, keyId)),
    release: (id, keyId) => close(id, async () => await envelopes().release(id, keyId)),
    adjust: (id, billed) => close(id, async () => await envelopes().settle(id, billed)),
    stateOf: (id) => ask(async () => await envelopes().stateOf(id)),
    status: (ids) => ask(async () => await envelopes().status(ids)),
    held: (envelopeId, limit) => ask(async () => await envelopes().held(envelopeId, limit)),
  };
}
