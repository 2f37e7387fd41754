import type { Hono } from "hono";
import { getSwap, listSwaps, recordSwap, revertSwap } from "../../../src/api/proposals.ts";
import { failure } from "../../../src/failure/failure.ts";
import { approveSwap } from "../../../src/swap/approve.ts";
import type { Swap } from "../../../src/swap/swap.ts";
import { type Caller, requireReach } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault, notFound } from "../../http/fault.ts";
import { settleOrgSwaps } from "../../isolate/served-swaps.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { mount } from "../mount.ts";
import { noProposal } from "./proposals.ts";

/** `/v1/swaps`: the record of approved changes, each with whether it is served. Recording one serves nothing: git does. */
export function mountSwaps(app: Hono<AppEnv>): void {
  mount(app, recordSwap).with(async (request) => {
    const { runtime, principal, body } = request;
    const { proposal: id, ...file } = body;
    const store = runtime.store().forOrg(principal.org);
    const proposal = await store.proposals.get(id);
    if (!proposal) throw noProposal();
    requireReach(principal, proposal.route);
    const actor = actorOf(request);
    const approved = await approveSwap(proposal, file, store.swaps, actor, () => prefixedId("swap"));
    if (!approved.ok) throw new HttpFault(409, approved.error);
    return { status: 201, body: approved.value };
  });

  mount(app, listSwaps).with(async (request) => {
    const { proposal, ...rest } = request.query;
    const store = await settledSwaps(request);
    if (proposal === undefined) return { status: 200, body: { swaps: [...(await store.list(rest))] } };
    const found = await store.findByProposal(proposal);
    return { status: 200, body: { swaps: found ? [found] : [] } };
  });

  mount(app, getSwap).with(async (request) => {
    return { status: 200, body: await swapOf(request, request.params.id) };
  });

  mount(app, revertSwap).with(async (request) => {
    const { params, runtime, principal } = request;
    const { swaps: store } = runtime.store().forOrg(principal.org);
    // Repeating it is harmless: the first revert stands.
    await store.change(params.id, "revert", actorOf(request));
    const found = await swapOf(request, params.id);
    if (found.state === "reverted") return { status: 200, body: found };
    const message = `a swap that is ${found.state} cannot be reverted`;
    throw new HttpFault(409, failure("bad_request", message, { code: "swap_state" }));
  });
}

/** The org's swaps, after those that are served by now were marked. */
async function settledSwaps({ runtime, principal, background }: Caller) {
  await settleOrgSwaps(runtime, principal.org, background);
  return runtime.store().forOrg(principal.org).swaps;
}

async function swapOf(caller: Caller, id: string): Promise<Swap> {
  const found = await (await settledSwaps(caller)).get(id);
  if (found) return found;
  throw notFound("no such swap", "swap_not_found", "id");
}
