import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EnvelopeClaim } from "../../../src/envelope/envelope.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { agreesWithModel, envelopeSteps } from "../../support/engine/envelope-model.ts";
import { MemoryEnvelopes } from "../../support/engine/memory-envelopes.ts";

const claim = (id: string, limit: number): EnvelopeClaim => ({ scope: "run", id, limit: nanoUsd(limit) });

describe("the envelopes of an org", () => {
  it("G082: answer and add up like the naive count, whatever reserves, settles, expires, repeats or crashes", async () => {
    await fc.assert(
      fc.asyncProperty(envelopeSteps, (steps) =>
        agreesWithModel(new MemoryEnvelopes(), steps, (actual, expected, what) =>
          expect(actual, what).toEqual(expected),
        ),
      ),
      { numRuns: 1_500 },
    );
  });

  it("never hold more than a limit while no bill exceeds its reservation", () => {
    const call = fc.record({ worst: fc.nat(40), share: fc.double({ min: 0, max: 1, noNaN: true }), end: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200, size: "max" }), fc.nat(300), (calls, limit) => {
        const ledger = new MemoryEnvelopes();
        for (const [index, { worst, share, end }] of calls.entries()) {
          const id = `r${index}`;
          ledger.reserve({ reservationId: id, claims: [claim("a", limit)], worstCase: nanoUsd(worst), ttlMs: 10 });
          if (end === 0) ledger.settle(id, nanoUsd(Math.floor(worst * share)));
          if (end === 1) ledger.release(id);
          if (end === 2) ledger.wait(5);
          for (const { spent, reserved } of ledger.status()) expect(spent + reserved).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("G079: grant exactly as many of a thousand reservations as fit, in the smallest of their envelopes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(60_000), fc.nat(60_000), (worst, first, second) => {
        const ledger = new MemoryEnvelopes();
        const claims = [claim("a", first), claim("b", second)];
        let granted = 0;
        for (let index = 0; index < 1_000; index += 1) {
          const request = { reservationId: `r${index}`, claims, worstCase: nanoUsd(worst), ttlMs: 1_000 };
          if (ledger.reserve(request).granted) granted += 1;
        }
        expect(granted).toBe(Math.min(1_000, Math.floor(Math.min(first, second) / worst)));
        for (const { reserved } of ledger.status()) expect(reserved).toBe(granted * worst);
      }),
      { numRuns: 50 },
    );
  });
});
