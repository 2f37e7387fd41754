/** The real objects, under names no other test uses, and a clock that stands until it is moved. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { EnvelopeClaim } from "../../../src/envelope/envelope.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import type { Env } from "../../../workers/bindings.ts";

export const { ROUTE_BREAKER, SPEND_ENVELOPES } = env as unknown as Pick<Env, "ROUTE_BREAKER" | "SPEND_ENVELOPES">;

let orgs = 0;
export function freshOrg(): string {
  orgs += 1;
  return `org_${orgs}_${crypto.randomUUID()}`;
}

export function claim(id: string, limit: number, resetsAt?: number): EnvelopeClaim {
  return { scope: "route-day", id, limit: nanoUsd(limit), resetsAt };
}

/**
 * Stops `Date` a day ahead of the real time, so that alarms ring only when a test rings them. Timers stay real.
 * Returns what moves it.
 */
export function stopClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  return (ms) => vi.setSystemTime(Date.now() + ms);
}

/** Seeded, so that a failure can be told again (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
