/** Filing and deciding: the only ways a proposal comes about or changes. */
import type { BakeoffReport } from "../bakeoff/report/bakeoff-report.ts";
import { err, failure, ok, type Result } from "../failure/failure.ts";
import { evidenceOf, type ProposalEvidence } from "./evidence.ts";
import type { ProposalStore } from "./ports.ts";
import { expiryOf, type Proposal } from "./proposal.ts";
import { type ProposalEvent, transition } from "./transitions.ts";
import { triggerHash } from "./trigger-hash.ts";

export interface Actor {
  /** Key id. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Id of the swap that carried a proposal out and was taken back or abandoned; undefined where there is none. */
export type ClosedSwapOf = (proposal: string) => Promise<string | undefined>;

/**
 * Files the one proposal a report supports, or renews the evidence of the one filed before. `undefined` where the
 * report proposes nothing. One that a human decided stays as it is decided; where its change was taken back or
 * abandoned, the same change proven again is a proposal of its own.
 */
export async function fileProposal(
  report: BakeoffReport,
  store: ProposalStore,
  closedSwapOf: ClosedSwapOf,
  actor: Actor,
  newId: () => string,
): Promise<Proposal | undefined> {
  const evidence = evidenceOf(report);
  if (!evidence) return undefined;
  const { incumbent: serves, challenger: proposes } = evidence.served;
  const { route } = report;
  let after: string | undefined;
  for (;;) {
    const subject = { kind: "bakeoff", trigger: "manual_challenger", route, serves, proposes, after } as const;
    const hash = await triggerHash(subject);
    const known = await store.findByTrigger(route, hash);
    const closed = known?.state === "approved" ? await closedSwapOf(known.id) : undefined;
    if (closed === undefined) return filed(hash, evidence, route, store, actor, newId);
    after = closed;
  }
}

async function filed(
  hash: string,
  evidence: ProposalEvidence,
  route: string,
  store: ProposalStore,
  actor: Actor,
  newId: () => string,
): Promise<Proposal | undefined> {
  const expiresAt = expiryOf("bakeoff", actor.at);
  const fresh = {
    id: newId(),
    kind: "bakeoff",
    trigger: "manual_challenger",
    triggerHash: hash,
    route,
    createdAt: actor.at,
    expiresAt,
    evidence,
    state: eventOf(evidence) === "evidence" ? "evidenced" : "suggested",
  } as const;
  if (await store.insert(fresh, actor.by)) {
    await store.supersede({ id: fresh.id, route, variant: evidence.variant }, actor);
  } else {
    const known = await store.findByTrigger(route, hash);
    const to = known && transition(asOf(known, actor.at).state, eventOf(evidence));
    if (known && to) await store.change(known.id, { from: known.state, to, evidence, expiresAt }, actor);
  }
  return store.findByTrigger(route, hash);
}

/**
 * Attaches what a bake-off found to the proposal it was made for. Where it supports nothing, or another variant than the
 * one proposed, the proposal stays as it is; where the bake-off fits none of it, `fileProposal` has its turn.
 */
export async function proveProposal(
  report: BakeoffReport,
  known: Proposal,
  store: ProposalStore,
  actor: Actor,
): Promise<Proposal | undefined> {
  const evidence = evidenceOf(report);
  const proposed = "evidence" in known ? known.evidence?.variant : undefined;
  const to = evidence && transition(asOf(known, actor.at).state, eventOf(evidence));
  if (!evidence || !to || report.route !== known.route) return undefined;
  if (proposed !== undefined && proposed !== evidence.variant) return undefined;
  const expiresAt = expiryOf(known.kind, actor.at);
  await store.change(known.id, { from: known.state, to, evidence, expiresAt }, actor);
  return store.get(known.id);
}

/** What a report's evidence is to a proposal: answers that nobody checked prove nothing, unless the route says they do. */
function eventOf({ answers }: ProposalEvidence): "evidence" | "shape_evidence" {
  return answers.evidence === "checked" || answers.accepted ? "evidence" : "shape_evidence";
}

/** A human's word on a proposal. Fails where its state does not allow it, or it changed meanwhile. */
export async function recordDecision(
  proposal: Proposal,
  decision: { readonly event: "approve" | "reject" | "accept_shape"; readonly comment?: string | undefined },
  store: ProposalStore,
  actor: Actor,
): Promise<Result<Proposal>> {
  const current = asOf(proposal, actor.at);
  const to = transition(current.state, decision.event);
  const isEmpty = decision.event === "accept_shape" && !("evidence" in current && current.evidence);
  if (!to || isEmpty) return err(illegal(current, decision.event));
  const changed = await store.change(proposal.id, { from: proposal.state, to, comment: decision.comment }, actor);
  const after = changed ? await store.get(proposal.id) : undefined;
  return after
    ? ok(after)
    : err(failure("bad_request", "the proposal changed meanwhile", { code: "proposal_changed" }));
}

/** The proposal as it stands at an instant: past its expiry an open one is expired, whether upkeep ran or not. */
export function asOf(proposal: Proposal, now: number): Proposal {
  if (transition(proposal.state, "expire") === undefined || now < Date.parse(proposal.expires_at)) return proposal;
  return { ...proposal, state: "expired" };
}

export function illegal(proposal: Proposal, event: ProposalEvent) {
  const message = `a proposal that is ${proposal.state} cannot take ${event}`;
  return failure("bad_request", message, { code: "proposal_state" });
}
