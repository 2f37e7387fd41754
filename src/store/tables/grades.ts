import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { GradeKind, GradeSubjectKind } from "../../runs/grade.ts";

/** Append-only. The latest grade of a grader on a subject counts. */
export const grades = sqliteTable(
  "grades",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    subjectKind: text("subject_kind").$type<GradeSubjectKind>().notNull(),
    /** Id of the inference, artifact or run; for a run graded by its episode key, that key. */
    subject: text("subject").notNull(),
    /** 0 to 1. */
    score: real("score").notNull(),
    kind: text("kind").$type<GradeKind>().notNull(),
    grader: text("grader").notNull(),
    comment: text("comment"),
    createdAt: integer("created_at").notNull(),
    keyId: text("key_id"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("grades_org_subject").on(table.org, table.subjectKind, table.subject, table.createdAt),
    index("grades_org_created").on(table.org, table.createdAt),
  ],
);
