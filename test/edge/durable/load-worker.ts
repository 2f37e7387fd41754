/** A Worker for the throughput test: reserves and settles on one object, `parallel` calls at a time. */

import type { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";

export { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";

interface Load {
  readonly object: string;
  readonly pairs: number;
  readonly parallel: number;
}

export default {
  async fetch(request: Request, env: { readonly ENVELOPES: DurableObjectNamespace<SpendEnvelopes> }) {
    const { object, pairs, parallel } = (await request.json()) as Load;
    const envelopes = env.ENVELOPES.getByName(object);
    const limit = nanoUsd(1e12);
    const claims = [
      { scope: "route-day", id: "day", limit },
      { scope: "org-month", id: "month", limit },
    ] as const;
    let next = 0;
    const caller = async () => {
      while (next < pairs) {
        const reservationId = `att_${next++}`;
        const worstCase = nanoUsd(700);
        await envelopes.reserve({ reservationId, claims, worstCase, ttlMs: 120_000 });
        await envelopes.settle(reservationId, nanoUsd(300));
      }
    };
    await Promise.all(Array.from({ length: parallel }, caller));
    return Response.json(await envelopes.status());
  },
};
