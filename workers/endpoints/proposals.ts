import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { asOf, decideProposal } from "../../src/proposal/file.ts";
import { ghCommand, prBody, prTitle } from "../../src/proposal/pr-body.ts";
import { PROPOSAL_STATES, type Proposal, proposal } from "../../src/proposal/proposal.ts";
import { requireEveryRow } from "../auth.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, HttpFault, notFound } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, listQuery } from "./control.ts";

export const proposalList = z.object({ proposals: z.array(proposal) }).openapi("ProposalList");

export const proposalDetail = z
  .object({
    proposal,
    pull_request: z.object({ title: z.string(), body: z.string(), command: z.string() }),
  })
  .openapi("ProposalDetail");

export const proposalDecision = z
  .strictObject({ decision: z.enum(["approve", "reject"]), comment: z.string().max(4_000).optional() })
  .openapi("ProposalDecision");

/** `/v1/proposals`: what is suggested, its evidence, and a human's word on it. Filing is by `POST /v1/bakeoffs`. */
export function proposals(app: Hono<AppEnv>): void {
  app.get("/v1/proposals", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "proposals");
    const { state: asked, ...rest } = c.req.query();
    const state = PROPOSAL_STATES.find((known) => known === asked);
    if (asked !== undefined && !state) {
      throw badRequest(`state is one of ${PROPOSAL_STATES.join(", ")}`, "invalid_query", "state");
    }
    const found = await runtime
      .store()
      .forOrg(principal.org)
      .proposals.list({ ...listQuery(rest), state });
    const current = found.map((one) => asOf(one, runtime.now())).filter((one) => !state || one.state === state);
    return c.json({ proposals: current } satisfies z.output<typeof proposalList>);
  });

  app.get("/v1/proposals/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "proposals");
    const found = await runtime.store().forOrg(principal.org).proposals.get(c.req.param("id"));
    if (!found) throw noProposal();
    return c.json(detailOf(asOf(found, runtime.now())));
  });

  app.post("/v1/proposals/:id/decide", async (c) => {
    const { runtime, principal } = callerOf(c, "oracle-act");
    requireEveryRow(principal, "proposals");
    const body = proposalDecision.safeParse(await readJsonBody(c.req.raw, runtime.config.limits));
    if (!body.success) throw badRequest("a decision is approve or reject, with an optional comment", "invalid_body");
    const store = runtime.store().forOrg(principal.org).proposals;
    const found = await store.get(c.req.param("id"));
    if (!found) throw noProposal();
    const { decision: event, comment } = body.data;
    const decided = await decideProposal(found, { event, comment }, store, actorOf(runtime, principal));
    if (!decided.ok) throw new HttpFault(409, decided.error);
    return c.json(detailOf(decided.value));
  });
}

export function noProposal(): HttpFault {
  return notFound("no such proposal", "proposal_not_found", "id");
}

function detailOf(found: Proposal): z.output<typeof proposalDetail> {
  return {
    proposal: found,
    pull_request: { title: prTitle(found), body: prBody(found), command: ghCommand(found, `${found.id}.md`) },
  };
}
