/** What a provider may bill is never more than what is booked, and what is booked never more than what was reserved. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EnvelopeClaim } from "../../../src/envelope/envelope.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { candidate, readAll, type TestEngine, testEngine } from "../../support/engine/engine.ts";
import {
  type CountingUpstream,
  FAULTS,
  STAGES,
  startCountingUpstream,
} from "../../support/upstreams/counting-upstream.ts";

const CLAIM: EnvelopeClaim = { scope: "route-day", id: "route-day:test.route:2026-11-29", limit: nanoUsd(1e12) };
const NO_RETRY = { network: 0, content_invalid: 0, capacity_shed: 0, server_error: 0 };
/** Only for answers that never end: long enough for a busy machine to reach the stage, short enough to wait out. */
const HANGS_MS = 1_500;
const PATIENT = { firstTokenMs: 20_000, idleMs: 20_000, attemptMs: 20_000, callMs: 20_000, streamMs: 20_000 };
const SHORT = { ...PATIENT, firstTokenMs: HANGS_MS, idleMs: HANGS_MS, attemptMs: HANGS_MS };

let upstream: CountingUpstream;
beforeAll(async () => {
  upstream = await startCountingUpstream();
});
afterAll(() => upstream.close());

let calls = 0;

interface Cell {
  readonly how: string;
  readonly stream: boolean;
  readonly leaves?: boolean;
  readonly stopsBilling?: boolean;
  /** The call's time is over, or its client gone, before it is sent. */
  readonly before?: "timeout" | "leaves" | "refused connection";
}

async function booked({ how, stream, leaves, stopsBilling, before }: Cell) {
  const id = `cell-${calls++}`;
  const baseUrl = before === "refused connection" ? "http://127.0.0.1:2/v1" : upstream.baseUrl([how], id);
  const fact = stopsBilling ? { stopsBillingOnDisconnect: "its docs" } : {};
  const client = new AbortController();
  const engine = testEngine([{ name: "a", baseUrl, ...fact }], async () => {
    if (before === "timeout") await new Promise((resolve) => setTimeout(resolve, 60));
    if (before === "leaves") client.abort();
    return { granted: true };
  });
  const waitsOut = how.endsWith(".hang") && !leaves;
  const timeouts = before === "timeout" ? { ...PATIENT, callMs: 20 } : waitsOut ? SHORT : PATIENT;
  const policy = { candidates: [candidate("a", { params: { max_tokens: 50 } })], retry: NO_RETRY, timeouts };
  const call = engine.call({ budget: { claims: [CLAIM] }, policy, stream, signal: client.signal });
  if (leaves) {
    await expect.poll(() => upstream.hanging(id), { timeout: 20_000 }).toBe(1);
    // A committed stream is left by its reader, anything else by the connection.
    if (!stream || how.startsWith("sent") || how.startsWith("headers")) client.abort();
  }
  const result = await call;
  if (result.type === "stream") {
    if (leaves) {
      await result.frames.read();
      result.frames.cancel();
    } else await readAll(result.frames);
    await result.done;
  }
  return { ...sums(engine), billed: upstream.billed(id) };
}

function sums(engine: TestEngine) {
  const attempts = engine.recorded.flatMap((inference) => inference.attempts);
  const reservations = [...engine.reservations.values()];
  const inBooks = reservations.map(({ worstCase, actual }) =>
    actual === "released" || actual === undefined ? 0 : actual === "unknown" ? worstCase : actual,
  );
  return {
    told: attempts.reduce((sum, { cost, reserved }) => sum + (cost ?? reserved ?? Number.NaN), 0),
    books: inBooks.reduce<number>((sum, amount) => sum + amount, 0),
    reserved: reservations.reduce<number>((sum, { worstCase }) => sum + worstCase, 0),
    closings: reservations.map(({ actual }) => actual),
  };
}

const BROKEN = STAGES.flatMap((stage) =>
  FAULTS.flatMap((fault) =>
    [false, true].flatMap((stream) => {
      const how = `${stage}.${fault}`;
      return fault === "hang"
        ? [
            { how, stream },
            { how, stream, leaves: true },
          ]
        : [{ how, stream }];
    }),
  ),
);

describe("the money of a fault", () => {
  it.each(BROKEN)("after it was sent is whole until usage is known: %o", async (cell) => {
    const { billed, books, told, reserved, closings } = await booked(cell);
    expect(billed).toBeGreaterThan(0);
    expect(books).toBeGreaterThanOrEqual(billed);
    expect(books).toBeLessThanOrEqual(reserved);
    expect(told).toBe(books);
    expect(closings).not.toContain("released");
  });

  it.each(["timeout", "leaves", "refused connection"] as const)(
    "before anything is sent is nothing: %s",
    async (before) => {
      for (const stream of [false, true]) {
        const { billed, closings, told } = await booked({ how: "ok", stream, before });
        expect(billed).toBe(0);
        expect(closings).toEqual(["released"]);
        expect(told).toBe(0);
      }
    },
  );

  it.each([
    ["ok", "known"],
    ["refused", "released"],
    ["shed", "released"],
    ["page", "unknown"],
    ["gone", "unknown"],
    ["waited", "unknown"],
    ["left", "unknown"],
    ["unusable", "known"],
    ["broken", "known"],
  ])("of an answer that came whole (%s) is %s", async (how, outcome) => {
    for (const stream of [false, true]) {
      const { billed, books, told, closings } = await booked({ how, stream });
      expect(books).toBeGreaterThanOrEqual(billed);
      expect(told).toBe(books);
      const [closing] = closings;
      expect(typeof closing === "number" ? "known" : closing).toBe(outcome);
    }
  });

  it("of a stream that was left is what came, only where the provider is known to stop billing", async () => {
    const left = await booked({ how: "content.hang", stream: true, leaves: true, stopsBilling: true });
    expect(left.closings).toEqual([expect.any(Number)]);
    expect(left.books).toBeLessThan(left.reserved);
    // One that breaks by itself says nothing about what its provider did next.
    const broke = await booked({ how: "content.reset", stream: true, stopsBilling: true });
    expect(broke.closings).toEqual(["unknown"]);
  });
});
