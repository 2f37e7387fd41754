import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { EvidenceStore } from "../../bakeoff/evidence/evidence-store.ts";
import { continues, type LookRecord, lookRecord, sameOutcomes } from "../../bakeoff/evidence/look-record.ts";
import { SPENDING_DAYS } from "../../stats/alpha-spending.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { evidenceLooks, evidenceSalts } from "../tables/evidence.ts";

const DAY_MS = 86_400_000;

/** A different look of the same bake-off exists already. */
export class LookConflict extends Error {
  override readonly name = "LookConflict" as const;
}

export class OrgEvidence implements EvidenceStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async salt(): Promise<string> {
    const drawn = Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("");
    await settled(this.#db.insert(evidenceSalts).values({ org: this.#org, salt: drawn }).onConflictDoNothing());
    const [row] = await settled(
      this.#db.select({ salt: evidenceSalts.salt }).from(evidenceSalts).where(eq(evidenceSalts.org, this.#org)),
    );
    return row?.salt ?? drawn;
  }

  /** Rejects with `LookConflict` where the bake-off has a look that this one does not continue. */
  async record(look: LookRecord): Promise<readonly LookRecord[]> {
    const { route, bakeoff, at } = look;
    await settled(
      this.#db.insert(evidenceLooks).values({ org: this.#org, route, bakeoff, at, look }).onConflictDoNothing(),
    );
    const known = await this.#find(bakeoff);
    if (known && !continues(look, known.look)) throw new LookConflict(`bake-off ${bakeoff} has another look already`);
    // An unchanged look keeps its time when it is recorded again, so the same bake-off makes the same report.
    if (known && !sameOutcomes(known.look, look))
      await settled(this.#db.update(evidenceLooks).set({ at, look }).where(this.#is(bakeoff)));
    return this.upTo(route, bakeoff);
  }

  /**
   * Returns the looks of a route that count together with a bake-off's own, its own last; none where it took no look.
   */
  async upTo(route: string, bakeoff: string): Promise<readonly LookRecord[]> {
    const own = await this.#find(bakeoff);
    if (!own || own.look.route !== route) return [];
    const rows = await settled(
      this.#db
        .select({ look: evidenceLooks.look })
        .from(evidenceLooks)
        .where(
          and(
            eq(evidenceLooks.org, this.#org),
            eq(evidenceLooks.route, route),
            lte(evidenceLooks.id, own.id),
            gt(evidenceLooks.at, own.look.at - SPENDING_DAYS * DAY_MS),
          ),
        )
        .orderBy(asc(evidenceLooks.id)),
    );
    return rows.map((row) => lookRecord.parse(row.look));
  }

  async #find(bakeoff: string) {
    const [row] = await settled(
      this.#db.select({ id: evidenceLooks.id, look: evidenceLooks.look }).from(evidenceLooks).where(this.#is(bakeoff)),
    );
    return row;
  }

  #is(bakeoff: string) {
    return and(eq(evidenceLooks.org, this.#org), eq(evidenceLooks.bakeoff, bakeoff));
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
