/** A judgment from 0 to 1 on an inference, a run or an artifact. */
import { z } from "zod";
import { comment, identifier, instant, label } from "../intake/fields.ts";

export const GRADE_KINDS = ["human", "deterministic", "model"] as const;
export type GradeKind = (typeof GRADE_KINDS)[number];

export const GRADE_SUBJECT_KINDS = ["inference", "run", "artifact"] as const;
export type GradeSubjectKind = (typeof GRADE_SUBJECT_KINDS)[number];

export const gradeSubject = z.strictObject({
  kind: z.enum(GRADE_SUBJECT_KINDS),
  /** A run is named by its id or its episode key. */
  id: label,
});

export const recordedGrade = z.strictObject({
  id: identifier,
  subject: gradeSubject,
  /** 1 = good, 0 = bad. */
  score: z.number().min(0).max(1),
  kind: z.enum(GRADE_KINDS),
  /** The grader: a person, a check, or a judge model. */
  grader: label.default("unnamed"),
  comment: comment.optional(),
  createdAt: instant,
});

export type SubjectRef = z.infer<typeof gradeSubject>;
export type Grade = z.infer<typeof recordedGrade>;

/** Returns one word for a subject, as a key of sets and maps. */
export function subjectKey({ kind, id }: SubjectRef): string {
  return `${kind}:${id}`;
}

/**
 * Returns the grades that count: the latest of each grader on each subject. Of two at the same time the one with the
 * greater id, so that every reader takes the same. `subjectOf` maps names of the same subject to one.
 */
export function latestPerGrader(
  grades: readonly Grade[],
  subjectOf: (subject: SubjectRef) => string = subjectKey,
): readonly Grade[] {
  const latest = new Map<string, Grade>();
  for (const one of grades) {
    const key = JSON.stringify([subjectOf(one.subject), one.kind, one.grader]);
    const known = latest.get(key);
    if (!known || isLater(one, known)) latest.set(key, one);
  }
  return [...latest.values()];
}

function isLater(one: Grade, other: Grade): boolean {
  return one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.id > other.id);
}
