/** How a judge agrees with people: counts of outputs that both graded, and rates corrected by them. */
import { z } from "zod";
import { type CorrectedRate, correctedRate } from "../../stats/judge-correction.ts";
import { count } from "../report/report-fields.ts";

/** With fewer outputs graded by both, no rate is corrected. */
const LEAST_GRADED = 30;

export const peopleTable = z.strictObject({
  /** Of what people passed and failed: how much there was, and how often the judge said the same. */
  passed: count,
  passed_agreed: count,
  failed: count,
  failed_agreed: count,
});

export type PeopleTable = z.infer<typeof peopleTable>;

/** Whether so many outputs were graded by both that rates can be corrected. */
export function isChecked(people: PeopleTable | undefined): people is PeopleTable {
  return people !== undefined && people.passed + people.failed >= LEAST_GRADED;
}

/** The rate behind the judge's own; undefined where too few outputs were graded by people. */
export function correctedBy(
  people: PeopleTable | undefined,
  verdicts: { readonly passed: number; readonly of: number },
): CorrectedRate | undefined {
  if (!isChecked(people)) return undefined;
  return correctedRate(verdicts, {
    passes: { agreed: people.passed_agreed, of: people.passed },
    fails: { agreed: people.failed_agreed, of: people.failed },
  });
}

export function addedTables(tables: readonly PeopleTable[]): PeopleTable | undefined {
  if (tables.length === 0) return undefined;
  const sum = (of: (table: PeopleTable) => number): number => tables.reduce((all, table) => all + of(table), 0);
  return {
    passed: sum(({ passed }) => passed),
    passed_agreed: sum(({ passed_agreed: agreed }) => agreed),
    failed: sum(({ failed }) => failed),
    failed_agreed: sum(({ failed_agreed: agreed }) => agreed),
  };
}
