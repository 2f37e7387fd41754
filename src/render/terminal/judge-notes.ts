/** What a judge did, whether it may be used, and how far it was checked: the same words in the terminal and on a page. */
import { kindWords } from "../../bakeoff/judge/examination.ts";
import { isChecked } from "../../bakeoff/judge/people-table.ts";
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import type { JudgeReport } from "../../bakeoff/report/judge-report.ts";
import { formatUsd } from "../../money/format.ts";
import { usdToNano } from "../../money/nano-usd.ts";
import { percent } from "../../stats/rate-text.ts";
import { wilson } from "../../stats/wilson.ts";

export function judgeNotes({ judge, metric, arms }: BakeoffReport): string[] {
  if (!judge) return [];
  if (metric !== "judge" && judge.note === undefined) return [];
  return [
    countsText(judge),
    ...(metric === "judge" && judge.model !== undefined
      ? [...unusableText(judge), ...examinationText(judge), peopleText(judge), ...arms.flatMap(correctedText)]
      : []),
  ];
}

function countsText(judge: JudgeReport): string {
  const unusable = Object.entries(judge.unusable).map(([name, n]) => `${name} ${n}`);
  const free = [
    ...(judge.identical > 0 ? [`${judge.identical} pairs of equal outputs tie unasked and pass nothing`] : []),
    ...(judge.no_output > 0 ? [`${judge.no_output} pairs lack an output on a side, which loses`] : []),
  ];
  return [
    `judge ${judge.model ?? "none"}: asked about ${judge.pairs} pairs, ${judge.tied} of them tied, ${formatUsd(usdToNano(judge.spend_usd))}`,
    ...(judge.flipped > 0 ? [`${judge.flipped} of ${judge.both_orders} flipped with the order, counted as ties`] : []),
    ...free,
    ...(unusable.length > 0 ? [`answers that could not be used, so no sample: ${unusable.join(", ")}`] : []),
    ...(judge.cost_unknown > 0 ? [`cost of ${judge.cost_unknown} answers unknown`] : []),
    ...(judge.note === undefined ? [] : [judge.note]),
  ].join("; ");
}

function unusableText({ unusable_because: because }: JudgeReport): string[] {
  return because === undefined ? [] : [`judge unusable, so there is no verdict on quality: ${because}`];
}

function examinationText({ examination }: JudgeReport): string[] {
  if (!examination) return [];
  const kinds = examination.kinds.map(({ kind, asked, right, not_applicable: none }) =>
    none === true ? `${kindWords(kind)} not applicable` : `${kindWords(kind)} ${right} of ${asked}`,
  );
  const { at, both_orders: both, flipped } = examination;
  return [
    `judge examined ${at.slice(0, 10)} on planted pairs, right verdicts: ${kinds.join(", ")}; ${flipped} of ${both} flipped with the order`,
  ];
}

function correctedText({ arm, judged }: BakeoffReport["arms"][number]): string[] {
  if (!judged?.corrected) return [];
  const { rate, low, high } = judged.corrected;
  return [
    `${modelOf(arm)}: the judge passes ${judged.passed} of ${judged.of} outputs, ${percent(judged.passed / judged.of)}%; corrected by people ${percent(rate)}% [${percent(low)},${percent(high)}] (95%)`,
  ];
}

function peopleText({ people }: JudgeReport): string {
  const graded = people ? people.passed + people.failed : 0;
  if (!isChecked(people)) return `judge not checked against people: ${graded} outputs graded by both, 30 needed`;
  const agreed = people.passed_agreed + people.failed_agreed;
  const { low, high } = wilson(agreed, graded) ?? { low: 0, high: 1 };
  return `judge agrees with people on ${agreed} of ${graded} outputs, ${percent(agreed / graded)}% [${percent(low)},${percent(high)}] (95%): passes what people passed ${people.passed_agreed} of ${people.passed}, fails what people failed ${people.failed_agreed} of ${people.failed}`;
}
