/** Spend limits of calls made in this process: the gateway's books where there is a gateway, else this machine's. */
import { join } from "node:path";
import type { EnvelopePort } from "../call/ports.ts";
import type { ReserveRequest, ReserveResult } from "../envelope/envelope.ts";
import { type LocalEnvelopes, openLocalEnvelopes } from "../localdb/local-envelopes.ts";
import { stateFolder } from "../workspace/state-folder.ts";
import type { GatewayClient } from "./gateway.ts";
import { reasonOf, type Warnings } from "./warnings.ts";

export interface RigEnvelopes extends EnvelopePort {
  /** Waits for bills on their way. Never rejects. */
  close(): Promise<void>;
}

/** One set of books per machine and project, safe across processes. A call that cannot be booked is refused. */
export function machineEnvelopes(cwd: string, warn: Warnings, now: () => number): RigEnvelopes {
  let opened: LocalEnvelopes | undefined;
  const books = (): LocalEnvelopes => {
    opened ??= openLocalEnvelopes(join(stateFolder(cwd), "envelopes.db"), now);
    return opened;
  };
  const close = (work: () => unknown): void => {
    try {
      work();
    } catch (cause) {
      warn.once("settle", `a bill could not be booked; its reservation will count whole: ${reasonOf(cause)}`);
    }
  };
  return {
    async reserve(request) {
      try {
        return books().reserve(request);
      } catch (cause) {
        warn.once("reserve", `the envelopes of this machine cannot be used: ${reasonOf(cause)}`);
        return "unreachable";
      }
    },
    settle: (id, actual) => close(() => books().settle(id, actual)),
    release: (id) => close(() => books().release(id)),
    async close() {
      opened?.close();
    },
  };
}

const RESERVE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 10_000;
const CLOSE_PAUSES_MS = [200, 1_000, 4_000];

/** The org's own books. Without an answer nothing is granted. */
export function gatewayEnvelopes(gateway: GatewayClient, warn: Warnings): RigEnvelopes {
  const pending = new Set<Promise<void>>();
  const background = (work: Promise<void>): void => {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  const settle = (reservationId: string, closing: Readonly<Record<string, unknown>>): void =>
    background(deliver(gateway, { reservation_id: reservationId, ...closing }, warn));
  return {
    async reserve(request) {
      try {
        return await reserve(gateway, request);
      } catch (cause) {
        warn.once(
          "reserve",
          `the gateway's envelopes cannot be reached, so calls under a limit are refused: ${reasonOf(cause)}`,
        );
        // It may have been granted all the same; nothing will be sent on it.
        settle(request.reservationId, { release: true });
        return "unreachable";
      }
    },
    settle: (id, actual) => settle(id, actual === undefined ? {} : { actual_nano: actual }),
    release: (id) => settle(id, { release: true }),
    async close() {
      await Promise.all(pending);
    },
  };
}

async function reserve(gateway: GatewayClient, request: ReserveRequest): Promise<ReserveResult> {
  const response = await gateway.send("/v1/envelopes/reserve", { body: request, timeoutMs: RESERVE_TIMEOUT_MS });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (await response.json()) as ReserveResult;
}

async function deliver(gateway: GatewayClient, body: Readonly<Record<string, unknown>>, warn: Warnings): Promise<void> {
  let reason: unknown;
  for (const pause of [0, ...CLOSE_PAUSES_MS]) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      const response = await gateway.send("/v1/envelopes/settle", { body, timeoutMs: CLOSE_TIMEOUT_MS });
      if (response.ok) return;
      reason = new Error(`HTTP ${response.status}`);
    } catch (cause) {
      reason = cause;
    }
  }
  warn.once("settle", `a bill did not reach the gateway; its reservation will count whole: ${reasonOf(reason)}`);
}
