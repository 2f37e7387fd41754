/** Suggested changes, decisions on them, approved ones, and what serves meanwhile. */
import { z } from "zod";
import { comment, identifier } from "../intake/fields.ts";
import { PROPOSAL_STATES, proposal } from "../proposal/proposal.ts";
import { swap, swapPromise } from "../swap/swap.ts";
import { endpoint } from "./endpoint.ts";
import { limitUpTo, MOST_LISTED } from "./listing.ts";

const listed = { route: identifier.optional(), limit: limitUpTo(MOST_LISTED) };
const proposals = { everyRow: "proposals" } as const;
const swaps = { everyRow: "swaps" } as const;
const NO_PROPOSAL = { 404: "No such proposal" } as const;
const NO_SWAP = { 404: "No such swap" } as const;

export const listProposals = endpoint({
  operation: "listProposals",
  ...proposals,
  method: "get",
  path: "/v1/proposals",
  access: "read",
  summary: "Proposals, newest first",
  query: z.strictObject({ ...listed, state: z.enum(PROPOSAL_STATES).optional() }),
  answers: {
    200: { description: "OK", json: z.object({ proposals: z.array(proposal) }).meta({ id: "ProposalList" }) },
  },
});

const proposalDetail = z
  .object({
    proposal,
    pull_request: z.object({ title: z.string(), body: z.string(), command: z.string() }),
  })
  .meta({ id: "ProposalDetail" });

export type ProposalDetail = z.output<typeof proposalDetail>;

export const getProposal = endpoint({
  operation: "getProposal",
  ...proposals,
  method: "get",
  path: "/v1/proposals/{id}",
  access: "read",
  summary: "A proposal with its evidence and pull request text",
  answers: { 200: { description: "OK", json: proposalDetail } },
  faults: NO_PROPOSAL,
});

export const decideProposal = endpoint({
  operation: "decideProposal",
  ...proposals,
  method: "post",
  path: "/v1/proposals/{id}/decide",
  access: "oracle-act",
  summary: "A human's decision on a proposal",
  body: z
    .strictObject({
      decision: z
        .enum(["approve", "reject", "accept_shape"])
        .describe("accept_shape: evidence of which only the shape of answers was tested is taken for enough."),
      comment: comment.optional(),
    })
    .meta({ id: "ProposalDecision" }),
  answers: { 200: { description: "OK", json: proposalDetail } },
  faults: { ...NO_PROPOSAL, 409: "Its state does not allow the decision" },
});

export const recordSwap = endpoint({
  operation: "recordSwap",
  ...swaps,
  method: "post",
  path: "/v1/swaps",
  access: "oracle-act",
  summary: "Record an approved change with the incumbent's baseline",
  body: z
    .strictObject({
      proposal: identifier,
      path: swap.options[0].shape.path.describe("Of the route file, relative to its repository."),
      patch: swap.options[0].shape.patch,
      promised: swapPromise.describe("The route as the patch leaves it: the swap serves once the gateway serves that."),
    })
    .meta({ id: "SwapRequest" }),
  answers: { 201: { description: "Recorded; the same again where it was", json: swap } },
  faults: { ...NO_PROPOSAL, 409: "The proposal's state does not allow it" },
});

export const listSwaps = endpoint({
  operation: "listSwaps",
  ...swaps,
  method: "get",
  path: "/v1/swaps",
  access: "read",
  summary: "Recorded swaps, newest first",
  query: z.strictObject({ ...listed, proposal: identifier.optional().describe("Only the swap of this proposal.") }),
  answers: { 200: { description: "OK", json: z.object({ swaps: z.array(swap) }).meta({ id: "SwapList" }) } },
});

export const getSwap = endpoint({
  operation: "getSwap",
  ...swaps,
  method: "get",
  path: "/v1/swaps/{id}",
  access: "read",
  summary: "A swap",
  answers: { 200: { description: "OK", json: swap } },
  faults: NO_SWAP,
});

export const revertSwap = endpoint({
  operation: "revertSwap",
  ...swaps,
  method: "post",
  path: "/v1/swaps/{id}/revert",
  access: "oracle-act",
  summary: "Record that a swap was taken back; repeating it is harmless",
  answers: { 200: { description: "OK", json: swap } },
  faults: { ...NO_SWAP, 409: "The swap's state does not allow it" },
});

export const liveVariantAnswer = z
  .object({
    route: z.string(),
    variant: z.string().describe("Serves a call that names none; `default` is the route as declared."),
    pin: z
      .object({ version: z.int(), since: z.iso.datetime() })
      .nullable()
      .describe("The pin behind it, and the version of the bundle it is laid over."),
    route_hash: z.string(),
  })
  .meta({ id: "LiveVariant" });

export const getLiveVariant = endpoint({
  operation: "getLiveVariant",
  method: "get",
  path: "/v1/routes/{name}/live",
  access: "read",
  reach: "name",
  summary: "The variant that serves a route",
  answers: {
    200: {
      description: "OK",
      json: liveVariantAnswer,
    },
  },
  faults: { 404: "No such route" },
});
