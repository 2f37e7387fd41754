/** Grades that a person gave to outputs of one bake-off, as a page saves them: `modelrig.grades/1`. No text of any call. */
import { z } from "zod";
import { type GraderAgreement, graderAgreement } from "../../stats/kappa.ts";
import { fraction, name } from "../report/report-fields.ts";

const GRADES_SCHEMA = "modelrig.grades/1";

const givenGrade = z.strictObject({
  input: z.string().min(1).max(160),
  arm: name,
  /** Id of the call; absent where it was not kept, and then the grade stays on the machine. */
  inference: name.optional(),
  score: fraction,
  /** Given before names and measured grades were shown. */
  blind: z.boolean(),
  at: z.iso.datetime(),
});

export const gradesFile = z.strictObject({
  schema: z.literal(GRADES_SCHEMA),
  bakeoff: name,
  route: name,
  grader: z.string().trim().min(1).max(80),
  grades: z.array(givenGrade).max(20_000),
});

export type GivenGrade = z.infer<typeof givenGrade>;
export type GradesFile = z.infer<typeof gradesFile>;

/** A person's score counts as good from here. */
export const GOOD = 0.5;

/** Of blind grades only, against what was measured; undefined where none can be compared. `pass` is the metric's. */
export function agreementWith(
  grades: readonly GivenGrade[],
  scoreOf: (grade: GivenGrade) => number | undefined,
  pass: number,
): GraderAgreement | undefined {
  const table = { bothPass: 0, onlyFirst: 0, onlySecond: 0, bothFail: 0 };
  for (const grade of grades) {
    const measured = scoreOf(grade);
    if (!grade.blind || measured === undefined) continue;
    if (grade.score >= GOOD) table[measured >= pass ? "bothPass" : "onlyFirst"] += 1;
    else table[measured >= pass ? "onlySecond" : "bothFail"] += 1;
  }
  return graderAgreement(table);
}
