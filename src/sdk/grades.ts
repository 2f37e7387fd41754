/** `rig.grade`: a judgment from 0 to 1 on a call, a run or an artifact. */
import { uuidv7 } from "uuidv7";
import { grade as gradeShape } from "../runs/grade.ts";
import type { Exporter } from "./exporter.ts";
import type { Warnings } from "./warnings.ts";

export interface GradeSubject {
  readonly kind: "inference" | "run" | "artifact";
  /** `meta.inferenceId`; `runId` or the run's `episodeKey`; the artifact's `id`. */
  readonly id: string;
}

export interface GradeOptions {
  /** 1 = good, 0 = bad. */
  readonly score: number;
  readonly kind: "human" | "deterministic" | "model";
  /** Who or what judged; of each grader on a subject the latest grade counts. Default `unnamed`. */
  readonly grader?: string | undefined;
  readonly comment?: string | undefined;
}

/** Answers the grade's id, or `null` where it does not fit and was not recorded. Never throws. */
export function recordGrade(
  subject: GradeSubject,
  options: GradeOptions,
  { exporter, warn, now }: { readonly exporter: Exporter; readonly warn: Warnings; readonly now: () => number },
): string | null {
  const parsed = gradeShape.safeParse({ ...options, subject, id: `grd_${uuidv7()}`, createdAt: now() });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    warn.once("grade", `a grade does not fit and was not recorded: ${issue?.path.join(".")} ${issue?.message}`);
    return null;
  }
  exporter.add({ type: "grade", grade: parsed.data });
  return parsed.data.id;
}
