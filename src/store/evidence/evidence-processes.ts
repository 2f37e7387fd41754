import { and, eq } from "drizzle-orm";
import { type EvidenceState, type EvidenceStore, evidenceState } from "../../bakeoff/analysis/evidence-process.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { evidenceProcesses } from "../tables/hosted-bakeoffs.ts";

export class OrgEvidence implements EvidenceStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /** A row that is not a state is a bug and is thrown as one: taken as none, it would grant a first look again. */
  async load(key: string): Promise<EvidenceState | undefined> {
    const [row] = await settled(
      this.#db
        .select({ state: evidenceProcesses.state })
        .from(evidenceProcesses)
        .where(and(eq(evidenceProcesses.org, this.#org), eq(evidenceProcesses.key, key))),
    );
    return row && evidenceState.parse(row.state);
  }

  async save(key: string, state: EvidenceState, at: number): Promise<void> {
    const figures = { state: { ...state }, updatedAt: at };
    await settled(
      this.#db
        .insert(evidenceProcesses)
        .values({ org: this.#org, key, ...figures })
        .onConflictDoUpdate({ target: [evidenceProcesses.org, evidenceProcesses.key], set: figures }),
    );
  }
}
