/** Drives one envelope object as the calls of one isolate do: reserve, then settle, `concurrency` of them at a time. */
import { EnvelopeSenders, envelopePort } from "../../../durable/envelopes-client.ts";
import { clockOf } from "../../../src/call/time/clock.ts";

export { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";

const LIMIT = 10 ** 15;
const clock = clockOf({
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
let senders;

export default {
  async fetch(request, env) {
    const { pairs, concurrency, run } = await request.json();
    senders ??= new EnvelopeSenders(env.SPEND_ENVELOPES, clock);
    const claims = [
      { scope: "route-day", id: "route-day:bench", limit: LIMIT },
      { scope: "org-month", id: "org-month:bench", limit: LIMIT },
    ];
    const background = [];
    const faults = [];
    const envelopes = envelopePort(
      senders.of("org_bench"),
      (work) => background.push(work),
      (alert) => faults.push(alert.type),
    );
    let next = 0;
    const worker = async () => {
      while (next < pairs) {
        const reservationId = `${run}-${next++}`;
        const { granted } = await envelopes.reserve({ reservationId, claims, worstCase: 1000, ttlMs: 60_000 });
        if (!granted) throw new Error("refused");
        envelopes.settle(reservationId, 700);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    await Promise.all(background);
    return new Response(faults.length === 0 ? "done" : faults.join());
  },
};
