import type { Hono } from "hono";
import { getBakeoff, getEvidenceSalt, listBakeoffs, recordBakeoff, recordLook } from "../../../src/api/bakeoffs.ts";
import type { AnswerOf } from "../../../src/api/endpoint.ts";
import { objectiveFault } from "../../../src/bakeoff/plan/objective.ts";
import { gateOf, inconsistency } from "../../../src/bakeoff/report/consistency.ts";
import { failure } from "../../../src/failure/failure.ts";
import { fileProposal, proveProposal } from "../../../src/proposal/file.ts";
import { LookConflict } from "../../../src/store/evidence/evidence-looks.ts";
import { closedIn } from "../../../src/swap/closed.ts";
import { type Caller, requireReach } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest, HttpFault, notFound } from "../../http/fault.ts";
import { actorOf, prefixedId } from "../actor.ts";
import { mount } from "../mount.ts";
import { isoOf } from "../wording.ts";
import { hostedStateOf } from "./hosted-bakeoffs.ts";
import { noProposal } from "./proposals.ts";

/** A look older or newer than this was made by a clock that is wrong, and would count at the wrong time. */
const CLOCK_TOLERANCE_MS = 3_600_000;

/** `/v1/bakeoffs`: reports of bake-offs run where the captures are. Figures only; a body with anything else is refused. */
export function mountBakeoffs(app: Hono<AppEnv>): void {
  mount(app, recordBakeoff).with(async (request) => {
    const { runtime, principal, body: sent, query } = request;
    requireReach(principal, sent.route);
    const route = runtime.routes.get(sent.route);
    const store = runtime.store().forOrg(principal.org);
    const looks = await store.evidence.upTo(sent.route, sent.id);
    const fault = inconsistency(sent, looks) ?? (route && objectiveFault(sent, route));
    if (fault !== undefined) throw badRequest(fault, "inconsistent_report");
    // The verdict that is kept, and its words, are worked out here.
    const report = { ...sent, gate: gateOf(sent) };
    const { proposal: made } = query;
    const known = made === undefined ? undefined : await store.proposals.get(made);
    if (made !== undefined && known?.route !== report.route) throw noProposal();
    const actor = actorOf(request);
    await store.bakeoffs.put(report, actor);
    const proven = known && (await proveProposal(report, known, store.proposals, actor));
    const proposal =
      proven ?? (await fileProposal(report, store.proposals, closedIn(store.swaps), actor, () => prefixedId("prop")));
    const answer = { id: report.id, proposal: proposal ? { id: proposal.id, state: proposal.state } : null };
    return { status: 201, body: answer };
  });

  mount(app, getEvidenceSalt).with(async ({ runtime, principal }) => {
    return { status: 200, body: { salt: await runtime.store().forOrg(principal.org).evidence.salt() } };
  });

  mount(app, recordLook).with(async ({ runtime, principal, params, body: look }) => {
    if (look.route !== params.route) throw badRequest("the look is of another route", "invalid_look", "route");
    if (Math.abs(look.at - runtime.now()) > CLOCK_TOLERANCE_MS)
      throw badRequest("the look's time is not now: check the clock of its machine", "invalid_look", "at");
    try {
      return { status: 200, body: { looks: [...(await runtime.store().forOrg(principal.org).evidence.record(look))] } };
    } catch (cause) {
      if (!(cause instanceof LookConflict)) throw cause;
      throw new HttpFault(409, failure("bad_request", cause.message, { code: "look_conflict", param: "bakeoff" }));
    }
  });

  mount(app, listBakeoffs).with(async ({ runtime, principal, query }) => {
    const found = await runtime.store().forOrg(principal.org).bakeoffs.list(query);
    const listed = found.map(({ id, route, finishedAt, partial, proposes }) => ({
      ...{ id, route, finished_at: isoOf(finishedAt), partial },
      ...(proposes !== undefined && { proposes }),
    }));
    return { status: 200, body: { bakeoffs: listed } };
  });

  mount(app, getBakeoff).with(async (request) => ({ status: 200, body: await bakeoffOf(request, request.params.id) }));
}

/** Its report; while there is none, what is known of one that runs here. */
async function bakeoffOf(caller: Caller, id: string): Promise<AnswerOf<typeof getBakeoff>> {
  const report = await caller.runtime.store().forOrg(caller.principal.org).bakeoffs.get(id);
  const found = report ?? (await hostedStateOf(caller, id));
  if (!found) throw notFound("no such bake-off", "bakeoff_not_found", "id");
  return found;
}
