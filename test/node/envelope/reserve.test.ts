import { describe, expect, it } from "vitest";
import type { EnvelopeClaim } from "../../../src/envelope/envelope.ts";
import { decideReserve, type EnvelopeBalance, type EnvelopeBooks } from "../../../src/envelope/reserve.ts";
import { type NanoUsd, nanoUsd } from "../../../src/money/nano-usd.ts";

const claim = (id: string, limit: number, resetsAt?: number): EnvelopeClaim => {
  return { scope: "route-day", id, limit: nanoUsd(limit), resetsAt };
};
const books = (balances: Record<string, [spent: number, reserved: number]>, expiry?: number): EnvelopeBooks => ({
  balance: (id): EnvelopeBalance | undefined => {
    const [spent, reserved] = balances[id] ?? [];
    return spent === undefined ? undefined : { spent: nanoUsd(spent), reserved: nanoUsd(reserved ?? 0) };
  },
  nextExpiry: () => expiry,
});
const decide = (claims: EnvelopeClaim[], worst: number, held: EnvelopeBooks, now = 0) =>
  decideReserve({ claims, worstCase: nanoUsd(worst) }, held, now);

describe("a reservation", () => {
  it("is granted up to the last nano-dollar, and not beyond it", () => {
    expect(decide([claim("a", 100)], 30, books({ a: [50, 20] }))).toEqual({ granted: true });
    expect(decide([claim("a", 100)], 31, books({ a: [50, 20] }))).toMatchObject({ granted: false });
  });

  it("draws on an envelope nobody has used yet", () => {
    expect(decide([claim("a", 100)], 100, books({}))).toEqual({ granted: true });
  });

  it("is refused by one envelope of many, with that envelope's figures", () => {
    const refusal = decide([claim("a", 100), claim("b", 40)], 30, books({ b: [20, 5] }));
    expect(refusal).toEqual({
      granted: false,
      scope: "route-day",
      envelopeId: "b",
      limit: 40,
      spent: 20,
      reserved: 5,
      worstCase: 30,
      reason: "envelope_spent",
      resetsAt: undefined,
    });
  });

  it("costs nothing only where it is worth nothing: zero fits a full envelope", () => {
    expect(decide([claim("a", 100)], 0, books({ a: [100, 0] }))).toEqual({ granted: true });
  });
});

describe("a refusal says whether waiting helps", () => {
  it("too small: larger than the whole envelope, never", () => {
    expect(decide([claim("a", 10, 99)], 11, books({}))).toMatchObject({ reason: "envelope_too_small" });
    expect(decide([claim("a", 10, 99)], 11, books({}))).not.toHaveProperty("resetsAt");
  });

  it("spent: not in this period, and when the next begins", () => {
    const refusal = decide([claim("a", 10, 99)], 5, books({ a: [6, 0] }));
    expect(refusal).toMatchObject({ reason: "envelope_spent", resetsAt: 99 });
  });

  it("busy: once running calls settle, at the latest when the oldest reservation expires", () => {
    const busy = (expiry: number | undefined) => decide([claim("a", 10)], 5, books({ a: [5, 1] }, expiry), 1_000);
    expect(busy(8_000)).toMatchObject({ reason: "envelope_busy", retryAfterMs: 7_000 });
    expect(busy(1_001)).toMatchObject({ retryAfterMs: 1_000 });
    expect(busy(undefined)).toMatchObject({ retryAfterMs: 1_000 });
    expect(busy(1_900_000)).toMatchObject({ retryAfterMs: 30_000 });
  });

  it("names the most lasting of several", () => {
    const held = books({ busy: [0, 100], spent: [100, 0], later: [100, 0] });
    const [busy, spent, later] = [claim("busy", 100), claim("spent", 100, 50), claim("later", 100, 70)];
    const tiny = claim("tiny", 1);
    expect(decide([busy, spent, later, tiny], 10, held)).toMatchObject({ envelopeId: "tiny" });
    expect(decide([busy, later, spent], 10, held)).toMatchObject({ envelopeId: "later" });
    expect(decide([spent, claim("spent", 100)], 10, held)).toMatchObject({ resetsAt: undefined });
  });
});

describe("an overrun", () => {
  it("keeps the envelope closed to every call until the limit is raised", () => {
    const held = books({ a: [120, 0] });
    expect(decide([claim("a", 100, 9)], 1, held)).toMatchObject({ reason: "envelope_spent" });
    expect(decide([claim("a", 121, 9)], 1, held)).toEqual({ granted: true });
  });
});

describe("an amount that is no money", () => {
  it("is a bug and is thrown: a negative reservation would raise the limit", () => {
    for (const worst of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => decideReserve({ claims: [claim("a", 1)], worstCase: worst as NanoUsd }, books({}), 0)).toThrow(
        RangeError,
      );
    }
    const negative = { ...claim("a", 1), limit: -1 as NanoUsd };
    expect(() => decide([negative], 1, books({}))).toThrow(RangeError);
  });
});
