import type { ProposalState } from "./proposal.ts";

export type ProposalEvent = "evidence" | "approve" | "reject" | "expire" | "supersede";

/** Every legal move. What is not listed is refused. A human's decision is final; an expired one may be evidenced anew. */
const TRANSITIONS: Readonly<Record<ProposalState, Partial<Record<ProposalEvent, ProposalState>>>> = {
  suggested: { evidence: "evidenced", reject: "rejected", expire: "expired", supersede: "superseded" },
  evidenced: {
    evidence: "evidenced",
    approve: "approved",
    reject: "rejected",
    expire: "expired",
    supersede: "superseded",
  },
  approved: {},
  rejected: {},
  expired: { evidence: "evidenced" },
  superseded: {},
};

/** The state after `event`, or `undefined` where the event is not legal in this state. */
export function transition(state: ProposalState, event: ProposalEvent): ProposalState | undefined {
  return TRANSITIONS[state][event];
}
