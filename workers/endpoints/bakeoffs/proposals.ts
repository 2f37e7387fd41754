import type { Hono } from "hono";
import { decideProposal, getProposal, listProposals, type ProposalDetail } from "../../../src/api/proposals.ts";
import { asOf, recordDecision } from "../../../src/proposal/file.ts";
import { ghCommand, prBody, prTitle } from "../../../src/proposal/pr-body.ts";
import type { Proposal } from "../../../src/proposal/proposal.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault, notFound } from "../../http/fault.ts";
import { actorOf } from "../actor.ts";
import { mount } from "../mount.ts";

/** `/v1/proposals`: what is suggested, its evidence, and a human's word on it. Filing is by `POST /v1/bakeoffs`. */
export function mountProposals(app: Hono<AppEnv>): void {
  mount(app, listProposals).with(async ({ runtime, principal, query }) => {
    const found = await runtime.store().forOrg(principal.org).proposals.list(query);
    const current = found
      .map((one) => asOf(one, runtime.now()))
      .filter((one) => query.state === undefined || one.state === query.state);
    return { status: 200, body: { proposals: current } };
  });

  mount(app, getProposal).with(async ({ runtime, principal, params }) => {
    const found = await runtime.store().forOrg(principal.org).proposals.get(params.id);
    if (!found) throw noProposal();
    return { status: 200, body: detailOf(asOf(found, runtime.now())) };
  });

  mount(app, decideProposal).with(async (request) => {
    const { runtime, principal, params, body } = request;
    const store = runtime.store().forOrg(principal.org).proposals;
    const found = await store.get(params.id);
    if (!found) throw noProposal();
    const { decision: event, comment } = body;
    const decided = await recordDecision(found, { event, comment }, store, actorOf(request));
    if (!decided.ok) throw new HttpFault(409, decided.error);
    return { status: 200, body: detailOf(decided.value) };
  });
}

export function noProposal(): HttpFault {
  return notFound("no such proposal", "proposal_not_found", "id");
}

function detailOf(found: Proposal): ProposalDetail {
  return {
    proposal: found,
    pull_request: { title: prTitle(found), body: prBody(found), command: ghCommand(found, `${found.id}.md`) },
  };
}
