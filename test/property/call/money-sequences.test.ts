import fc from "fast-check";
import { expect, it } from "vitest";
import type { EnvelopeClaim } from "../../../src/envelope/envelope.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { candidate, readAll, testEngine } from "../../support/engine/engine.ts";
import { MemoryEnvelopes } from "../../support/engine/memory-envelopes.ts";
import { FAULTS, STAGES, startCountingUpstream, WHOLE } from "../../support/upstreams/counting-upstream.ts";

const HOW = [...WHOLE, ...STAGES.flatMap((stage) => FAULTS.map((fault) => `${stage}.${fault}`))];
const TIMEOUTS = { firstTokenMs: 40, idleMs: 40, attemptMs: 60, callMs: 2_000, streamMs: 2_000 };
const RETRY = { network: 2, content_invalid: 1, capacity_shed: 1, server_error: 1 };
/** Of all calls of a sequence together: some do not fit. */
const LIMIT = 3_000_000;

const call = fc.record({
  how: fc.array(fc.constantFrom(...HOW), { minLength: 1, maxLength: 4 }),
  stream: fc.boolean(),
  leavesAfter: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
});

it("of 1,000 random sequences of faults, no provider bills more than is booked, and no limit is passed", async () => {
  const upstream = await startCountingUpstream();
  let ids = 0;
  const sequence = async (calls: readonly (typeof call extends fc.Arbitrary<infer T> ? T : never)[]) => {
    const books = new MemoryEnvelopes();
    const claim: EnvelopeClaim = { scope: "run", id: "run:a:b", limit: nanoUsd(LIMIT) };
    let billed = 0;
    let told = 0;
    for (const { how, stream, leavesAfter } of calls) {
      const id = `s${ids++}`;
      const engine = testEngine([{ name: "a", baseUrl: upstream.baseUrl(how, id) }]);
      const client = new AbortController();
      const leaving = leavesAfter === undefined ? undefined : setTimeout(() => client.abort(), leavesAfter);
      const own = (reservation: string) => `${id}-${reservation}`;
      const result = await engine.call({
        budget: { claims: [claim] },
        policy: { candidates: [candidate("a", { params: { max_tokens: 50 } })], retry: RETRY, timeouts: TIMEOUTS },
        stream,
        signal: client.signal,
        ports: {
          envelopes: {
            reserve: async (request) => books.reserve({ ...request, reservationId: own(request.reservationId) }),
            settle: (reservation, actual) => books.settle(own(reservation), actual),
            release: (reservation) => books.release(own(reservation)),
          },
        },
      });
      if (result.type === "stream") {
        await readAll(result.frames);
        await result.done;
      }
      clearTimeout(leaving);
      billed += upstream.billed(id);
      for (const inference of engine.recorded) {
        for (const { cost, reserved } of inference.attempts) told += cost ?? reserved ?? Number.NaN;
      }
      for (const { spent, reserved, limit } of books.status()) {
        expect(reserved).toBe(0);
        expect(spent).toBeLessThanOrEqual(limit);
        expect(spent).toBe(told);
        expect(billed).toBeLessThanOrEqual(spent);
      }
    }
  };
  try {
    // Twenty at a time: nearly all of a sequence is waiting.
    const batch = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(batch, async (sequences) => void (await Promise.all(sequences.map(sequence)))),
      { numRuns: 50, endOnFailure: true },
    );
  } finally {
    await upstream.close();
  }
});
