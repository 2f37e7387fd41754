/** A suggested change with its evidence. It never carries itself out: a human decides, git records. */
import { z } from "zod";
import { ID_PATTERN } from "../route/identifier.ts";
import { proposalEvidence } from "./evidence.ts";

const PROPOSAL_KINDS = ["bakeoff", "insight", "promote-eval", "change"] as const;
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

const PROPOSAL_TRIGGERS = [
  "price_change",
  "new_model",
  "manual_challenger",
  "upgrade_opportunity",
  "regret_breach",
  "analyst",
  "optimizer",
] as const;
export type ProposalTrigger = (typeof PROPOSAL_TRIGGERS)[number];

export const PROPOSAL_STATES = ["suggested", "evidenced", "approved", "rejected", "expired", "superseded"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

const instant = z.iso.datetime();

const base = {
  id: z.string(),
  kind: z.enum(PROPOSAL_KINDS),
  trigger: z.enum(PROPOSAL_TRIGGERS),
  /** Names what is proposed: filing it again on the same org and route answers the same proposal. */
  trigger_hash: z.string().regex(/^[0-9a-f]{64}$/),
  route: z.string().regex(ID_PATTERN),
  created_at: instant,
  expires_at: instant,
};

const decision = {
  decided_at: instant,
  /** Id of the key that decided. */
  decided_by: z.string(),
  comment: z.string().optional(),
};

/** A field exists only in the states that have it. */
export const proposal = z.discriminatedUnion("state", [
  z.object({ ...base, state: z.literal("suggested"), evidence: proposalEvidence.optional() }),
  z.object({ ...base, state: z.literal("evidenced"), evidence: proposalEvidence }),
  z.object({ ...base, state: z.literal("approved"), evidence: proposalEvidence, ...decision }),
  z.object({ ...base, state: z.literal("rejected"), evidence: proposalEvidence.optional(), ...decision }),
  z.object({ ...base, state: z.literal("expired"), evidence: proposalEvidence.optional() }),
  z.object({ ...base, state: z.literal("superseded"), evidence: proposalEvidence.optional() }),
]);

export type Proposal = z.infer<typeof proposal>;

const DAY_MS = 86_400_000;

/** Decisions ride current data: 30 days, 14 for insights. */
export function expiryOf(kind: ProposalKind, now: number): number {
  return now + (kind === "insight" ? 14 : 30) * DAY_MS;
}
