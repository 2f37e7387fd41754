/**
 * What the spend envelopes must do, told again in the most naive way: every sum is taken over the list of all
 * reservations ever made. Shared by the property tests of the rule and by those of the real object.
 */
import fc from "fast-check";
import type { EnvelopeClaim, EnvelopeStatus, ReserveRequest, ReserveResult } from "../../../src/envelope/envelope.ts";
import { type NanoUsd, nanoUsd } from "../../../src/money/nano-usd.ts";

export type EnvelopeStep =
  | {
      readonly type: "reserve";
      readonly reservation: number;
      readonly envelopes: readonly number[];
      readonly worstCase: number;
      readonly ttlMs: number;
    }
  | { readonly type: "settle"; readonly reservation: number; readonly actual: number | undefined }
  | { readonly type: "release"; readonly reservation: number }
  | { readonly type: "limit"; readonly envelope: number; readonly limit: number }
  /** Time passes and the alarm rings; calls that crashed leave reservations that expire. */
  | { readonly type: "wait"; readonly ms: number }
  /** The process that holds the envelopes goes away and comes back. */
  | { readonly type: "restart" };

export interface EnvelopeLedger {
  reserve(request: ReserveRequest): ReserveResult | Promise<ReserveResult>;
  settle(reservationId: string, actual: NanoUsd | undefined): unknown;
  release(reservationId: string): unknown;
  wait(ms: number): unknown;
  restart(): unknown;
  status(): EnvelopeStatus[] | Promise<EnvelopeStatus[]>;
}

const ENVELOPES = 3;
const reservation = fc.nat(11);
const small = fc.integer({ min: 0, max: 60 });

/** Few envelopes, few reservation ids and small limits, so that steps meet each other. */
export const envelopeSteps: fc.Arbitrary<EnvelopeStep[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("reserve" as const),
        reservation,
        envelopes: fc.subarray([0, 1, 2], { minLength: 1 }),
        worstCase: small,
        ttlMs: fc.integer({ min: 1, max: 20_000 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant("settle" as const),
        reservation,
        actual: fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("release" as const), reservation }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("limit" as const),
        envelope: fc.nat(ENVELOPES - 1),
        limit: fc.integer({ min: 0, max: 200 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 8_000 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
  ),
  { maxLength: 60, size: "max" },
);

interface Entry {
  readonly envelopes: readonly string[];
  readonly worstCase: number;
  readonly expiresAt: number;
  state: "open" | "assumed" | "settled" | "released" | "forbidden";
  actual: number;
}

/** Runs the steps against a ledger and the naive count side by side; throws, by `expectEqual`, where they differ. */
export async function agreesWithModel(
  ledger: EnvelopeLedger,
  steps: readonly EnvelopeStep[],
  expectEqual: (actual: unknown, expected: unknown, what: string) => void,
): Promise<void> {
  const model = new NaiveEnvelopes();
  for (const step of steps) {
    const what = JSON.stringify(step);
    switch (step.type) {
      case "reserve": {
        const claims = step.envelopes.map((index) => model.claim(index));
        const request = {
          reservationId: `r${step.reservation}`,
          claims,
          worstCase: nanoUsd(step.worstCase),
          ttlMs: step.ttlMs,
        };
        const expected = model.reserve(request);
        const answer = await ledger.reserve(request);
        expectEqual(answer.granted ? "granted" : answer.reason, expected, what);
        break;
      }
      case "settle":
        model.close(`r${step.reservation}`, step.actual);
        await ledger.settle(`r${step.reservation}`, step.actual === undefined ? undefined : nanoUsd(step.actual));
        break;
      case "release":
        model.release(`r${step.reservation}`);
        await ledger.release(`r${step.reservation}`);
        break;
      case "limit":
        model.limits[step.envelope] = step.limit;
        break;
      case "wait":
        model.wait(step.ms);
        await ledger.wait(step.ms);
        break;
      case "restart":
        await ledger.restart();
        break;
    }
    for (const { id, spent, reserved, overrun } of await ledger.status()) {
      expectEqual({ id, spent, reserved, overrun }, { id, ...model.figures(id) }, `figures after ${what}`);
    }
  }
}

class NaiveEnvelopes {
  readonly limits: number[] = [100, 80, 120];
  readonly #entries = new Map<string, Entry>();
  #now = 0;

  claim(index: number): EnvelopeClaim {
    return { scope: "run", id: `run:${index}`, limit: nanoUsd(this.limits[index] ?? 0) };
  }

  reserve({ reservationId, claims, worstCase, ttlMs }: ReserveRequest): string {
    const known = this.#entries.get(reservationId);
    if (known?.state === "forbidden") return "envelope_busy";
    if (known) {
      const same = known.worstCase === worstCase && known.envelopes.join() === claims.map(({ id }) => id).join();
      return same ? "granted" : "reservation_conflict";
    }
    const verdicts = claims.map(({ id, limit }) => {
      const { spent, reserved } = this.figures(id);
      if (worstCase > limit) return "envelope_too_small";
      if (spent + worstCase > limit) return "envelope_spent";
      return spent + reserved + worstCase > limit ? "envelope_busy" : "granted";
    });
    for (const refusal of ["envelope_too_small", "envelope_spent", "envelope_busy"] as const) {
      if (verdicts.includes(refusal)) return refusal;
    }
    const envelopes = claims.map((claim) => claim.id);
    const expiresAt = this.#now + ttlMs;
    this.#entries.set(reservationId, { envelopes, worstCase, expiresAt, state: "open", actual: 0 });
    return "granted";
  }

  close(id: string, actual: number | undefined): void {
    const entry = this.#entries.get(id);
    if (entry?.state !== "open" && entry?.state !== "assumed") return;
    entry.state = actual === undefined ? "assumed" : "settled";
    entry.actual = actual ?? 0;
  }

  release(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) this.#entries.set(id, { envelopes: [], worstCase: 0, expiresAt: 0, state: "forbidden", actual: 0 });
    else if (entry.state === "open" || entry.state === "assumed") entry.state = "released";
  }

  wait(ms: number): void {
    this.#now += ms;
    for (const entry of this.#entries.values()) {
      if (entry.state === "open" && entry.expiresAt <= this.#now) entry.state = "assumed";
    }
  }

  figures(envelopeId: string): { spent: number; reserved: number; overrun: number } {
    const figures = { spent: 0, reserved: 0, overrun: 0 };
    for (const { envelopes, state, worstCase, actual } of this.#entries.values()) {
      if (!envelopes.includes(envelopeId)) continue;
      if (state === "open") figures.reserved += worstCase;
      if (state === "assumed") figures.spent += worstCase;
      if (state === "settled") figures.spent += actual;
      if (state === "settled") figures.overrun += Math.max(0, actual - worstCase);
    }
    return figures;
  }
}
