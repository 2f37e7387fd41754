import { and, desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import { type Grade, type SubjectRef, subjectKey } from "../../runs/grade.ts";
import { type GradeStore, type Kept, MOST_GRADES_SHOWN, type Rows } from "../../runs/ports.ts";
import type { Run } from "../../runs/run.ts";
import { keptOf } from "../database/batch-answers.ts";
import type { Database } from "../database/database.ts";
import { drizzled } from "../database/drizzle-fragment.ts";
import { bind, type Fragment, sql as fragment } from "../database/fragment.ts";
import { insertRows } from "../database/insert-rows.ts";
import { type Access, carries, seesArtifactRow, seesRun, seesSubject } from "../database/row-scope.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged, batchEntry } from "../orgs/audit-log.ts";
import { grades } from "../tables/grades.ts";

export class OrgGrades implements GradeStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async record(given: readonly Grade[], stamp: AuditStamp): Promise<readonly Kept[]> {
    if (given.length === 0) return [];
    const rows = given.map(({ subject, ...rest }) => ({
      org: this.#org,
      ...rest,
      subjectKind: subject.kind,
      subject: subject.id,
      keyId: stamp.by,
    }));
    const ids = given.map(({ id }) => id);
    const [written] = await settled(
      this.#db.batch([
        this.#db.all<{ id: string }>(sql`${insertRows(grades, rows)} returning id`),
        auditInsertIfChanged(this.#db, this.#org, batchEntry(stamp, "grade.recorded", ids)),
      ]),
    );
    return keptOf(given, written, ({ id }) => id);
  }

  async ofRun(run: Pick<Run, "id" | "episodeKey">, rows: Rows): Promise<readonly Grade[]> {
    const org = this.#org;
    const inferences = sql`${grades.subject} in (select id from inferences
      where inferences.org = ${org} and inferences.run = ${run.id} ${andAll(carries(fragment`inferences.tags`, rows))})`;
    const artifacts = sql`${grades.subject} in (select id from artifacts
      where artifacts.org = ${org} and artifacts.run = ${run.id} ${andAll(seesArtifactRow(this.#access(rows), fragment`artifacts`))})`;
    const onRun = [run.id, run.episodeKey]
      .filter((id) => id !== undefined)
      .map((id) => and(eq(grades.subject, id), drizzled(seesRun(this.#access(rows), bind(id)))));
    return await this.#select(
      or(
        and(eq(grades.subjectKind, "run"), or(...onRun)),
        and(eq(grades.subjectKind, "inference"), inferences),
        and(eq(grades.subjectKind, "artifact"), artifacts),
      ),
    );
  }

  async of(subject: SubjectRef, rows: Rows): Promise<readonly Grade[]> {
    const known = await this.known([subject], rows);
    if (!known.has(subjectKey(subject))) return [];
    return await this.#select(and(eq(grades.subjectKind, subject.kind), eq(grades.subject, subject.id)));
  }

  async known(subjects: readonly SubjectRef[], rows: Rows): Promise<ReadonlySet<string>> {
    if (subjects.length === 0) return new Set();
    const asked = sql`json_each(${JSON.stringify(subjects.map(({ kind, id }) => [kind, id]))})`;
    const seen = drizzled(seesSubject(this.#access(rows), fragment`asked.kind`, fragment`asked.id`));
    const found = await settled(
      this.#db.all<SubjectRef>(sql`
        with asked as (select distinct value ->> 0 as kind, value ->> 1 as id from ${asked})
        select kind, id from asked where ${seen}`),
    );
    return new Set(found.map(subjectKey));
  }

  #access(rowScope: Rows): Access {
    return { org: this.#org, rowScope };
  }

  async #select(condition: SQL | undefined): Promise<readonly Grade[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(grades)
        .where(and(eq(grades.org, this.#org), condition))
        .orderBy(desc(eq(grades.subjectKind, "run")), desc(grades.createdAt), desc(grades.id))
        .limit(MOST_GRADES_SHOWN),
    );
    return rows.map(gradeOf);
  }
}

function andAll(condition: Fragment | undefined): SQL {
  return condition ? sql`and ${drizzled(condition)}` : sql``;
}

function gradeOf(row: typeof grades.$inferSelect): Grade {
  const { id, score, kind, grader, createdAt } = row;
  return {
    id,
    subject: { kind: row.subjectKind, id: row.subject },
    score,
    kind,
    grader,
    comment: row.comment ?? undefined,
    createdAt,
  };
}
