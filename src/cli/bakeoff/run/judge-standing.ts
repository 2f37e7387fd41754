import {
  type Examination,
  type ExaminationStore,
  examinationSubject,
  standingExamination,
} from "../../../bakeoff/judge/examination.ts";
import type { PeopleTable } from "../../../bakeoff/judge/people-table.ts";
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import type { Io } from "../../command.ts";
import { peopleOn } from "../report/people-here.ts";

/** What is known of the judge before the bake-off: an examination that still holds, and how people graded beside it. */
export async function judgeStanding(
  io: Io,
  { judge, metric, route }: BakeoffPlan,
  examinations: ExaminationStore,
): Promise<{ readonly examination?: Examination | undefined; readonly people?: PeopleTable | undefined }> {
  if (judge?.type !== "judge" || metric !== "judge") return {};
  const subject = await examinationSubject(route, judge.candidate);
  const examination = await standingExamination(examinations, subject, Date.now());
  return { examination, people: peopleOn(io, subject) };
}
