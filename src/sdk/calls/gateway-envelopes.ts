/** Spend limits of calls made in this process, kept in the org's own books. Without an answer nothing is granted. */
import type { GatewayClient } from "../../api/client.ts";
import {
  envelopeRefusal,
  LONGEST_HOLD_MS,
  releaseReservation,
  reserveEnvelopes,
  SHORTEST_HOLD_MS,
  settleReservation,
} from "../../api/envelopes.ts";
import type { EnvelopeClaim, ReserveRequest, ReserveResult } from "../../envelope/envelope.ts";
import { nanoToUsdText, usdToNano } from "../../money/nano-usd.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import type { RigEnvelopes } from "./machine-envelopes.ts";

const RESERVE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 10_000;
const CLOSE_PAUSES_MS = [200, 1_000, 4_000];
export function gatewayEnvelopes(gateway: GatewayClient, warn: Warnings): RigEnvelopes {
  const pending = new Set<Promise<void>>();
  const deliver = (path: string, body: unknown): void => {
    const work = delivered(gateway, path, body, warn);
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  const release = (id: string): void => deliver(releaseReservation.path, { reservation_id: id });
  return {
    async reserve(request) {
      try {
        return await reserve(gateway, request);
      } catch (cause) {
        const why = `calls under a limit are refused, for the gateway's envelopes cannot be used: ${reasonOf(cause)}`;
        warn.once("reserve", why);
        // It may have been granted all the same; nothing will be sent on it.
        release(request.reservationId);
        return "unreachable";
      }
    },
    settle: (id, actual) =>
      deliver(settleReservation.path, {
        reservation_id: id,
        actual_usd: actual === undefined ? null : nanoToUsdText(actual),
      }),
    release,
    async close() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

async function reserve(gateway: GatewayClient, request: ReserveRequest): Promise<ReserveResult> {
  const called = await gateway.call(reserveEnvelopes, { body: reserveBody(request), timeoutMs: RESERVE_TIMEOUT_MS });
  if (called.type === "answer") return { granted: true };
  if (called.type !== "refusal") throw called.cause;
  const refused = called.status === 402 ? envelopeRefusal.shape.error.safeParse(called.error.fields) : undefined;
  if (!refused?.success) throw new Error(called.error.message);
  const { code, envelope, retry_after_ms: retryAfterMs, resets_at: resetsAt } = refused.data;
  return {
    granted: false,
    scope: envelope.scope,
    envelopeId: envelope.id,
    limit: usdToNano(envelope.limit_usd),
    spent: usdToNano(envelope.spent_usd),
    reserved: usdToNano(envelope.reserved_usd),
    worstCase: usdToNano(envelope.worst_case_usd),
    reason: code,
    retryAfterMs,
    resetsAt: resetsAt === undefined ? undefined : Date.parse(resetsAt),
  };
}

/** The gateway sets the limits; it is told which of them cover the call. The key's own always does. */
function reserveBody({ reservationId, claims, worstCase, ttlMs, madeFor }: ReserveRequest) {
  const subjects = claims.map(subjectOf);
  const named = <K extends keyof Subject>(key: K) => subjects.find((one) => one[key] !== undefined)?.[key];
  return {
    reservation_id: reservationId,
    worst_case_usd: nanoToUsdText(worstCase),
    scopes: [...new Set([...claims.map(({ scope }) => scope), "key-month", "org-month"])],
    route: named("route"),
    model: madeFor?.candidate,
    run: named("run"),
    replay_pass: named("replayPass"),
    ttl_ms: Math.round(Math.min(LONGEST_HOLD_MS, Math.max(SHORTEST_HOLD_MS, ttlMs))),
  };
}

interface Subject {
  readonly route?: string | undefined;
  readonly run?: string | undefined;
  readonly replayPass?: { readonly id: string; readonly limit_usd: string } | undefined;
}

/** Whose envelope a claim names (`envelope/period.ts` writes the ids). */
function subjectOf({ scope, id, limit }: EnvelopeClaim): Subject {
  const [, first = "", second] = id.split(":").map(decodeURIComponent);
  switch (scope) {
    case "run":
      return { route: first, run: second };
    case "route-day":
    case "route-month":
      return { route: first };
    case "replay-pass":
      return { replayPass: { id: first, limit_usd: nanoToUsdText(limit) } };
    default:
      return {};
  }
}

async function delivered(gateway: GatewayClient, path: string, body: unknown, warn: Warnings): Promise<void> {
  let reason: unknown;
  for (const pause of [0, ...CLOSE_PAUSES_MS]) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      const response = await gateway.send(path, { body, timeoutMs: CLOSE_TIMEOUT_MS });
      if (response.ok) return;
      reason = new Error(`HTTP ${response.status}`);
    } catch (cause) {
      reason = cause;
    }
  }
  warn.once("settle", `a bill did not reach the gateway; its reservation will count whole: ${reasonOf(reason)}`);
}
