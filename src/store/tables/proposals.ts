import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProposalEvidence } from "../../proposal/evidence.ts";
import type { ProposalKind, ProposalState, ProposalTrigger } from "../../proposal/proposal.ts";

export const proposals = sqliteTable(
  "proposals",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    kind: text("kind").$type<ProposalKind>().notNull(),
    trigger: text("trigger").$type<ProposalTrigger>().notNull(),
    triggerHash: text("trigger_hash").notNull(),
    route: text("route").notNull(),
    state: text("state").$type<ProposalState>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    evidence: text("evidence", { mode: "json" }).$type<ProposalEvidence>(),
    decidedAt: integer("decided_at"),
    decidedBy: text("decided_by"),
    comment: text("comment"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    uniqueIndex("proposals_org_route_trigger").on(table.org, table.route, table.triggerHash),
    index("proposals_org_created").on(table.org, table.createdAt),
  ],
);
