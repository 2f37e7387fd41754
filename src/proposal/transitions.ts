import type { ProposalState } from "./proposal.ts";

/**
 * `evidence`: a gate was cleared on checked answers. `shape_evidence`: on answers of which only the shape was tested,
 * which suggests and proves nothing. `accept_shape`: a person takes that for enough.
 */
export type ProposalEvent =
  | "evidence"
  | "shape_evidence"
  | "accept_shape"
  | "approve"
  | "reject"
  | "expire"
  | "supersede";

/** Every legal move. What is not listed is refused. A human's decision is final; an expired one may be evidenced anew. */
const TRANSITIONS: Readonly<Record<ProposalState, Partial<Record<ProposalEvent, ProposalState>>>> = {
  suggested: {
    evidence: "evidenced",
    shape_evidence: "suggested",
    accept_shape: "evidenced",
    reject: "rejected",
    expire: "expired",
    supersede: "superseded",
  },
  evidenced: {
    evidence: "evidenced",
    shape_evidence: "suggested",
    approve: "approved",
    reject: "rejected",
    expire: "expired",
    supersede: "superseded",
  },
  approved: {},
  rejected: {},
  expired: { evidence: "evidenced", shape_evidence: "suggested" },
  superseded: {},
};

/** The state after `event`, or `undefined` where the event is not legal in this state. */
export function transition(state: ProposalState, event: ProposalEvent): ProposalState | undefined {
  return TRANSITIONS[state][event];
}
