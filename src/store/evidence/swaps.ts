import { and, desc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { SwapExecution, SwapStore } from "../../swap/ports.ts";
import { type Swap, swap } from "../../swap/swap.ts";
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
        .orderBy(desc(swaps.executedAt), desc(swaps.id))
        .limit(filter.limit),
    );
    return rows.map(swapOf);
  }

  async execute({ swap: fresh, approveFrom }: SwapExecution): Promise<boolean> {
    const at = Date.parse(fresh.executed_at);
    const stamp = { by: fresh.executed_by, at };
    const own = and(eq(proposals.org, this.#org), eq(proposals.id, fresh.proposal));
    // Inserts the swap only while its proposal is still in the state that was read; the following statements depend on
    // its row.
    const executed = sql`exists (select 1 from swaps s where s.org = ${this.#org} and s.id = ${fresh.id})`;
    const [inserted] = await settled(
      this.#db.batch([
        this.#db
          .insert(swaps)
          .select(
            sql`select ${this.#org}, ${fresh.id}, ${fresh.proposal}, ${fresh.route}, ${fresh.variant}, ${fresh.direction},
              ${JSON.stringify(fresh.baseline)}, ${fresh.path}, ${fresh.patch}, ${at}, ${fresh.executed_by}, null, null
              where exists (select 1 from proposals p where p.org = ${this.#org} and p.id = ${fresh.proposal}
                and p.state = ${approveFrom ?? "approved"})`,
          )
          .onConflictDoNothing()
          .returning({ id: swaps.id }),
        auditInsertIfChanged(this.#db, this.#org, {
          ...stamp,
          action: "swap.executed",
          subject: fresh.id,
          detail: { proposal: fresh.proposal, route: fresh.route, variant: fresh.variant },
        }),
        this.#db
          .update(proposals)
          .set({ state: "approved", decidedAt: at, decidedBy: stamp.by })
          .where(and(own, eq(proposals.state, "evidenced"), executed)),
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
              executed,
            ),
          ),
      ]),
    );
    return inserted.length > 0;
  }

  async revert(id: string, stamp: AuditStamp): Promise<boolean> {
    const [reverted] = await settled(
      this.#db.batch([
        this.#db
          .update(swaps)
          .set({ revertedAt: stamp.at, revertedBy: stamp.by })
          .where(and(this.#is(id), isNull(swaps.revertedAt)))
          .returning({ id: swaps.id }),
        auditInsertIfChanged(this.#db, this.#org, { ...stamp, action: "swap.reverted", subject: id }),
      ]),
    );
    return reverted.length > 0;
  }

  #is(id: string) {
    return and(eq(swaps.org, this.#org), eq(swaps.id, id));
  }
}

function swapOf(row: typeof swaps.$inferSelect): Swap {
  const { id, proposal, route, variant, direction, baseline, path, patch } = row;
  return swap.parse({
    id,
    proposal,
    route,
    variant,
    direction,
    baseline,
    path,
    patch,
    executed_at: new Date(row.executedAt).toISOString(),
    executed_by: row.executedBy,
    ...(row.revertedAt === null
      ? { state: "executed" }
      : { state: "reverted", reverted_at: new Date(row.revertedAt).toISOString(), reverted_by: row.revertedBy }),
  });
}
