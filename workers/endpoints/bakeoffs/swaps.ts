import type { Hono } from "hono";
import { getSwap, listSwaps, recordSwap, revertSwap } from "../../../src/api/proposals.ts";
import { executeSwap } from "../../../src/swap/execute.ts";
import { requireReach } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault, notFound } from "../../http/fault.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { mount } from "../mount.ts";
import { noProposal } from "./proposals.ts";

/** `/v1/swaps`: the record of approved changes. Recording one serves nothing differently: git does. */
export function mountSwaps(app: Hono<AppEnv>): void {
  mount(app, recordSwap).with(async (request) => {
    const { runtime, principal, body } = request;
    const { proposal: id, path, patch } = body;
    const store = runtime.store().forOrg(principal.org);
    const proposal = await store.proposals.get(id);
    if (!proposal) throw noProposal();
    requireReach(principal, proposal.route);
    const actor = actorOf(request);
    const executed = await executeSwap(proposal, { path, patch }, store.swaps, actor, () => prefixedId("swap"));
    if (!executed.ok) throw new HttpFault(409, executed.error);
    return { status: 201, body: executed.value };
  });

  mount(app, listSwaps).with(async ({ runtime, principal, query }) => {
    const { proposal, ...rest } = query;
    const store = runtime.store().forOrg(principal.org).swaps;
    if (proposal === undefined) return { status: 200, body: { swaps: [...(await store.list(rest))] } };
    const found = await store.findByProposal(proposal);
    return { status: 200, body: { swaps: found ? [found] : [] } };
  });

  mount(app, getSwap).with(async ({ runtime, principal, params }) => {
    const found = await runtime.store().forOrg(principal.org).swaps.get(params.id);
    if (!found) throw noSwap();
    return { status: 200, body: found };
  });

  mount(app, revertSwap).with(async (request) => {
    const { runtime, principal, params } = request;
    const store = runtime.store().forOrg(principal.org).swaps;
    // Repeating it is harmless: the first revert stands.
    await store.revert(params.id, actorOf(request));
    const found = await store.get(params.id);
    if (!found) throw noSwap();
    return { status: 200, body: found };
  });
}

function noSwap(): HttpFault {
  return notFound("no such swap", "swap_not_found", "id");
}
