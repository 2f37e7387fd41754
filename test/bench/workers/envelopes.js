/** Drives one envelope object from inside workerd, as calls do: reserve, then settle, `concurrency` of them at a time. */
export { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";

const LIMIT = 10 ** 15;

export default {
  async fetch(request, env) {
    const { pairs, concurrency, run } = await request.json();
    const envelopes = env.SPEND_ENVELOPES.getByName("org_bench");
    const claims = [
      { scope: "route-day", id: "route-day:bench", limit: LIMIT },
      { scope: "org-month", id: "org-month:bench", limit: LIMIT },
    ];
    let next = 0;
    const worker = async () => {
      while (next < pairs) {
        const reservationId = `${run}-${next++}`;
        const { granted } = await envelopes.reserve({ reservationId, claims, worstCase: 1000, ttlMs: 60_000 });
        if (!granted) throw new Error("refused");
        await envelopes.settle(reservationId, 700);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return new Response("done");
  },
};
