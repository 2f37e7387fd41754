import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { EvalCase } from "../../runs/eval-case.ts";
import type { EvalCaseFilter, EvalCaseStore, Kept } from "../../runs/ports.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged } from "../orgs/audit-log.ts";
import { evalCases } from "../tables/eval-cases.ts";

export class OrgEvalCases implements EvalCaseStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async insert(evalCase: EvalCase, stamp: AuditStamp): Promise<Kept> {
    const { id, task, origin } = evalCase;
    const [written] = await settled(
      this.#db.batch([
        this.#db
          .insert(evalCases)
          // Stored as text: null is a possible expected value and would otherwise become SQL's null.
          .values({
            org: this.#org,
            ...evalCase,
            expected: sql`${JSON.stringify(evalCase.expected)}`,
            createdBy: stamp.by,
          })
          .onConflictDoNothing()
          .returning({ id: evalCases.id }),
        auditInsertIfChanged(this.#db, this.#org, {
          ...stamp,
          action: "eval_case.added",
          subject: id,
          detail: { task, origin },
        }),
      ]),
    );
    return written.length > 0 ? "stored" : "duplicate";
  }

  async get(id: string): Promise<EvalCase | undefined> {
    const [row] = await settled(this.#db.select().from(evalCases).where(this.#is(id)));
    return row && evalCaseOf(row);
  }

  async withIds(ids: readonly string[]): Promise<readonly EvalCase[]> {
    if (ids.length === 0) return [];
    const rows = await settled(
      this.#db
        .select()
        .from(evalCases)
        .where(and(eq(evalCases.org, this.#org), inArray(evalCases.id, [...ids]))),
    );
    return rows.map(evalCaseOf);
  }

  async list({ task, after, archived = false, limit }: EvalCaseFilter): Promise<readonly EvalCase[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(evalCases)
        .where(
          and(
            eq(evalCases.org, this.#org),
            task === undefined ? undefined : eq(evalCases.task, task),
            archived ? undefined : isNull(evalCases.archivedAt),
            after && sql`(${evalCases.createdAt}, ${evalCases.id}) < (${after.createdAt}, ${after.id})`,
          ),
        )
        .orderBy(desc(evalCases.createdAt), desc(evalCases.id))
        .limit(limit),
    );
    return rows.map(evalCaseOf);
  }

  async archive(id: string, stamp: AuditStamp): Promise<boolean> {
    const [, , found] = await settled(
      this.#db.batch([
        this.#db
          .update(evalCases)
          .set({ archivedAt: stamp.at })
          .where(and(this.#is(id), isNull(evalCases.archivedAt))),
        auditInsertIfChanged(this.#db, this.#org, { ...stamp, action: "eval_case.archived", subject: id }),
        this.#db.select({ id: evalCases.id }).from(evalCases).where(this.#is(id)),
      ]),
    );
    return found.length > 0;
  }

  #is(id: string) {
    return and(eq(evalCases.org, this.#org), eq(evalCases.id, id));
  }
}

function evalCaseOf(row: typeof evalCases.$inferSelect): EvalCase {
  const { id, task, input, expected, corrected, origin, createdAt } = row;
  return {
    id,
    task,
    input,
    expected,
    corrected,
    origin,
    artifact: row.artifact ?? undefined,
    run: row.run ?? undefined,
    createdAt,
    archivedAt: row.archivedAt ?? undefined,
  };
}
