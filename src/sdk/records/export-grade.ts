/** Records grades. */
import { uuidv7 } from "uuidv7";
import { recordedGrade as gradeShape } from "../../runs/grade.ts";
import type { Exporter } from "../export/exporter.ts";
import type { Warnings } from "../warnings.ts";
import type { GradeOptions, GradeSubject } from "./grade.ts";

/** Answers the grade's id, or `null` where it does not fit and was not recorded. Never throws. */
export function exportGrade(
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
