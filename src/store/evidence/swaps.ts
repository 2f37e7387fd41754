import { and, desc, eq, inArray, ne, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { SwapApproval, SwapStore } from "../../swap/ports.ts";
import { type Swap, type SwapState, swap } from "../../swap/swap.ts";
import { type SwapEvent, statesBefore, swapTransition } from "../../swap/transitions.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged } from "../orgs/audit-log.ts";
import { proposals } from "../tables/proposals.ts";
import { swaps } from "../tables/swaps.ts";

export class OrgSwaps implements SwapStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async get(id: string): Promise<Swap | undefined> {
    const [row] = await settled(this.#db.select().from(swaps).where(this.#is(id)));
    return row && swapOf(row);
  }

  async findByProposal(proposal: string): Promise<Swap | undefined> {
    const where = and(eq(swaps.org, this.#org), eq(swaps.proposal, proposal));
    const [row] = await settled(this.#db.select().from(swaps).where(where));
    return row && swapOf(row);
  }

  async list(filter: { readonly route?: string | undefined; readonly limit: number }): Promise<readonly Swap[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(swaps)
        .where(and(eq(swaps.org, this.#org), filter.route === undefined ? undefined : eq(swaps.route, filter.route)))
        .orderBy(desc(swaps.approvedAt), desc(swaps.id))
        .limit(filter.limit),
    );
    return rows.map(swapOf);
  }

  async awaited(): Promise<readonly Swap[]> {
    const where = and(eq(swaps.org, this.#org), inArray(swaps.state, [...statesBefore("serve")]));
    return (await settled(this.#db.select().from(swaps).where(where))).map(swapOf);
  }

  async approve({ swap: fresh, approveFrom }: SwapApproval): Promise<boolean> {
    const at = Date.parse(fresh.approved_at);
    const stamp = { by: fresh.approved_by, at };
    const own = and(eq(proposals.org, this.#org), eq(proposals.id, fresh.proposal));
    // Inserts the swap only while its proposal is still in the state that was read; the following statements depend on
    // its row.
    const recorded = sql`exists (select 1 from swaps s where s.org = ${this.#org} and s.id = ${fresh.id})`;
    const [inserted] = await settled(
      this.#db.batch([
        this.#db
          .insert(swaps)
          .select(
            sql`select ${this.#org}, ${fresh.id}, ${fresh.proposal}, ${fresh.route}, ${fresh.variant}, ${fresh.direction},
              ${JSON.stringify(fresh.baseline)}, ${fresh.path}, ${fresh.patch}, ${at}, ${fresh.approved_by}, null, null,
              ${fresh.state}, ${fresh.promised?.route_hash ?? null}, ${fresh.promised?.serves ?? null}, null, null
              where exists (select 1 from proposals p where p.org = ${this.#org} and p.id = ${fresh.proposal}
                and p.state = ${approveFrom ?? "approved"})`,
          )
          .onConflictDoNothing()
          .returning({ id: swaps.id }),
        auditInsertIfChanged(this.#db, this.#org, {
          ...stamp,
          action: "swap.approved",
          subject: fresh.id,
          detail: { proposal: fresh.proposal, route: fresh.route, variant: fresh.variant },
        }),
        this.#db
          .update(proposals)
          .set({ state: "approved", decidedAt: at, decidedBy: stamp.by })
          .where(and(own, eq(proposals.state, "evidenced"), recorded)),
        auditInsertIfChanged(this.#db, this.#org, { ...stamp, action: "proposal.approved", subject: fresh.proposal }),
        this.#db
          .update(proposals)
          .set({ state: "superseded" })
          .where(
            and(
              eq(proposals.org, this.#org),
              eq(proposals.route, fresh.route),
              ne(proposals.id, fresh.proposal),
              inArray(proposals.state, ["suggested", "evidenced"]),
              recorded,
            ),
          ),
      ]),
    );
    return inserted.length > 0;
  }

  async change(id: string, event: SwapEvent, stamp: AuditStamp): Promise<boolean> {
    const from = statesBefore(event);
    const to = from[0] && swapTransition(from[0], event);
    if (to === undefined) return false;
    const [changed] = await settled(
      this.#db.batch([
        this.#db
          .update(swaps)
          .set({ state: to, ...MARKS[to](stamp) })
          .where(and(this.#is(id), inArray(swaps.state, [...from])))
          .returning({ id: swaps.id }),
        auditInsertIfChanged(this.#db, this.#org, { ...stamp, action: `swap.${to}`, subject: id }),
      ]),
    );
    return changed.length > 0;
  }

  #is(id: string) {
    return and(eq(swaps.org, this.#org), eq(swaps.id, id));
  }
}

/** What a state brings with it. */
const MARKS: Readonly<Record<SwapState, (stamp: AuditStamp) => Partial<typeof swaps.$inferInsert>>> = {
  approved: () => ({}),
  serving: ({ at }) => ({ servingSince: at }),
  reverted: ({ at, by }) => ({ revertedAt: at, revertedBy: by }),
  abandoned: ({ at }) => ({ abandonedAt: at }),
};

function swapOf(row: typeof swaps.$inferSelect): Swap {
  const { id, state, proposal, route, variant, direction, baseline, path, patch } = row;
  const { promisedHash: hash, promisedServes: serves } = row;
  return swap.parse({
    ...{ id, state, proposal, route, variant, direction, baseline, path, patch },
    promised: hash === null || serves === null ? null : { route_hash: hash, serves },
    approved_at: isoOf(row.approvedAt),
    approved_by: row.approvedBy,
    serving_since: isoOf(row.servingSince),
    reverted_at: isoOf(row.revertedAt),
    reverted_by: row.revertedBy ?? undefined,
    abandoned_at: isoOf(row.abandonedAt),
  });
}

function isoOf(at: number | null): string | undefined {
  return at === null ? undefined : new Date(at).toISOString();
}
