import type { GivenGrade } from "../../bakeoff/judge/human-grades.ts";
import type { Interval } from "../../stats/interval.ts";
import { graderAgreement } from "../../stats/kappa.ts";
import type { PageFacts, PageSide } from "../page/page-facts.ts";

/** Below so many grades no agreement is shown. */
const LEAST_SHOWN = 10;

/** How far the grader's blind grades agree with what was measured. `day` is today, ISO. */
export function agreementText(
  { sides, pass, good, metric }: Pick<PageFacts, "sides" | "pass" | "good" | "metric">,
  gradeOf: (side: PageSide) => GivenGrade | undefined,
  day: string,
): string {
  const table = { bothPass: 0, onlyFirst: 0, onlySecond: 0, bothFail: 0 };
  let named = 0;
  for (const side of sides) {
    const grade = gradeOf(side);
    if (!grade || side.score === undefined) continue;
    if (!grade.blind) {
      named += 1;
      continue;
    }
    if (grade.score >= good) table[side.score >= pass ? "bothPass" : "onlyFirst"] += 1;
    else table[side.score >= pass ? "onlySecond" : "bothFail"] += 1;
  }
  const found = graderAgreement(table);
  const others = named === 0 ? "" : ` ${named} given with names shown are not counted.`;
  if (!found) return others.trim();
  if (found.n < LEAST_SHOWN) return `Agreement with ${metric}: n ${found.n}, not shown below ${LEAST_SHOWN}.${others}`;
  const kappa =
    found.kappa === undefined || !found.kappaInterval
      ? "kappa is not defined: one verdict throughout"
      : `kappa ${found.kappa.toFixed(2)} ${range(found.kappaInterval, (value) => value.toFixed(2))}`;
  const agreeing = table.bothPass + table.bothFail;
  return `You and ${metric} agree on ${agreeing} of ${found.n} outputs, ${percent(found.agreement)}% ${range(found.interval, percent)}; ${kappa} (95%; good = 3 or more, measured ${pass} or more; ${day}).${others}`;
}

function percent(rate: number): string {
  return (rate * 100).toFixed(1);
}

function range({ low, high }: Interval, write: (value: number) => string): string {
  return `[${write(low)}, ${write(high)}]`;
}
