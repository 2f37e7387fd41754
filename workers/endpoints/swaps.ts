import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { executeSwap } from "../../src/swap/execute.ts";
import { swap } from "../../src/swap/swap.ts";
import { requireEveryRow } from "../auth.ts";
import { callerOf } from "../caller.ts";
import { requireReach } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, HttpFault, notFound } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, listQuery, prefixedId } from "./control.ts";
import { noProposal } from "./proposals.ts";

export const swapRequest = z
  .strictObject({
    proposal: z.string(),
    /** Of the route file, relative to its repository. */
    path: swap.options[0].shape.path,
    patch: swap.options[0].shape.patch,
  })
  .openapi("SwapRequest");

export const swapList = z.object({ swaps: z.array(swap) }).openapi("SwapList");

/** `/v1/swaps`: the record of approved changes. Recording one serves nothing differently: git does. */
export function swaps(app: Hono<AppEnv>): void {
  app.post("/v1/swaps", async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    requireEveryRow(principal, "swaps");
    const body = swapRequest.safeParse(await readJsonBody(c.req.raw, runtime.config.limits));
    if (!body.success) throw badRequest("a swap is proposal, path and patch", "invalid_body");
    const { proposal: id, path, patch } = body.data;
    const store = runtime.store().forOrg(principal.org);
    const proposal = await store.proposals.get(id);
    if (!proposal) throw noProposal();
    requireReach(principal, proposal.route);
    const actor = actorOf(runtime, principal);
    const executed = await executeSwap(proposal, { path, patch }, store.swaps, actor, () => prefixedId("swap"));
    if (!executed.ok) throw new HttpFault(409, executed.error);
    return c.json(executed.value, 201);
  });

  app.get("/v1/swaps", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "swaps");
    const { proposal, ...rest } = c.req.query();
    const store = runtime.store().forOrg(principal.org).swaps;
    if (proposal === undefined) return c.json({ swaps: [...(await store.list(listQuery(rest)))] });
    const found = await store.findByProposal(proposal);
    return c.json({ swaps: found ? [found] : [] } satisfies z.output<typeof swapList>);
  });

  app.get("/v1/swaps/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "swaps");
    const found = await runtime.store().forOrg(principal.org).swaps.get(c.req.param("id"));
    if (!found) throw noSwap();
    return c.json(found);
  });

  app.post("/v1/swaps/:id/revert", async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    requireEveryRow(principal, "swaps");
    const store = runtime.store().forOrg(principal.org).swaps;
    const id = c.req.param("id");
    // Repeating it is harmless: the first revert stands.
    await store.revert(id, actorOf(runtime, principal));
    const found = await store.get(id);
    if (!found) throw noSwap();
    return c.json(found);
  });
}

function noSwap(): HttpFault {
  return notFound("no such swap", "swap_not_found", "id");
}
