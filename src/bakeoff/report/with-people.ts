import { correctedBy, type PeopleTable } from "../judge/people-table.ts";
import type { BakeoffReport } from "./bakeoff-report.ts";

/** The report with what people said of the judge, and each arm's share of passing outputs corrected by it. */
export function withPeople(report: BakeoffReport, people: PeopleTable | undefined): BakeoffReport {
  if (!report.judge || report.metric !== "judge") return report;
  const arms = report.arms.map((arm) => {
    if (!arm.judged) return arm;
    const { passed, of } = arm.judged;
    const found = correctedBy(people, { passed, of });
    const corrected =
      found?.status === "corrected"
        ? { rate: found.rate, low: found.interval.low, high: found.interval.high }
        : undefined;
    return { ...arm, judged: { passed, of, corrected } };
  });
  return { ...report, arms, judge: { ...report.judge, people } };
}
