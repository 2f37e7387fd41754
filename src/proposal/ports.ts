import type { AuditStamp } from "../identity/audit-stamp.ts";
import type { ProposalEvidence } from "./evidence.ts";
import type { Proposal, ProposalKind, ProposalState, ProposalTrigger } from "./proposal.ts";

export interface NewProposal {
  readonly id: string;
  readonly kind: ProposalKind;
  readonly trigger: ProposalTrigger;
  readonly triggerHash: string;
  readonly route: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly evidence: ProposalEvidence;
  readonly state: "suggested" | "evidenced";
}

/** A change of one proposal, made only while it is still in the state it was read in. */
export interface ProposalChange {
  readonly from: ProposalState;
  readonly to: ProposalState;
  readonly evidence?: ProposalEvidence | undefined;
  readonly expiresAt?: number | undefined;
  readonly comment?: string | undefined;
}

/** Proposals of one org. */
export interface ProposalStore {
  get(id: string): Promise<Proposal | undefined>;
  findByTrigger(route: string, triggerHash: string): Promise<Proposal | undefined>;
  /** Newest first. */
  list(filter: ProposalFilter): Promise<readonly Proposal[]>;
  /** False where one with this route and trigger hash is there already. */
  insert(proposal: NewProposal, by: string): Promise<boolean>;
  /** Closes the other open bake-off proposals of a route's variant: there is newer evidence about it. */
  supersede(
    proposal: { readonly id: string; readonly route: string; readonly variant: string },
    deed: { readonly by: string; readonly at: number },
  ): Promise<void>;
  /** False where the proposal left the state `from` meanwhile. */
  change(id: string, change: ProposalChange, stamp: AuditStamp): Promise<boolean>;
}

export interface ProposalFilter {
  readonly route?: string | undefined;
  readonly state?: ProposalState | undefined;
  readonly limit: number;
}
