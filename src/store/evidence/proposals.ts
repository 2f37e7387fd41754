import { and, desc, eq, inArray, lte, ne, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { NewProposal, ProposalChange, ProposalFilter, ProposalStore } from "../../proposal/ports.ts";
import { PROPOSAL_STATES, type Proposal, proposal } from "../../proposal/proposal.ts";
import { transition } from "../../proposal/transitions.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged } from "../orgs/audit-log.ts";
import { auditLog } from "../tables/audit-log.ts";
import { proposals } from "../tables/proposals.ts";

const OPEN = PROPOSAL_STATES.filter((state) => transition(state, "expire") === "expired");

export class OrgProposals implements ProposalStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async get(id: string): Promise<Proposal | undefined> {
    const [row] = await settled(this.#db.select().from(proposals).where(this.#is(id)));
    return row && proposalOf(row);
  }

  async findByTrigger(route: string, triggerHash: string): Promise<Proposal | undefined> {
    const [row] = await settled(
      this.#db
        .select()
        .from(proposals)
        .where(and(eq(proposals.org, this.#org), eq(proposals.route, route), eq(proposals.triggerHash, triggerHash))),
    );
    return row && proposalOf(row);
  }

  async list({ route, state, limit }: ProposalFilter): Promise<readonly Proposal[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(proposals)
        .where(
          and(
            eq(proposals.org, this.#org),
            route === undefined ? undefined : eq(proposals.route, route),
            state === undefined ? undefined : eq(proposals.state, state),
          ),
        )
        .orderBy(desc(proposals.createdAt), desc(proposals.id))
        .limit(limit),
    );
    return rows.map(proposalOf);
  }

  async insert(fresh: NewProposal, by: string): Promise<boolean> {
    const [inserted] = await settled(
      this.#db.batch([
        this.#db
          .insert(proposals)
          .values({ org: this.#org, ...fresh })
          .onConflictDoNothing()
          .returning({ id: proposals.id }),
        auditInsertIfChanged(this.#db, this.#org, {
          by,
          at: fresh.createdAt,
          action: "proposal.filed",
          subject: fresh.id,
          detail: { route: fresh.route, variant: fresh.evidence.variant },
        }),
      ]),
    );
    return inserted.length > 0;
  }

  async change(
    id: string,
    { from, to, evidence, expiresAt, comment }: ProposalChange,
    stamp: AuditStamp,
  ): Promise<boolean> {
    const decided = to === "approved" || to === "rejected";
    const [changed] = await settled(
      this.#db.batch([
        this.#db
          .update(proposals)
          .set({
            state: to,
            ...(evidence && { evidence }),
            ...(expiresAt !== undefined && { expiresAt }),
            ...(decided && { decidedAt: stamp.at, decidedBy: stamp.by, comment: comment ?? null }),
          })
          .where(and(this.#is(id), eq(proposals.state, from)))
          .returning({ id: proposals.id }),
        auditInsertIfChanged(this.#db, this.#org, { ...stamp, action: `proposal.${to}`, subject: id }),
      ]),
    );
    return changed.length > 0;
  }

  async supersede(
    { id, route, variant }: { readonly id: string; readonly route: string; readonly variant: string },
    deed: AuditStamp,
  ): Promise<void> {
    const older = and(
      eq(proposals.org, this.#org),
      eq(proposals.route, route),
      eq(proposals.kind, "bakeoff"),
      ne(proposals.id, id),
      inArray(proposals.state, OPEN),
      sql`json_extract(${proposals.evidence}, '$.variant') = ${variant}`,
    );
    await settled(
      this.#db.batch([
        this.#db
          .insert(auditLog)
          .select(
            sql`select null, ${this.#org}, ${deed.at}, ${deed.by}, 'proposal.superseded', ${proposals.id}, null from ${proposals} where ${older}`,
          ),
        this.#db.update(proposals).set({ state: "superseded" }).where(older),
      ]),
    );
  }

  /** Marks open ones past their expiry as expired, each with its entry in the audit log; answers how many. */
  async expire(stamp: AuditStamp): Promise<number> {
    const due = and(eq(proposals.org, this.#org), inArray(proposals.state, OPEN), lte(proposals.expiresAt, stamp.at));
    const [, expired] = await settled(
      this.#db.batch([
        this.#db
          .insert(auditLog)
          .select(
            sql`select null, ${this.#org}, ${stamp.at}, ${stamp.by}, 'proposal.expired', ${proposals.id}, null from ${proposals} where ${due}`,
          ),
        this.#db.update(proposals).set({ state: "expired" }).where(due),
      ]),
    );
    return expired.rowsAffected;
  }

  #is(id: string) {
    return and(eq(proposals.org, this.#org), eq(proposals.id, id));
  }
}

/** A row must satisfy the schema of a proposal; one that does not is a mistake in the program and is thrown. */
function proposalOf(row: typeof proposals.$inferSelect): Proposal {
  return proposal.parse({
    id: row.id,
    kind: row.kind,
    trigger: row.trigger,
    trigger_hash: row.triggerHash,
    route: row.route,
    state: row.state,
    created_at: new Date(row.createdAt).toISOString(),
    expires_at: new Date(row.expiresAt).toISOString(),
    evidence: row.evidence ?? undefined,
    decided_at: row.decidedAt === null ? undefined : new Date(row.decidedAt).toISOString(),
    decided_by: row.decidedBy ?? undefined,
    comment: row.comment ?? undefined,
  });
}
