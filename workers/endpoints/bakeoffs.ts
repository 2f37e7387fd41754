import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { objectiveFault } from "../../src/bakeoff/plan/objective.ts";
import { bakeoffReport } from "../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf, inconsistency } from "../../src/bakeoff/report/consistency.ts";
import { fileProposal, proveProposal } from "../../src/proposal/file.ts";
import { requireEveryRow } from "../auth.ts";
import { callerOf } from "../caller.ts";
import { type Caller, requireReach } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, notFound } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, listQuery, prefixedId } from "./control.ts";
import { hostedBakeoffState, hostedStateOf } from "./hosted-bakeoffs.ts";
import { parseQuery } from "./listing.ts";
import { noProposal } from "./proposals.ts";

export const bakeoffRecorded = z
  .object({
    id: z.string(),
    /** The one proposal the report supports; null where no arm clears its gate. */
    proposal: z.object({ id: z.string(), state: z.string() }).nullable(),
  })
  .openapi("BakeoffRecorded");

export const bakeoffQuery = z.strictObject({
  proposal: z.string().max(128).optional().describe("Proposal the bake-off was made for: it gets the evidence."),
});

export const bakeoffFound = z.union([bakeoffReport, hostedBakeoffState]);

export const bakeoffList = z
  .object({
    bakeoffs: z.array(
      z.object({
        id: z.string(),
        route: z.string(),
        finished_at: z.iso.datetime(),
        partial: z.boolean(),
        proposes: z.string().optional(),
      }),
    ),
  })
  .openapi("BakeoffList");

/** `/v1/bakeoffs`: reports of bake-offs run where the captures are. Figures only; a body with anything else is refused. */
export function bakeoffs(app: Hono<AppEnv>): void {
  app.post("/v1/bakeoffs", async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    const parsed = bakeoffReport.safeParse(await readJsonBody(c.req.raw, runtime.config.limits));
    if (!parsed.success) throw invalidReport(parsed.error);
    const sent = parsed.data;
    requireReach(principal, sent.route);
    const route = runtime.routes.get(sent.route);
    const fault = inconsistency(sent) ?? (route && objectiveFault(sent, route));
    if (fault !== undefined) throw badRequest(fault, "inconsistent_report");
    // The verdict that is kept, and its words, are worked out here.
    const report = { ...sent, gate: gateOf(sent) };
    const store = runtime.store().forOrg(principal.org);
    const { proposal: made } = parseQuery(bakeoffQuery, c.req.url);
    const known = made === undefined ? undefined : await store.proposals.get(made);
    if (made !== undefined && known?.route !== report.route) throw noProposal();
    const actor = actorOf(runtime, principal);
    await store.bakeoffs.put(report, actor);
    const proven = known && (await proveProposal(report, known, store.proposals, actor));
    const proposal = proven ?? (await fileProposal(report, store.proposals, actor, () => prefixedId("prop")));
    const answer = { id: report.id, proposal: proposal ? { id: proposal.id, state: proposal.state } : null };
    return c.json(answer satisfies z.output<typeof bakeoffRecorded>, 201);
  });

  app.get("/v1/bakeoffs", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "bake-offs");
    const found = await runtime.store().forOrg(principal.org).bakeoffs.list(listQuery(c.req.query()));
    return c.json({
      bakeoffs: found.map(({ id, route, finishedAt, partial, proposes }) => ({
        id,
        route,
        finished_at: new Date(finishedAt).toISOString(),
        partial,
        ...(proposes !== undefined && { proposes }),
      })),
    } satisfies z.output<typeof bakeoffList>);
  });

  app.get("/v1/bakeoffs/:id", async (c) => {
    return c.json(await bakeoffOf(callerOf(c, "read"), c.req.param("id")));
  });
  app.get("/bakeoff/:id", async (c) => c.json(await bakeoffOf(callerOf(c, "read"), c.req.param("id"))));
}

/** Its report; while there is none, what is known of one that runs here. */
async function bakeoffOf(caller: Caller, id: string): Promise<z.output<typeof bakeoffFound>> {
  requireEveryRow(caller.principal, "bake-offs");
  const report = await caller.runtime.store().forOrg(caller.principal.org).bakeoffs.get(id);
  const found = report ?? (await hostedStateOf(caller, id));
  if (!found) throw notFound("no such bake-off", "bakeoff_not_found", "id");
  return found;
}

function invalidReport(error: z.ZodError) {
  const [issue] = error.issues;
  // The path names a key of the report; the value, which may be anything, is not quoted.
  return badRequest("the report does not have the shape modelrig.bakeoff/1", "invalid_report", issue?.path.join("."));
}
